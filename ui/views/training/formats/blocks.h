// Numbers that share a scale: magnitudes as bars that are dragged, what is left of each in a block format,
// and all block formats beside each other.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/formats/state.h"

namespace ringside
{

void draw_blocks_page(const Painter& painter, Rect area, FormatsState& state);

} // namespace ringside
