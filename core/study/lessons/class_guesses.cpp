#include "core/study/lessons/class_guesses.h"

#include "core/base/scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

double median(std::span<const double> values)
{
    assert(!values.empty());
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const std::size_t n = sorted.size();
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

std::size_t within(std::span<const double> values, double truth, double share)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        values, [&](double v) { return std::abs(v - truth) <= share * std::abs(truth); }));
}

GuessHistogram histogram(std::span<const double> values, std::optional<double> truth, std::size_t cells)
{
    GuessHistogram h;
    if (values.empty() && !truth)
    {
        h.counts.assign(1, 0);
        return h;
    }
    double least = truth.value_or(values.empty() ? 0 : values.front());
    double most = least;
    for (const double v : values)
    {
        least = std::min(least, v);
        most = std::max(most, v);
    }
    const double wide = most > least ? most - least : std::max(std::abs(most), 1.0) / 10;
    h.width = decade_below(wide / static_cast<double>(cells));
    const auto count = [&](double width) { return std::floor(most / width) - std::floor(least / width) + 1; };
    for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0})
    {
        if (count(h.width * step) <= static_cast<double>(cells))
        {
            h.width *= step;
            break;
        }
    }
    h.from = std::floor(least / h.width) * h.width;
    h.counts.assign(static_cast<std::size_t>(count(h.width)), 0);
    for (const double v : values)
    {
        const auto cell = static_cast<std::size_t>(std::max(0.0, std::floor((v - h.from) / h.width)));
        ++h.counts[std::min(cell, h.counts.size() - 1)];
    }
    return h;
}

} // namespace ringside
