// One answer as a person types it, for a question of the bank.
#pragma once

#include <string_view>

namespace ringside::test
{

enum class Wanted
{
    right,
    wrong,  // graded as wrong, or not graded
    refused // another quantity: not graded
};

// In `text`, {D} is the key divided by the number D, {D,} with commas in its thousands, {%} in percent;
// {h}, {mm}, {m}, {s} and {m:s} are parts of a key in seconds.
struct TypedRow
{
    std::string_view question; // drawn with seed 1
    std::string_view text;
    Wanted wanted;
};

} // namespace ringside::test
