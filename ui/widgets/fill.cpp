#include "ui/widgets/fill.h"

#include <cmath>

namespace ringside
{

Fill plain_fill(Colour colour)
{
    return {.ink = {colour}};
}

Fill idle_fill(const Theme& theme)
{
    return {.lines = theme.idle_hatch};
}

Fill waiting_fill(const Theme& theme)
{
    const Ink& ink = theme.data;
    return {.ink = {with_alpha(ink.fill, 0.16F)},
            .lines = ink.edge != 0 ? ink.edge : ink.fill,
            .hatch = kExposedHatch};
}

Fill overflow_fill(const Theme& theme)
{
    return {.lines = theme.warning, .hatch = kCoveredHatch};
}

void draw_fill(const Painter& painter, Rect r, const Fill& fill)
{
    Rect first = r;
    if (fill.half != 0)
    {
        painter.fill(fill.under ? first.cut_bottom(r.h - std::round(r.h * fill.share))
                                : first.cut_right(r.w - std::round(r.w * fill.share)),
                     fill.half);
    }
    if (fill.ink.fill != 0)
    {
        painter.fill(first, fill.ink.fill);
    }
    if (fill.lines != 0)
    {
        painter.hatch(r, fill.lines, fill.hatch);
    }
    if (fill.ink.edge != 0 && r.w > 3 && r.h > 3)
    {
        painter.outline(r, fill.ink.edge);
    }
}

void draw_swatch(const Painter& painter, Rect cell, const Fill& fill)
{
    const float side = painter.px(12);
    draw_fill(painter, {cell.x, cell.middle() - side / 2, side, side}, fill);
}

float draw_legend(const Painter& painter, Rect area, std::span<const LegendItem> items, int lines)
{
    const float box = painter.px(14);
    const float top = area.y;
    Rect row = area.cut_top(std::min(area.h, painter.px(28)));
    float x = row.x;
    for (const LegendItem& item : items)
    {
        const float w = box + painter.px(6) + painter.width(Type::small, item.name);
        if (x + w > row.right())
        {
            if (--lines <= 0 || x == row.x)
            {
                break;
            }
            row.y += painter.px(24);
            x = row.x;
        }
        const float high = painter.px(item.height);
        const Rect r{x, row.middle() - high / 2, box, high};
        item.box ? item.box(r) : draw_fill(painter, r, item.fill);
        if (!item.box && item.fill.ink.fill == 0 && item.fill.ink.edge == 0)
        {
            painter.outline(r, painter.theme.grid);
        }
        painter.text(x + box + painter.px(6), row.middle(), Type::small, painter.theme.text, item.name);
        x += w + painter.px(16);
    }
    return row.bottom() - top;
}

} // namespace ringside
