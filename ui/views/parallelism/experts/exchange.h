// The all-to-all as a matrix: what every GPU sends to every other.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/parallelism/experts/runs.h"

namespace ringside
{

struct ExchangeStyle
{
    bool back = false; // the way back from the experts, which is the transposed matrix
    Rect bounds;       // where a tip may lie
};

void draw_exchange(const Painter& painter, Rect area, const ExpertRuns& runs, const RouterStep& step,
                   const ExchangeStyle& style);

} // namespace ringside
