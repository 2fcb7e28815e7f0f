// Reads a number out of tokens: figures, words, mixed fractions, powers and clocks, without its unit.
#pragma once

#include "core/study/grading/unit_reader.h"

namespace ringside
{

class NumberReader
{
public:
    NumberReader(Tokens& tokens, UnitReader& units) : t_(tokens), units_(units) {}

    std::optional<TypedValue> number();
    // "^9", "to the power of 9": raises what stands before it.
    bool power(TypedValue& value);

private:
    std::optional<TypedValue> spelt();
    std::optional<double> in_words();
    std::optional<TypedValue> clock();
    void times_ten_to(TypedValue& value);
    void add_fraction(TypedValue& value, bool vulgar);

    Tokens& t_;
    UnitReader& units_;
};

// "twice", "tenfold"
std::optional<double> factor_word(std::string_view word);

} // namespace ringside
