// From a crawl to tokens: the published stages of one pipeline, and the run's passes over what is left.
#pragma once

#include "ui/views/data/state.h"
#include "ui/widgets/painter.h"

namespace ringside
{

void draw_funnel(const Painter& painter, Rect area, DataState& state, const Frame& frame, Out& out);

} // namespace ringside
