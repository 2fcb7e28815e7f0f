// The panel of the optimizer view: page, and what each page can be set to.
#pragma once

#include "ui/views/optimizer/state.h"
#include "ui/widgets/painter.h"

namespace ringside
{

void draw_optimizer_panel(const Painter& painter, Rect area, OptimizerState& state, const Frame& frame);

} // namespace ringside
