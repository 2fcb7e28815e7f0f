// The loss of the team so far, small, with a line where the strategy changed and a triangle where something
// went wrong.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/team_frame.h"

namespace ringside
{

void draw_team_loss(const Painter& painter, Rect area, const TeamSnapshot& run);

} // namespace ringside
