// One reader over time: a lane for each worker, one for the GPUs, and the queue between them below.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/data/state.h"

namespace ringside
{

// Up to `now` [s]. Moves the plan in `state` where a grip is dragged.
void draw_feed(const Painter& painter, Rect area, DataState& state, const FeedDesk& desk, double now,
               Out& out);

} // namespace ringside
