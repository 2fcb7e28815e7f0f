// The picture of a step: three lanes on one time axis with the waiting hatched, and what is held whole below.
#pragma once

#include "core/performance/step_life.h"
#include "ui/widgets/timeline.h"

namespace ringside
{

struct StepStyle
{
    float label = 0;                               // left of the lanes [px]
    float pitch = 0;                               // height of a lane, gap included [px]
    double clock = 0;                              // [s] where the dashed line stands
    bool marked = false;                           // tasks at the clock are outlined
    std::optional<std::size_t> lit;                // the task under the mouse, and what it waited for
    std::array<std::string_view, kStepLanes> rate; // what each lane runs at
};

// Lanes on show: without tensor, context and expert parallelism theirs is left out.
std::size_t step_rows(const StepLife& life);

// Phases above, lanes below; as high as step_lanes_height(). Returns the task under the mouse.
std::optional<std::size_t> draw_step_lanes(const Painter& painter, Rect area, const StepLife& life,
                                           TimeWindow window, const StepStyle& style);
float step_lanes_height(const Painter& painter, const StepLife& life, float pitch);

// What the colours are, on one line or two; returns the height used.
float draw_step_legend(const Painter& painter, Rect area, const StepLife& life);

// Gathered weights, and gradients not yet reduced upon them.
void draw_held(const Painter& painter, Rect area, const StepLife& life, TimeWindow window);

// A reduce-scatter has the colour of its axis' gather, darker; an all-reduce is both.
Colour scatter_colour(const Theme& t, Axis axis);

} // namespace ringside
