#include "core/base/scale.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<double> linear_ticks(const PlotAxis& axis, int most)
{
    const double step = round_step((axis.high - axis.low) / most);
    std::vector<double> ticks;
    for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + step * 1e-6; ++k)
    {
        ticks.push_back(k * step + 0.0); // never -0
    }
    return ticks;
}

std::vector<double> log_ticks(const PlotAxis& axis, int most)
{
    // One more than `most` still has room.
    const auto every = static_cast<int>(std::ceil(std::log10(axis.high / axis.low) / (most + 1)));
    std::vector<double> fine;
    std::vector<double> decades;
    for (int k = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10, k) <= axis.high; ++k)
    {
        for (const double part : {1.0, 2.0, 5.0})
        {
            const double v = part * std::pow(10, k);
            if (v < axis.low * (1 - 1e-9) || v > axis.high * (1 + 1e-9))
            {
                continue;
            }
            fine.push_back(v);
            if (part == 1 && k % every == 0)
            {
                decades.push_back(v);
            }
        }
    }
    return fine.size() <= static_cast<std::size_t>(most) + 1 ? fine : decades;
}

std::vector<double> binary_ticks(const PlotAxis& axis, int most)
{
    const auto first = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9));
    const auto last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
    std::vector<double> ticks;
    for (int k = first; k <= last; k += std::max(1, (last - first + most - 1) / most))
    {
        ticks.push_back(std::exp2(k));
    }
    return ticks;
}

// "10.0 ms" as "10 ms".
std::string without_end_zeros(std::string words)
{
    const std::size_t point = words.find('.');
    if (point != std::string::npos)
    {
        const std::size_t end = std::min(words.find_first_not_of("0123456789", point + 1), words.size());
        const std::size_t last = words.find_last_not_of('0', end - 1);
        const std::size_t kept = last == point ? point : last + 1;
        words.erase(kept, end - kept);
    }
    return words;
}

} // namespace

double PlotAxis::share(double value) const
{
    return scale != PlotScale::linear ? std::log(std::max(value, 1e-300) / low) / std::log(high / low)
                                      : (value - low) / (high - low);
}

double PlotAxis::at(double share) const
{
    return scale != PlotScale::linear ? low * std::pow(high / low, share) : low + (high - low) * share;
}

double PlotAxis::clamped(double value) const
{
    return std::clamp(value, low, std::max(low, high));
}

std::vector<double> axis_ticks(const PlotAxis& axis, int most)
{
    if (!(axis.high > axis.low))
    {
        return {};
    }
    if (!axis.ticks.empty())
    {
        std::vector<double> inside = axis.ticks;
        std::erase_if(inside, [&](double v) { return v < axis.low || v > axis.high; });
        return inside;
    }
    most = std::max(1, most);
    return axis.scale == PlotScale::linear ? linear_ticks(axis, most)
           : axis.scale == PlotScale::log2 ? binary_ticks(axis, most)
                                           : log_ticks(axis, most);
}

std::vector<std::string> axis_numbers(std::span<const double> ticks, const PlotAxis& axis)
{
    std::vector<std::string> all;
    std::vector<std::string> brief;
    for (const double v : ticks)
    {
        all.push_back(axis.words(v));
        brief.push_back(without_end_zeros(all.back()));
    }
    const bool whole = std::all_of(brief.begin(), brief.end(),
                                   [](const std::string& s) { return s.find('.') == std::string::npos; });
    return axis.scale != PlotScale::linear || whole ? brief : all;
}

std::string count_words(double value)
{
    const auto scaled = [&](double unit, const char* sign)
    { return plain_number(std::round(value / unit * 1000) / 1000) + sign; };
    return value >= 1e18   ? scaled(1e18, " E")
           : value >= 1e15 ? scaled(1e15, " P")
           : value >= 1e12 ? scaled(1e12, " T")
           : value >= 1e9  ? scaled(1e9, " B")
           : value >= 1e6  ? scaled(1e6, " M")
           : value >= 1e3  ? scaled(1e3, " k")
                           : plain_number(value);
}

std::string power_words(double value)
{
    return figure(value, 1);
}

std::string two_to_the(double exponent)
{
    constexpr std::array<std::string_view, 10> kRaised{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    if (exponent == 0)
    {
        return "1";
    }
    std::string words = exponent < 0 ? "2\u207b" : "2";
    for (const char digit : std::to_string(std::llround(std::abs(exponent))))
    {
        words += kRaised.at(static_cast<std::size_t>(digit - '0'));
    }
    return words;
}

} // namespace ringside
