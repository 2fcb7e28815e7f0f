// One layer's stored tensors: a strip of all of them, and the list below it with a bar for each.
#pragma once

#include "ui/views/activations/desk.h"
#include "ui/widgets/painter.h"

namespace ringside
{

// Sets what the mouse is over and what is picked.
void draw_layer_strip(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);
void draw_tensor_rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);

} // namespace ringside
