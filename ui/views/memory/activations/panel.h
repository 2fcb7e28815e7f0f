// The panel's lower part beside the stored tensors: shape and length, order of the list, and what cutting by
// tensor parallelism leaves.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/memory/activations/desk.h"

namespace ringside
{

void draw_activations_panel(const Painter& painter, Rect area, const Frame& frame, const ShapeStops& stops,
                            ActivationsState& state, Out& out);

} // namespace ringside
