// What one stage keeps over time, under several schedules, as steps on a common time axis.
#pragma once

#include "core/schedule/simulate.h"
#include "ui/widgets/lanes.h"

#include <span>
#include <string>

namespace ringside
{

struct StashCurve
{
    std::string name;  // "ZB-H1"
    std::string holds; // "up to 4, 11.2 GB"
    std::vector<StashStep> steps;
};

// The last curve is filled, the others are lines, dashed in different lengths; every one is named where it is
// highest.
void draw_stash_chart(const Painter& painter, Rect chart, TimeWindow window,
                      std::span<const StashCurve> curves);

} // namespace ringside
