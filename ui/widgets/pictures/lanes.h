// A pipeline's timeline as lanes: one row a rank, operations as blocks, idle time hatched. Any zoom, any
// number of events.
//
// Where operations are narrower than three pixels, a lane is drawn by the pixel column in the mixture of
// what runs there (core/pipeline/density.h); columns are kept until the zoom changes.
#pragma once

#include "core/pipeline/density.h"
#include "ui/widgets/pictures/timeline.h"

namespace ringside
{

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
    float pitch = 0;                          // height of a lane, gap included [px]
    float label_width = 72;                   // [design px] left of the lanes
    std::optional<std::int32_t> lit = {};     // this micro-batch's path is lit, everything else dimmed
    std::span<const std::size_t> path = {};   // its operations, see path_of()
    std::optional<double> now = {};           // what runs at this moment is outlined, what is kept is counted
    std::optional<std::size_t> chosen = {};   // rank whose name is marked
    std::span<const std::string> labels = {}; // the lanes' names; empty: those of stages
    float strip = 0;                          // below each lane, left free for the caller [px]
    bool numbers = true;                      // of micro-batches, in the operations
};

// Share of a whole backward that computes input gradients.
double input_share(const StageTimes& times);

// Draws the lanes into `area` (its height: pitch x ranks). Returns the event under the mouse.
std::optional<std::size_t> draw_lanes(const Painter& painter, Rect area, const Lanes& lanes,
                                      TimeWindow window, const LanesStyle& style);

// Whether every operation has room for the number of its micro-batch: views of several timelines number all
// or none.
bool numbers_fit(const Painter& painter, float width, const Lanes& lanes, TimeWindow window);

// "forward 3 on stage 1", with the virtual stage where that is another.
std::string say_event(const Timeline& timeline, const Event& event);
// "waited for forward 3 on stage 0, done at 12", or why it did not.
std::string say_why(const Timeline& timeline, const Event& event);
// The event under the mouse: times, what it waited for.
void lane_tip(const Painter& painter, Rect bounds, const Timeline& timeline, std::size_t event);

} // namespace ringside
