// A slider over a short list of numbers: it drags and steps from one to the next, and any number between the
// ends may be typed.
#pragma once

#include "ui/widgets/controls.h"

namespace ringside
{

struct Stops
{
    const char* label;
    std::string shown;
    std::span<const double> values; // ascending, 2 to 16
    double unit = 1;                // of what is typed: 0.01 for percent
};

// The value it stands at afterwards.
double stop_slider(const Painter& painter, Rect row, const Stops& stops, double value, TypedEntry& entry);

} // namespace ringside
