// Everything of ours that reads what strangers wrote, as functions of bytes. A target must return, whatever
// it is given: no crash, no exception, no refusal without a word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::fuzz
{

struct Target
{
    std::string_view name; // also of its folder in tests/fuzz/corpus
    void (*feed)(std::string_view bytes);
    std::vector<std::string> (*seeds)(); // good inputs to begin from, beside the corpus
    int runs;                            // mutations of a test run; fewer where one takes long
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);

} // namespace ringside::fuzz
