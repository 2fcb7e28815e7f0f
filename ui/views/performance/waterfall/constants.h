// Every constant of the step-time model with its value on the scenario's GPU and where it comes from.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"

namespace ringside
{

void draw_constants(const Frame& frame, const Painter& painter, Rect area);

} // namespace ringside
