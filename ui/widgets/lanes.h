// A timeline as lanes (Gantt): one row a rank, operations as blocks, idle time hatched. Any zoom, any number
// of events.
#pragma once

#include "core/schedule/density.h"
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

// What each pixel column of each lane is busy with, kept from frame to frame while the view does not zoom.
struct LaneColumns
{
    double from = 0;
    double to = 0;
    std::size_t count = 0;
    std::vector<std::vector<Shares>> ranks;
};

// A timeline with what drawing it needs beside.
struct Lanes
{
    const Timeline* timeline = nullptr;
    const Density* density = nullptr; // of the timeline
    double input_share = 0.5;         // of a whole backward that computes input gradients
    LaneColumns* columns = nullptr;   // owned by the view; null: found anew in every frame
    double weight = 1;                // of one operation in what is kept: 1/v where a stage is v chunks
    std::size_t stages = 0;           // of the pipeline that the lanes are; 0: one a lane
};

struct LanesStyle
{
    float pitch = 0;                        // height of a lane, gap included [px]
    float label_width = 72;                 // [design px] left of the lanes
    std::optional<std::int32_t> lit = {};   // this micro-batch's path is lit, everything else dimmed
    std::span<const std::size_t> path = {}; // its operations, see path_of()
    std::optional<double> now = {};         // what runs at this moment is outlined, what is kept is counted
    std::optional<std::size_t> chosen = {}; // rank whose name is marked
    bool names = true;
    std::span<const std::string> labels = {}; // the lanes' names; empty: those of stages
    float strip = 0;                          // below each lane, left free for the caller [px]
};

// Space between two lanes, part of their pitch.
float lane_gap(const Painter& painter, float pitch);

// Share of a whole backward that computes input gradients.
double input_share(const StageTimes& times);

// Lane heights that fill `height`, at most `most` design pixels each, gap included.
float lane_pitch(const Painter& painter, float height, std::size_t ranks, float most = 36);

// Draws the lanes into `area` (its height: pitch x ranks). Returns the event under the mouse.
std::optional<std::size_t> draw_lanes(const Painter& painter, Rect area, const Lanes& lanes,
                                      TimeWindow window, const LanesStyle& style);

// "forward 3 on stage 1", with the virtual stage where that is another.
std::string say_event(const Timeline& timeline, const Event& event);
// "waited for forward 3 on stage 0, done at 12", or why it did not.
std::string say_why(const Timeline& timeline, const Event& event);
// The event under the mouse: times, what it waited for.
void lane_tip(const Painter& painter, Rect bounds, ImVec2 at, const Timeline& timeline, std::size_t event);

// Ticks and numbers below the lanes.
void draw_time_axis(const Painter& painter, Rect area, TimeWindow window);

} // namespace ringside
