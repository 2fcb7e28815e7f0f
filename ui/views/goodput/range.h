// A slider over a range of a number that is the view's own.
#pragma once

#include "ui/widgets/controls.h"

namespace ringside
{

struct Range
{
    const char* label;
    std::string shown;
    double low; // above 0 where logarithmic
    double high;
    bool logarithmic;
    double unit; // of what is typed
};

// The value after a drag, a step or typing; the same one when nothing happened.
double slide(const Painter& painter, Rect row, const Range& range, double value, TypedEntry& entry);

} // namespace ringside
