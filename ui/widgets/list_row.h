// The ground of a row in a list one entry of which is chosen.
#pragma once

#include "ui/widgets/painter.h"

namespace ringside
{

inline void list_row(const Painter& p, Rect row, bool chosen, bool hovered)
{
    if (chosen || hovered)
    {
        p.fill(row, chosen ? p.theme.raised : p.theme.control, p.px(4));
    }
    if (chosen)
    {
        p.fill({row.x, row.y + p.px(4), p.px(3), row.h - p.px(8)}, p.theme.text);
    }
}

} // namespace ringside
