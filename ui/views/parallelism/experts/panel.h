// The router's settings, and what the scenario's experts weigh and send.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/views/parallelism/experts/runs.h"

namespace ringside
{

void draw_experts_panel(const Frame& frame, const Painter& painter, Rect area, RouterChoice& choice,
                        const ExpertRuns& runs, Out& out);

} // namespace ringside
