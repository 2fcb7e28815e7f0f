// A timeline as lanes (Gantt): one row a rank, operations as blocks, idle time hatched. Any zoom, any number
// of events.
#pragma once

#include "core/schedule/simulate.h"
#include "ui/widgets/painter.h"

#include <optional>

namespace ringside
{

// The stretch of time that fills the width.
struct TimeWindow
{
    double from = 0;
    double to = 1;

    float x(Rect area, double t) const
    {
        return area.x + static_cast<float>((t - from) / (to - from)) * area.w;
    }
    double t(Rect area, float at) const
    {
        return from + (to - from) * static_cast<double>((at - area.x) / std::max(1.0F, area.w));
    }
};

struct LanesStyle
{
    float pitch = 0;                                  // height of a lane, gap included [px]
    float label_width = 72;                           // [design px] left of the lanes
    std::optional<std::int32_t> lit_micro_batch = {}; // its path is lit, everything else dimmed
    bool names = true;
};

// Lane heights that fill `height`, at most `most` design pixels each, gap included.
float lane_pitch(const Painter& painter, float height, std::size_t ranks, float most = 36);

// Draws the lanes into `area` (its height: pitch x ranks). Returns the event under the mouse.
std::optional<std::size_t> draw_lanes(const Painter& painter, Rect area, const Timeline& timeline,
                                      const StageTimes& times, TimeWindow window, const LanesStyle& style);

// "Backward 3 on stage 1", "17 to 19", what it waited for.
void lane_tip(const Painter& painter, Rect bounds, ImVec2 at, const Timeline& timeline, std::size_t event,
              std::size_t ranks);

// Ticks and numbers below the lanes.
void draw_time_axis(const Painter& painter, Rect area, TimeWindow window);

} // namespace ringside
