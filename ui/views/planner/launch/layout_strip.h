// The layout that a launch file says, as a strip: a box per replica, its stages as columns, the ranks of a
// stage as rows.
#pragma once

#include "core/scenario/scenario.h"
#include "ui/draw/painter.h"

namespace ringside
{

// Replicas that have no room are counted at the end; rows and columns that are too thin stand for several.
void draw_layout_strip(const Painter& painter, Rect area, const Scenario& scenario);

} // namespace ringside
