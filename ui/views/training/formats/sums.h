// A small number added again and again: one addition between two neighbours, and the sum over all of them to
// nearest, at random, and exactly.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/formats/state.h"

namespace ringside
{

inline constexpr std::size_t kDraws = 64; // of which the mean is shown

void draw_sums_page(const Painter& painter, Rect area, FormatsState& state, const Frame& frame, Out& out);

} // namespace ringside
