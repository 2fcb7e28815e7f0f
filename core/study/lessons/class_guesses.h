// What a class guessed, put together: numbers as they are called out, their middle and their histogram.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kMostGuesses = 1000;
inline constexpr double kLargestGuess = 1e15;

// "12 15.5 1e3": numbers with spaces or semicolons between. An Issue for a word that is
// none, or too large a one.
Result<std::vector<double>> read_guesses(std::string_view text, std::string_view unit = "");
// A guess as a person types it, in the unit it is shown in: "1.1TB" of GB is 1100, "37" and "37%" of %
// are 37. Read as typed answers are (answer.h); nothing for another quantity.
std::optional<double> read_guess(std::string_view text, std::string_view unit);

// Of a list that is not empty; of the two in the middle the mean.
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
