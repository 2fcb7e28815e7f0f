// The lab's curves: loss with the breaks that turned knobs made, and the gradient's norm over the learning
// rate.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

// Under a heading in `head`.
void draw_loss(const Painter& painter, Rect head, Rect area, const LabFrame& lab);
void draw_gradient(const Painter& painter, Rect head, Rect area, const LabFrame& lab);

} // namespace ringside
