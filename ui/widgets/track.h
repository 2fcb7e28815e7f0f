// Where a slider goes and how its value is written: a range or stops, even or logarithmic. Every slider of
// the window stands on one, so that a drag, an arrow key and typing mean the same everywhere.
#pragma once

#include "ui/widgets/controls.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace ringside
{

using NumberText = std::string (*)(double);
std::string say_whole(double value); // "1 234"

struct Track
{
    double low = 0; // above 0 where logarithmic
    double high = 1;
    NumberText text = nullptr;
    double unit = 1; // of what is typed: 0.01 for percent
    bool logarithmic = false;
    bool whole = false;
    bool only_stops = false;            // what is typed goes to the nearest one, too
    std::span<const double> stops = {}; // at most 64; ascending, but for a last one that stands for no limit
    double step = 0;                    // what drags and arrow keys go by; 0: anywhere, and by a twentieth

    static constexpr Track even(double low, double high, NumberText text, double unit = 1)
    {
        return {low, high, text, unit};
    }
    static constexpr Track log(double low, double high, NumberText text, double unit = 1)
    {
        return {low, high, text, unit, true};
    }
    // Evenly spaced; what is typed may lie between them.
    static constexpr Track at(std::span<const double> stops, NumberText text, double unit = 1)
    {
        return {stops.front(), stops.back(), text, unit, false, false, false, stops};
    }
    static constexpr Track only_at(std::span<const double> stops, NumberText text, double unit = 1)
    {
        return {stops.front(), stops.back(), text, unit, false, false, true, stops};
    }
    // Where they lie on a logarithmic range. A value stays where it is while the stops change.
    static constexpr Track log_at(std::span<const double> stops, double low, double high)
    {
        return {low, high, nullptr, 1, true, false, false, stops};
    }
    // What may be typed beyond the stops.
    constexpr Track typed_from(double least, double most) const
    {
        Track wider = *this;
        wider.low = least;
        wider.high = most;
        return wider;
    }
    constexpr double clamped(double value) const { return std::clamp(value, low, high); }
    constexpr Track rounded() const
    {
        Track next = *this;
        next.whole = true;
        return next;
    }
};

// 0 to 1.
float share_of(const Track& track, double value);
// Where a drag or an arrow key takes a value.
double moved_to(const Track& track, double value, const SliderChange& change);
// What was typed, within the track; nothing where it is no number.
std::optional<double> typed_on(const Track& track, std::string text);

} // namespace ringside
