// Attention cut by heads: which query heads and which key/value heads lie on which GPU of a tensor group.
#pragma once

#include "core/parallelism/tensor/plan.h"
#include "ui/draw/painter.h"

namespace ringside
{

float heads_height(const Painter& painter);
void draw_heads(const Painter& painter, Rect area, const TensorPlan& plan);

} // namespace ringside
