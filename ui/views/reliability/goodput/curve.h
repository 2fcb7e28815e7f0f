// What an interval between checkpoints costs: saving, work lost, and all of it; the interval is dragged.
#pragma once

#include "ui/views/reliability/goodput/desk.h"

namespace ringside
{

// The interval that is asked for [s]; 0: the best there is.
std::optional<double> draw_interval_curve(const Painter& painter, Rect area, const RunDesk& desk);

} // namespace ringside
