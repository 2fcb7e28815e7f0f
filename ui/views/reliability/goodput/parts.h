// Where the wall clock of a run goes: every part's share, expected and in the run on show.
#pragma once

#include "ui/views/reliability/goodput/desk.h"

namespace ringside
{

float parts_height(const Painter& painter);
void draw_parts(const Painter& painter, Rect area, const RunDesk& desk, double now);

} // namespace ringside
