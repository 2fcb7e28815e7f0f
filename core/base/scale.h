// Numbers as a scale has them: powers of ten, steps of 1, 2 and 5, few digits, even ratios, and the nearest
// by ratio. Values and widths above 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <vector>

namespace ringside
{

// The largest power of ten that is not above `value`, the smallest that is not below it.
double decade_below(double value);
double decade_above(double value);
// To so many digits that count.
double rounded_to(double value, int digits);
// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least);
// `low` to `high` in so many steps of one ratio; both ends are in it.
std::vector<double> even_ratios(double low, double high, int steps);

// How far apart two are, as a logarithm.
inline double ratio_between(double a, double b)
{
    return std::abs(std::log(a / b));
}

// The entry whose number has the least ratio to `wanted`, the first of equals; the end of an empty range.
template <class Range, class Of = std::identity>
auto nearest_by_ratio(const Range& range, double wanted, Of of = {})
{
    return std::ranges::min_element(
        range, {},
        [&](const auto& entry)
        { return ratio_between(static_cast<double>(std::invoke(of, entry)), wanted); });
}

} // namespace ringside
