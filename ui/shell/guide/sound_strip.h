// While sound is on: that it is, how loud, and what is heard, for those who do not hear it. Below the
// picture.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/view.h"

namespace ringside
{

// [design px] of the picture's height; 0 while sound is off.
float sound_strip_height(const Frame& frame);
void draw_sound_strip(const Frame& frame, const Painter& painter, Rect area, const View& view, Out& out);

} // namespace ringside
