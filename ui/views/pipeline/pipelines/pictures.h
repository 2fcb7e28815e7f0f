// The parts of the view of schedules: the legend, the panel's table, what one stage stores over time, and the
// words.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/pipeline/pipelines/rows.h"

namespace ringside
{

struct PipelineLegend
{
    bool counts_stored = false;                   // numbers beside the lanes
    std::optional<std::int32_t> micro_batch = {}; // whose path is lit
    bool chunks = false;                          // some stage holds more than one
};
// As many of its items as the row has room for, the most needed first.
void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend);

// A column a schedule. Takes what it needs from the top of `area`. `message`: what passes from stage to stage
// for one micro-batch.
void draw_compare(const Painter& painter, Rect& area, const std::vector<PipelineRow>& rows, Bytes message);

// What a stage stores under one schedule.
struct InFlightCurve
{
    std::string name; // "ZB-H1"
    std::vector<StashStep> steps;
    double bytes = 0; // [B] of one micro-batch on the stage; 0: not known
};
std::vector<InFlightCurve> in_flight_curves(const Frame& frame, const std::vector<PipelineRow>& rows,
                                            std::size_t stage);
void draw_in_flight(const Painter& painter, Rect area, TimeWindow window,
                    const std::vector<InFlightCurve>& curves, std::size_t stage);

// "t = 14.5 under 1F1B: stage 0 runs F5; stage 1 waits for I3 of stage 2."
std::string what_happens(const PipelineRow& row, double t);
// The scenario's schedule against the fastest compared with it; the slowest stage where stages are uneven.
std::string compare_in_words(const Frame& frame, const std::vector<PipelineRow>& rows);
// The scenario's bubble with its formula, and where they come from.
Caption bubble_formula(const Frame& frame);

} // namespace ringside
