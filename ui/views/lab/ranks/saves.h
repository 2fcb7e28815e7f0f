// What checkpoints cost a training that really saves them: the last steps with what each save made them wait,
// and synchronous beside asynchronous saves, measured and predicted.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/team_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

void draw_saves_page(const Painter& painter, Rect area, const TeamFrame& team);
Caption saves_caption(const TeamFrame& team);

} // namespace ringside
