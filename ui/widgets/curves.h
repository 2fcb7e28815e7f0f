// Values over the steps of a run, several curves named at their right end, and the step on show.
#pragma once

#include "ui/widgets/painter.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

enum class CurveStyle
{
    chosen, // what is on show
    other,  // the same the other way
    base    // dashed, what both are compared with
};

struct Curve
{
    std::string name; // "with feedback"
    std::string says; // its last value
    std::vector<float> values;
    CurveStyle style = CurveStyle::other;
};

struct CurveChart
{
    std::string_view title;
    std::string_view unit; // beside the title
    std::string_view id;   // for the mouse
    float most = 1;        // what is larger is drawn at the top
    std::size_t step = 0;  // on show
    Colour ink = 0;        // of what is chosen; 0: the gradients'
};

// The step that is pressed, if any: dragging in the chart moves the clock.
std::optional<std::size_t> draw_curves(const Painter& painter, Rect area, const CurveChart& chart,
                                       std::span<const Curve> curves);

} // namespace ringside
