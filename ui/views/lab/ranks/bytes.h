// What a loss costs in bytes: the run that goes on and those before it, loss against what its rank has sent;
// below, what each sends in a step.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/team_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

// Nothing before the first step of any run.
void draw_bytes_page(const Painter& painter, Rect area, const TeamFrame& team);
Caption bytes_caption(const TeamFrame& team);

} // namespace ringside
