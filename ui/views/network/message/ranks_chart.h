// What grows with the number of ranks and what does not: bytes each sends, and steps, for every algorithm.
#pragma once

#include "core/network/collective/cost.h"
#include "ui/draw/painter.h"

namespace ringside
{

void draw_ranks_chart(const Painter& painter, Rect area, CollectiveKind kind, std::int64_t ranks,
                      bool switches_add);

} // namespace ringside
