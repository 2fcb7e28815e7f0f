// A hang that flight recorders wrote down: who hung, in which group and call, and what the others wait for.
#pragma once

#include "core/runs/run.h"
#include "ui/shell/view.h"

namespace ringside
{

void draw_recorded_hang(const Painter& painter, Rect area, const RunReading& run);
Caption recorded_hang_caption(const RunReading& run);

} // namespace ringside
