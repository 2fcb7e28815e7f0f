// Step time (or what it costs) against memory, a point a layout: dots fit, crosses beyond the capacity do
// not, and a line joins what nothing beats in both.
#pragma once

#include "core/planner/layout_search.h"
#include "ui/draw/painter.h"
#include "ui/shell/layouts_frame.h"

namespace ringside
{

struct PlannerChartFrame
{
    const LayoutAnswer& answer;
    const Candidate& now;
    const Candidate* before;      // A of a comparison; null when off
    std::optional<Candidate> lit; // pointed at elsewhere
    bool live;                    // points can be pressed
};

struct PlannerChartEvent
{
    std::optional<Candidate> hovered;
    bool clicked = false;
};

PlannerChartEvent draw_planner_chart(const Painter& painter, Rect area, const PlannerChartFrame& frame);

} // namespace ringside
