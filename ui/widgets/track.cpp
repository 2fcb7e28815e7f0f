#include "core/base/text/text.h"
#include "ui/widgets/controls.h"

#include <cmath>

namespace ringside
{

namespace
{

// Evenly spaced stops are told apart by their index, those on a logarithmic range by where they lie.
bool by_index(const Track& t)
{
    return !t.stops.empty() && !t.logarithmic;
}

// Among the stops, in steps from the first; between two of them where the value is.
double index_of(std::span<const double> stops, double value)
{
    const auto exact = std::ranges::find(stops, value);
    if (exact != stops.end())
    {
        return static_cast<double>(exact - stops.begin());
    }
    const auto above = std::ranges::lower_bound(stops, value);
    if (above == stops.begin() || above == stops.end())
    {
        return above == stops.begin() ? 0 : static_cast<double>(stops.size() - 1);
    }
    const double low = *(above - 1);
    return static_cast<double>(above - stops.begin() - 1) + (value - low) / (*above - low);
}

double stop_at(std::span<const double> stops, double index)
{
    return stops[static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(stops.size() - 1)))];
}

double dragged_to(const Track& t, double share)
{
    if (by_index(t))
    {
        return stop_at(t.stops, std::round(share * static_cast<double>(t.stops.size() - 1)));
    }
    if (!t.stops.empty())
    {
        return *std::ranges::min_element(
            t.stops, {},
            [&](double stop) { return std::abs(static_cast<double>(share_of(t, stop)) - share); });
    }
    const double far = (t.high - t.low) * share;
    return t.logarithmic ? t.low * std::pow(t.high / t.low, share)
                         : t.low + (t.step > 0 ? std::round(far / t.step) * t.step : far);
}

double stepped_to(const Track& t, double value, int steps)
{
    if (!t.stops.empty())
    {
        const double at = index_of(t.stops, value);
        constexpr double kSame = 1e-6; // of a step: the value lies on the stop
        return stop_at(t.stops, steps > 0 ? std::floor(at + kSame) + 1 : std::ceil(at - kSame) - 1);
    }
    const double far = t.logarithmic ? value * (steps > 0 ? 0.25 : 0.2)
                       : t.step > 0  ? t.step
                                     : (t.high - t.low) / 20;
    const double by = t.whole ? std::max(1.0, std::round(far)) : far;
    return std::clamp(value + (steps > 0 ? by : -by), t.low, t.high);
}

} // namespace

std::string say_whole(double value)
{
    return grouped(std::llround(value));
}

float share_of(const Track& t, double value)
{
    if (by_index(t))
    {
        const auto last = static_cast<double>(std::max<std::size_t>(2, t.stops.size()) - 1);
        return static_cast<float>(index_of(t.stops, value) / last);
    }
    const double inside = std::clamp(value, t.low, t.high);
    const double all = t.logarithmic ? std::log(t.high / t.low) : t.high - t.low;
    const double far = t.logarithmic ? std::log(inside / t.low) : inside - t.low;
    return all > 0 ? static_cast<float>(far / all) : 0.0F;
}

double moved_to(const Track& t, double value, const SliderChange& change)
{
    const bool dragged = change.kind == SliderChange::Kind::dragged;
    const bool stepped = change.kind == SliderChange::Kind::stepped;
    const double to = dragged   ? dragged_to(t, std::clamp(static_cast<double>(change.position), 0.0, 1.0))
                      : stepped ? stepped_to(t, value, change.steps)
                                : value;
    return t.whole && (dragged || stepped) ? std::round(to) : to;
}

std::optional<double> typed_on(const Track& t, std::string text)
{
    std::erase(text, '%');
    const auto typed = parse_number(text);
    if (!typed)
    {
        return std::nullopt;
    }
    const double wanted = *typed * t.unit;
    const double to =
        t.only_stops ? *std::ranges::min_element(t.stops, {}, [&](double s) { return std::abs(s - wanted); })
                     : std::clamp(wanted, t.low, t.high);
    return t.whole ? std::round(to) : to;
}

} // namespace ringside
