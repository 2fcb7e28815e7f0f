// A number as people write it, at the start of a text: "1,316", "1 316", "1'316", "1.316.000", "1,5", ".5",
// "1.12e12". No sign and no unit; the numbers of fields, tables and typed answers are all read here.
#pragma once

#include <optional>
#include <string_view>

namespace ringside
{

struct WrittenNumber
{
    double value = 0;
    std::size_t length = 0; // bytes of the text
    bool exponent = false;  // "1e9"
};

// Commas, thin and plain spaces, apostrophes and underscores group digits by three; a comma that groups
// nothing is a decimal one. Nothing where the text does not start with a number; one that is too large is
// infinite.
std::optional<WrittenNumber> number_at_start(std::string_view text);

} // namespace ringside
