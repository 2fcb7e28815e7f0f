// The sign at the end of a title row that opens the key help.
#pragma once

#include "ui/widgets/controls.h"

namespace ringside
{

// Cut off the right of `row`, with the gap before it. True when pressed.
inline bool help_key(const Painter& p, Rect& row)
{
    const Rect help = row.cut_right(p.px(24));
    row.cut_right(p.px(16));
    const bool pressed =
        press(p, {help.x, help.middle() - p.px(12), help.w, p.px(24)}, "?###help", 4).clicked;
    tooltip(p, "Every key (?)");
    p.keycap(help.x, help.middle(), "?");
    return pressed;
}

} // namespace ringside
