// The panel of the optimizer view: page, and what each page can be set to.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/optimizer/state.h"

namespace ringside
{

void draw_optimizer_panel(const Painter& painter, Rect area, OptimizerState& state, const Frame& frame,
                          Out& out);

} // namespace ringside
