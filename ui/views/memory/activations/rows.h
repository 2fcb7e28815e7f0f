// One layer's stored tensors: a strip of all of them, and the list below it with a bar for each.
//
// Bytes that are never written are cut off, with a break and their number, where they would leave the others
// no room.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/memory/activations/desk.h"

namespace ringside
{

// Sets what the mouse is over and what is picked.
void draw_layer_strip(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);
void draw_tensor_rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);

} // namespace ringside
