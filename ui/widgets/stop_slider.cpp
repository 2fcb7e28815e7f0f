#include "ui/widgets/stop_slider.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

std::size_t nearest(std::span<const double> values, double value)
{
    const auto at =
        std::min_element(values.begin(), values.end(),
                         [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
    return static_cast<std::size_t>(at - values.begin());
}

} // namespace

double stop_slider(const Painter& painter, Rect row, const Stops& stops, double value, TypedEntry& entry)
{
    const std::span<const double> values = stops.values;
    const std::size_t at = nearest(values, value);
    std::array<float, 16> ticks{};
    const auto last = static_cast<float>(values.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        ticks[i] = static_cast<float>(i) / last;
    }
    const SliderText words{stops.label, stops.shown, {ticks.data(), values.size()}};
    const SliderChange change = slider(painter, row, words, static_cast<float>(at) / last, entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return values[static_cast<std::size_t>(std::lround(change.position * last))];
    case SliderChange::Kind::stepped:
        return values[static_cast<std::size_t>(
            std::clamp(static_cast<int>(at) + change.steps, 0, static_cast<int>(values.size()) - 1))];
    case SliderChange::Kind::typed:
    {
        std::string text = change.text;
        std::erase(text, '%');
        const auto typed = parse_number(text);
        return typed ? std::clamp(*typed * stops.unit, values.front(), values.back()) : value;
    }
    case SliderChange::Kind::none:
        break;
    }
    return value;
}

} // namespace ringside
