// What a class guessed, put together: their middle and their histogram.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kMostGuesses = 1000;

// The median of a list that is not empty; the mean of the two in the middle.
double median(std::span<const double> values);

// How many lie no further from the truth than `share` of it.
std::size_t within(std::span<const double> values, double truth, double share);

// A histogram whose cells begin at round numbers.
struct GuessHistogram
{
    double from = 0;
    double width = 1; // of a cell: 1, 2 or 5 times a power of ten
    std::vector<std::size_t> counts;

    double to() const { return from + width * static_cast<double>(counts.size()); }
};
// Reaches over all values and the truth, where one is given, in at most `cells` cells.
GuessHistogram histogram(std::span<const double> values, std::optional<double> truth, std::size_t cells);

} // namespace ringside
