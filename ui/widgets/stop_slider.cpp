#include "ui/widgets/stop_slider.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// Of a value between two stops, the share of the track in between.
double place(std::span<const double> stops, double value)
{
    const auto above = std::ranges::lower_bound(stops, value);
    if (above == stops.begin() || above == stops.end())
    {
        return above == stops.begin() ? 0 : static_cast<double>(stops.size() - 1);
    }
    const double low = *(above - 1);
    return static_cast<double>(above - stops.begin() - 1) + (value - low) / (*above - low);
}

} // namespace

std::optional<double> stop_slider(const Painter& painter, Rect row, const char* label,
                                  const std::string& shown, std::span<const double> stops, double value,
                                  TypedEntry& entry, double typed_unit)
{
    if (stops.empty())
    {
        return std::nullopt;
    }
    std::array<float, 64> ticks{};
    const std::size_t count = std::min(stops.size(), ticks.size());
    const auto last = static_cast<double>(std::max<std::size_t>(1, stops.size() - 1));
    for (std::size_t i = 0; i < count; ++i)
    {
        ticks[i] = static_cast<float>(static_cast<double>(i) / last);
    }
    const double at = place(stops, value);
    const SliderChange change =
        slider(painter, row, {label, shown, {ticks.data(), count}}, static_cast<float>(at / last), entry);
    const auto stop = [&](double index) {
        return stops[static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(stops.size() - 1)))];
    };
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return stop(std::round(static_cast<double>(change.position) * last));
    case SliderChange::Kind::stepped:
        return stop(change.steps > 0 ? std::floor(at) + 1 : std::ceil(at) - 1);
    case SliderChange::Kind::typed:
    {
        std::string text = change.text;
        std::erase(text, '%');
        const auto typed = parse_number(text);
        return typed ? std::optional(std::clamp(*typed * typed_unit, stops.front(), stops.back()))
                     : std::nullopt;
    }
    case SliderChange::Kind::none:
        break;
    }
    return std::nullopt;
}

double stop_slider(const Painter& painter, Rect row, const Stops& stops, double value, TypedEntry& entry)
{
    return stop_slider(painter, row, stops.label, stops.shown, stops.values, value, entry, stops.unit)
        .value_or(value);
}

} // namespace ringside
