// The five placements side by side.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/memory/offload/shelves.h"

#include <optional>

namespace ringside
{

float placements_height(const Painter& painter);
// Returns the one pressed.
std::optional<Offload> draw_placements(const Painter& painter, Rect area, const Shelves& shelves);

} // namespace ringside
