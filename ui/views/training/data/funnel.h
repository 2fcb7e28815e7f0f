// From a crawl to tokens: the published stages of one pipeline, and the run's passes over what is left.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/data/state.h"

namespace ringside
{

void draw_funnel(const Painter& painter, Rect area, DataState& state, const Frame& frame, Out& out);

} // namespace ringside
