// In the status strip while an animation goes into a file: how far it is, and what stops it.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"

namespace ringside
{

// Takes its place off the left of `area`. Only while Frame::saving is there.
void draw_saving(const Frame& frame, const Painter& painter, Rect& area, Out& out);

} // namespace ringside
