// Every dial of the scenario one notch down and one up: bars to the left where the step gets shorter, to the
// right where it gets longer, the widest on top. A press takes the notch.
#pragma once

#include "core/evaluate/sensitivity.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame.h"

namespace ringside
{

void draw_tornado(const Painter& painter, Rect area, const Sensitivity& all, Out& out);

} // namespace ringside
