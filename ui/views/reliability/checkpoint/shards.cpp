#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/reliability/checkpoint/pictures.h"
#include "ui/widgets/cell_grid.h"
#include "ui/widgets/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Ranks as boxes: tensor and data across, stages down. A box shows what its rank holds, however little it is.
class Grid
{
public:
    Grid(const Painter& painter, Rect area, const ShardLayout& layout, std::int64_t units)
        : p_(painter), l_(layout), units_(units), cells_{area, layout.pipeline, layout.tensor * layout.data}
    {
        const Rect first = cells_.cell(0, 0);
        cells_.gap = std::min({p_.px(6), first.w * 0.15F, first.h * 0.2F});
    }

    Rect box(std::int64_t rank) const { return cells_.cell(rank / cells_.columns, rank % cells_.columns); }

    Rect place(const ShardPiece& piece, std::int64_t rank) const
    {
        const Rect b = box(rank);
        const std::int64_t tensor = rank % l_.tensor;
        const std::int64_t data = rank / l_.tensor % l_.data;
        const std::int64_t stage = rank / l_.tensor / l_.data;
        const auto cells = static_cast<double>(l_.cells());
        const auto cell = static_cast<double>(l_.sharded ? tensor * l_.data + data : tensor);
        const auto [first, last] = units_of_stage(units_, l_.pipeline, stage);
        const auto units = static_cast<float>(std::max<std::int64_t>(1, last - first));
        const auto x1 = static_cast<float>(piece.low * cells - cell);
        const auto x2 = static_cast<float>(piece.high * cells - cell);
        const float y1 = static_cast<float>(piece.first_unit - first) / units;
        const float y2 = static_cast<float>(piece.last_unit - first) / units;
        return {b.x + b.w * x1, b.y + b.h * y1, b.w * (x2 - x1), b.h * (y2 - y1)};
    }

    void draw_boxes() const
    {
        for (std::int64_t rank = 0; rank < l_.ranks(); ++rank)
        {
            p_.fill(box(rank), p_.theme.panel);
        }
    }

    // All of them, or none where the last has no room.
    void draw_names() const
    {
        const float h = p_.height(Type::mono_small);
        const float widest = p_.width(Type::mono_small, std::to_string(l_.ranks() - 1));
        const Rect last = box(l_.ranks() - 1);
        const bool named = widest + p_.px(4) < last.w && h + p_.px(4) < last.h;
        for (std::int64_t rank = 0; rank < l_.ranks(); ++rank)
        {
            const Rect b = box(rank);
            p_.outline(b, p_.theme.line, 1);
            if (named)
            {
                const std::string name = std::to_string(rank);
                const float w = p_.width(Type::mono_small, name) + p_.px(4);
                p_.fill({b.centre() - w / 2, b.middle() - h / 2, w, h}, p_.theme.window, p_.px(3));
                p_.text(b.centre(), b.middle(), Type::mono_small, p_.theme.text, name, Align::centre);
            }
        }
    }

private:
    const Painter& p_;
    const ShardLayout& l_;
    std::int64_t units_;
    CellGrid cells_;
};

// "TP 8 x PP 4 x 2 of 8 shards", where the picture has room for a part of `whole` only.
std::string say_layout(const ShardLayout& l, const ShardLayout& whole)
{
    const auto some = [](std::int64_t n, std::int64_t all)
    { return n < all ? fmt::format("{} of {}", n, all) : std::to_string(n); };
    return fmt::format("TP {} \u00d7 PP {}{}", some(l.tensor, whole.tensor), some(l.pipeline, whole.pipeline),
                       whole.data > 1 ? fmt::format(" \u00d7 {} {}", some(l.data, whole.data),
                                                    l.sharded ? "shards" : "replicas")
                                      : "");
}

Rect between(Rect a, Rect b, float t)
{
    const auto mixed = [t](float from, float to) { return from + (to - from) * t; };
    return {mixed(a.x, b.x), mixed(a.y, b.y), mixed(a.w, b.w), mixed(a.h, b.h)};
}

void draw_piece_card(const Painter& p, Rect room, const ShardPiece& piece, Bytes size)
{
    const std::vector<TipLine> lines{
        {"bytes", format_bytes(size, p.look.unit), 0},
        {"layers", fmt::format("{} to {}", piece.first_unit, piece.last_unit - 1), 0},
        {"of each tensor", fmt::format("{} to {}", format_percent(piece.low), format_percent(piece.high)),
         0}};
    tip_card(p, room, ImGui::GetIO().MousePos,
             piece.stays() ? fmt::format("Stays on rank {}", piece.to)
                           : fmt::format("Rank {} to rank {}", piece.from, piece.to),
             lines);
}

} // namespace

void draw_reshard(const Painter& p, Rect area, const ShardMove& move, double share)
{
    const Theme& t = p.theme;
    if (area.h < p.px(70) || area.w < p.px(200))
    {
        return;
    }
    const Rect head = area.cut_top(p.px(26));
    const float gap = std::clamp(area.w * 0.08F, p.px(24), p.px(90));
    Rect left{area.x, area.y, (area.w - gap) / 2, area.h};
    Rect right{area.x + left.w + gap, area.y, left.w, area.h};
    draw_chart_title(p, {left.x, head.y, left.w, head.h}, "Saved: " + say_layout(move.from, move.whole));
    draw_chart_title(p, {right.x, head.y, right.w, head.h}, "Loaded: " + say_layout(move.to, move.to),
                     move.result.kept > 0 ? "hatched: stays on its rank" : "");
    p.arrow({left.right() + p.px(6), area.middle()}, {right.x - p.px(8), area.middle()}, t.muted, p.px(2));
    const Grid before(p, left, move.from, move.units);
    const Grid after(p, right, move.to, move.units);
    before.draw_boxes();
    after.draw_boxes();
    const float moved = ease(static_cast<float>(std::clamp(share, 0.0, 1.0)));
    const auto ranks = static_cast<std::size_t>(move.from.ranks());
    const auto colour = [&](const ShardPiece& piece)
    { return stage_colour(t, static_cast<std::size_t>(piece.from), std::max<std::size_t>(2, ranks)); };
    for (const ShardPiece& piece : move.result.pieces)
    {
        p.fill(before.place(piece, piece.from), with_alpha(colour(piece), 0.3F));
    }
    const ShardPiece* hovered = nullptr;
    for (const ShardPiece& piece : move.result.pieces)
    {
        const Rect there = after.place(piece, piece.to);
        const Rect now = piece.stays() ? there : between(before.place(piece, piece.from), there, moved);
        const Rect slice{now.x, now.y, std::max(1.0F, now.w - 1), std::max(1.0F, now.h - 1)};
        const bool underway = !piece.stays() && moved > 0 && moved < 1; // what it passes shows through
        p.fill(slice, with_alpha(colour(piece), underway ? 0.3F : 1));
        if (underway)
        {
            p.outline(slice, colour(piece));
        }
        if (piece.stays())
        {
            p.hatch(now, t.window, kExposedHatch);
        }
        hovered = now.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered() ? &piece : hovered;
    }
    before.draw_names();
    after.draw_names();
    if (hovered != nullptr)
    {
        const Rect room{head.x, head.y - p.px(140), area.right() - head.x,
                        area.bottom() - head.y + p.px(140)};
        draw_piece_card(p, room, *hovered, Bytes(move.bytes_each * static_cast<double>(hovered->elements)));
    }
}

} // namespace ringside
