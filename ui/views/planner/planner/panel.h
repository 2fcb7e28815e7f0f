// The planner's part of the panel: what to rank by, what may be used, and rejected layouts, by reason.
#pragma once

#include "ui/shell/layouts_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

// Changes the limits where something was pressed, and which rows are listed.
void draw_planner_panel(const Painter& painter, Rect area, const LayoutAnswer& answer, SearchLimits& limits,
                        bool& every, Out& out);

} // namespace ringside
