#include "ui/shell/guide/spotlight.h"

#include "ui/draw/sketch.h"
#include "ui/draw/transcript.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::string_view kCovered = "hidden until you predict";

// Triangles that lie inside `r` become points.
void erase_inside(ImDrawList& list, Rect r, int first)
{
    const auto inside = [&](const ImDrawVert& v)
    {
        constexpr float kEdge = 1; // smoothed edges reach a pixel further
        return v.pos.x >= r.x - kEdge && v.pos.x <= r.right() + kEdge && v.pos.y >= r.y - kEdge &&
               v.pos.y <= r.bottom() + kEdge;
    };
    // Indices count from their command's offset; one offset ends where the next begins.
    for (const ImDrawCmd& command : list.CmdBuffer)
    {
        const int from = std::max(first, static_cast<int>(command.IdxOffset));
        const int to = &command == &list.CmdBuffer.back()
                           ? list.IdxBuffer.Size
                           : static_cast<int>(command.IdxOffset + command.ElemCount);
        for (int i = static_cast<int>(command.IdxOffset); i + 2 < to; i += 3)
        {
            ImDrawIdx* index = &list.IdxBuffer[i];
            const auto vertex = [&](int k) -> const ImDrawVert&
            { return list.VtxBuffer[static_cast<int>(command.VtxOffset + index[k])]; };
            if (i >= from && inside(vertex(0)) && inside(vertex(1)) && inside(vertex(2)))
            {
                index[1] = index[2] = index[0];
            }
        }
    }
}

void cover(const Painter& painter, Rect r)
{
    const Theme& t = painter.theme;
    painter.fill(r, t.control, painter.px(4));
    painter.hatch(r, t.raised, kCoveredHatch);
    painter.outline(r, t.line, 1, painter.px(4));
    const float w = painter.width(Type::small_strong, kCovered) + painter.px(32);
    const float h = painter.px(36);
    if (r.w > w + painter.px(16) && r.h > h + painter.px(8))
    {
        const Rect plate{r.centre() - w / 2, r.middle() - h / 2, w, h};
        painter.fill(plate, t.window, painter.px(8));
        painter.outline(plate, t.line, 1, painter.px(8));
        painter.text(plate.centre(), plate.middle(), Type::small_strong, t.text, kCovered, Align::centre);
    }
    else if (r.h >= painter.height(Type::small_strong) && r.w > painter.px(16))
    {
        painter.text(r.centre(), r.middle(), Type::small_strong, t.text, "?", Align::centre);
    }
}

// Parts side by side or in a column become one, so that their single lengths cannot be compared.
void join(std::vector<Rect>& covered, Rect r, float gap)
{
    const auto near = [&](float a, float b) { return std::abs(a - b) <= gap; };
    for (Rect& c : covered)
    {
        const bool beside =
            near(c.y, r.y) && near(c.h, r.h) && (near(c.right(), r.x) || near(r.right(), c.x));
        const bool below =
            near(c.x, r.x) && near(c.w, r.w) && (near(c.bottom(), r.y) || near(r.bottom(), c.y));
        if (beside || below)
        {
            const float x = std::min(c.x, r.x);
            const float y = std::min(c.y, r.y);
            c = {x, y, std::max(c.right(), r.right()) - x, std::max(c.bottom(), r.bottom()) - y};
            return;
        }
    }
    covered.push_back(r);
}

} // namespace

void cover_parts(const Painter& painter, const std::vector<NamedPart>& parts,
                 const std::vector<std::string>& names, int first)
{
    std::vector<Rect> covered;
    for (const NamedPart& part : parts)
    {
        if (std::find(names.begin(), names.end(), part.name) != names.end())
        {
            join(covered, part.rect, painter.px(2));
            erase_inside(painter.list.raw, part.rect, first);
            if (painter.look.sketch != nullptr)
            {
                painter.look.sketch->erase_inside(part.rect.min(), part.rect.max());
            }
            if (painter.look.transcript != nullptr)
            {
                painter.look.transcript->erase_inside(part.rect);
            }
        }
    }
    for (const Rect& r : covered)
    {
        cover(painter, r);
    }
}

Rect bounds_of(const std::vector<NamedPart>& parts, std::string_view name)
{
    Rect all;
    for (const NamedPart& part : parts)
    {
        if (part.name != name || part.rect.w <= 0 || part.rect.h <= 0)
        {
            continue;
        }
        const Rect r = part.rect;
        const float left = all.w > 0 ? std::min(all.x, r.x) : r.x;
        const float top = all.w > 0 ? std::min(all.y, r.y) : r.y;
        all = {left, top, std::max(all.right(), r.right()) - left, std::max(all.bottom(), r.bottom()) - top};
    }
    return all;
}

void ring_part(const Painter& painter, Rect area, const std::vector<NamedPart>& parts, std::string_view name,
               float strength)
{
    const Rect part = bounds_of(parts, name);
    if (part.w <= 0)
    {
        return;
    }
    const float gap = painter.px(6);
    const float x = std::max(part.x - gap, area.x - painter.px(10));
    const float y = std::max(part.y - gap, area.y - painter.px(2));
    const Rect ring{x, y, std::min(part.right() + gap, area.right() + painter.px(10)) - x,
                    std::min(part.bottom() + gap, area.bottom()) - y};
    const Colour veil = with_alpha(painter.theme.window, 0.55F * strength);
    const float all = area.right() + painter.px(12);
    const float from = area.x - painter.px(12);
    painter.fill({from, area.y, all - from, ring.y - area.y}, veil);
    painter.fill({from, ring.bottom(), all - from, area.bottom() - ring.bottom()}, veil);
    painter.fill({from, ring.y, ring.x - from, ring.h}, veil);
    painter.fill({ring.right(), ring.y, all - ring.right(), ring.h}, veil);
    painter.outline(ring, with_alpha(painter.theme.text, strength), painter.px(2), painter.px(8));
}

} // namespace ringside
