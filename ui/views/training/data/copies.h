// How surely MinHash with bands takes two documents for copies of each other, by their similarity.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/data/state.h"

namespace ringside
{

void draw_copies(const Painter& painter, Rect area, DataState& state, Out& out);

inline constexpr double kMostRows = 40;
inline constexpr double kMostBands = 1000;

} // namespace ringside
