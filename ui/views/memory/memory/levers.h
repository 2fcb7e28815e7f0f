// What would free memory, as cards beside the bars.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"

#include <optional>

namespace ringside
{

// Pressing one applies it. `pointed_at` is the one under the mouse or the keyboard, where there is one.
void draw_levers(const Frame& frame, const Painter& painter, Rect area,
                 std::optional<std::size_t>& pointed_at, Out& out);

} // namespace ringside
