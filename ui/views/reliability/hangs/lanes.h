// Every rank's calls on a lane, numbered as its flight recorder numbers them; what waits is hatched.
#pragma once

#include "core/reliability/hang.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

struct HangLanesStyle
{
    double now = 0;                     // [s] of the run; what comes later is not drawn
    std::optional<std::size_t> accused; // rank
    bool revealed = false;              // the culprit's call is marked
    bool timing = true;                 // start events are recorded
};

// The rank whose lane was pressed.
std::optional<std::size_t> draw_hang_lanes(const Painter& painter, Rect area, const HangCase& hang,
                                           const HangLanesStyle& style);
// What the lanes show [s]: the second step, since the first is like it and in order.
double hang_start(const HangCase& hang);
double hang_window(const HangCase& hang); // the end
const Ink& ink_of(const Theme& theme, CallGroup group);

} // namespace ringside
