// Tokens on their way from the GPUs that hold them to the experts they chose, and what every expert gets
// against its capacity.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/views/parallelism/experts/runs.h"

#include <optional>

namespace ringside
{

struct SwarmMoment
{
    const RouterStep* from = nullptr; // the step whose tokens come back, before the middle
    const RouterStep* to = nullptr;   // the step whose tokens go out, behind it
    float between = 0;                // 0 to 1; whole steps stand at 0
};

struct SwarmWish
{
    std::optional<double> factor; // of the capacity, as the line was dragged
};

// `most` is the load the bars reach up to.
SwarmWish draw_swarm(const Painter& painter, Rect area, const ExpertRuns& runs, const SwarmMoment& moment,
                     double factor, double most);

} // namespace ringside
