// An axis of a chart: where a value lies on it, its round values and how they are written.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

enum class PlotScale
{
    linear,
    log, // ticks at 1, 2, 5 or decades
    log2 // ticks at powers of two
};

using AxisWords = std::function<std::string(double)>; // of a number; null: no numbers and no grid

struct PlotAxis
{
    double low = 0; // above 0 when logarithmic
    double high = 1;
    PlotScale scale = PlotScale::linear;
    std::string title = {};
    AxisWords words = nullptr;
    std::vector<double> ticks = {}; // in place of round ones

    double share(double value) const; // 0 at low, 1 at high, beyond them outside
    double at(double share) const;
    double clamped(double value) const; // between low and high
};

// Round values inside the axis, at most about so many. None where high is not above low.
std::vector<double> axis_ticks(const PlotAxis& axis, int most);

// As they stand beside the axis: without zeros at their ends, but where a "2.00" stands beside a "1.95".
std::vector<std::string> axis_numbers(std::span<const double> ticks, const PlotAxis& axis);

// "8 B", "150 M", "1.5 T" without zeros at the end: parameters, tokens.
std::string count_words(double value);
// "1e21"
std::string power_words(double value);
// The power of two of an exponent: "2⁻¹⁴", "1" for 0; of whole ones only.
std::string two_to_the(double exponent);

} // namespace ringside
