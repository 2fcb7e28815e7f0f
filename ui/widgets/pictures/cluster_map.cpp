#include "ui/widgets/pictures/cluster_map.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <map>

namespace ringside
{

namespace
{

constexpr float kLeastCell = 1.6F; // [px] below it a card is one patch
constexpr float kCardGap = 3;      // [px] above it cards have a frame
constexpr float kOutlined = 5;     // [design px] smaller members are filled, not outlined
constexpr float kMostCell = 64;    // [design px]

float clamped(float value, float least, float most)
{
    return std::max(least, std::min(value, most));
}

} // namespace

const Ink& axis_ink(const Theme& theme, Axis axis)
{
    switch (axis)
    {
    case Axis::tensor:
        return theme.tensor;
    case Axis::context:
        return theme.context;
    case Axis::expert:
        return theme.expert;
    case Axis::data:
        return theme.data;
    case Axis::pipeline:
        break;
    }
    return theme.pipeline;
}

std::string_view domain_word(const RankGrid& grid)
{
    return grid.per_domain() <= 16 ? "node" : "domain";
}

std::string_view coordinate_word(Axis axis)
{
    constexpr std::array<std::string_view, kAxes> kWords{"shard", "part", "experts", "replica", "stage"};
    return kWords[static_cast<std::size_t>(axis)];
}

Colour coordinate_colour(const Theme& theme, std::int64_t coordinate, std::int64_t size)
{
    return stage_colour(theme, static_cast<std::size_t>(coordinate), static_cast<std::size_t>(size));
}

Group drawn_group(Axis axis)
{
    return axis == Axis::data ? Group::replicas : group_of(axis);
}

MapGeometry::MapGeometry(const Painter& painter, Rect area, const RankGrid& grid, const MapLayout& layout,
                         const MapZoom& zoom)
    : grid_(grid), layout_(layout), area_(area)
{
    const auto columns = static_cast<float>(layout.columns);
    const auto rows = static_cast<float>(layout.rows);
    const auto across = static_cast<float>(layout.slot_columns);
    const auto down = static_cast<float>(layout.slot_rows);
    const float most = painter.px(kMostCell);
    pitch_x_ = std::min(area.w / columns, (across + 1) * most) * zoom.zoom;
    pitch_y_ = area.h / rows * zoom.zoom;
    gap_ = clamped(std::min(pitch_x_, pitch_y_) * 0.12F, 1, painter.px(12));
    const float w = pitch_x_ - gap_;
    const float h = pitch_y_ - gap_;
    const float pad = clamped(std::min(w, h) * 0.1F, 0, painter.px(10));
    const auto cell = [&](float top)
    { return std::min((w - 2 * pad) / across, (h - pad - std::max(pad, top)) / down); };
    const float top = painter.px(28);
    const std::string name = fmt::format("{} {}", domain_word(grid), grouped(layout.domains - 1));
    const bool roomy = cell(top) >= std::min(painter.px(8), cell(0) * 0.6F) && cell(top) > 4 &&
                       w > painter.width(Type::small_strong, name) + painter.px(14);
    heading_ = roomy ? top : 0;
    cell_ = std::max(0.05F, std::min(cell(heading_), most * zoom.zoom));
    // Cards are hardly higher than their cells need, and few of them stand in the middle.
    const float needed = cell_ * down + std::max(pad, heading_) + pad + gap_;
    pitch_y_ = gap_ > kCardGap ? std::min(pitch_y_, needed * 1.1F) : pitch_y_;
    cells_left_ = (w - cell_ * across) / 2;
    cells_top_ = std::max(heading_, (pitch_y_ - gap_ - cell_ * down) / 2);
    const float left = std::max(0.0F, area.w - (pitch_x_ * columns - gap_)) / 2;
    const float above = std::max(0.0F, area.h - (pitch_y_ * rows - gap_)) / 2;
    origin_ = {area.x + zoom.pan.x + left, area.y + zoom.pan.y + above};
}

Rect MapGeometry::card(std::int64_t domain) const
{
    const auto column = static_cast<float>(domain % layout_.columns);
    const auto row = static_cast<float>(domain / layout_.columns);
    return {origin_.x + column * pitch_x_, origin_.y + row * pitch_y_, pitch_x_ - gap_, pitch_y_ - gap_};
}

Rect MapGeometry::cell(std::int64_t rank) const
{
    const Rect c = card(grid_.domain(rank));
    const std::int64_t slot = grid_.slot(rank);
    const float gap = cell_ > 3 ? clamped(cell_ * 0.16F, 1, 6) : 0;
    return {c.x + cells_left_ + static_cast<float>(slot % layout_.slot_columns) * cell_ + gap / 2,
            c.y + cells_top_ + static_cast<float>(slot / layout_.slot_columns) * cell_ + gap / 2, cell_ - gap,
            cell_ - gap};
}

std::optional<std::int64_t> MapGeometry::at(ImVec2 point) const
{
    if (!area_.contains(point))
    {
        return std::nullopt;
    }
    const auto column = static_cast<std::int64_t>(std::floor((point.x - origin_.x) / pitch_x_));
    const auto row = static_cast<std::int64_t>(std::floor((point.y - origin_.y) / pitch_y_));
    const std::int64_t domain = row * layout_.columns + column;
    if (column < 0 || row < 0 || column >= layout_.columns || domain >= layout_.domains)
    {
        return std::nullopt;
    }
    const Rect c = card(domain);
    const auto across = static_cast<std::int64_t>(std::floor((point.x - c.x - cells_left_) / cell_));
    const auto down = static_cast<std::int64_t>(std::floor((point.y - c.y - cells_top_) / cell_));
    const std::int64_t slot = down * layout_.slot_columns + across;
    const std::int64_t rank = domain * grid_.per_domain() + slot;
    const bool inside = across >= 0 && across < layout_.slot_columns && down >= 0 &&
                        down < layout_.slot_rows && slot < grid_.per_domain() && rank < grid_.gpus();
    return inside ? std::optional(rank) : std::nullopt;
}

Rect map_field(const Painter& painter, Rect area, const MapLayout& layout)
{
    if (layout.row_axis && area.w > painter.px(420))
    {
        area.cut_left(painter.px(92));
    }
    if (layout.column_axis && area.h > painter.px(160))
    {
        area.cut_top(painter.px(26));
    }
    return area;
}

namespace
{

class MapDrawing
{
public:
    MapDrawing(const Painter& painter, Rect whole, const MapGeometry& map, const MapStyle& style)
        : p_(painter), t_(painter.theme), whole_(whole), map_(map), grid_(map.grid()), style_(style)
    {
        const std::int64_t size = grid_.size(style.by);
        for (std::int64_t i = 0; i < size; ++i)
        {
            colours_.push_back(size > 1 ? coordinate_colour(t_, i, size) : mix(t_.muted, t_.window, 0.45F));
        }
    }

    void draw()
    {
        draw_row_names();
        draw_column_names();
        const Rect clip = map_.area().inset(-p_.px(4));
        p_.list.PushClipRect(clip.min(), clip.max(), true);
        for (std::int64_t domain = 0; domain < grid_.domains(); ++domain)
        {
            const Rect card = map_.card(domain);
            if (card.bottom() >= clip.y && card.y <= clip.bottom() && card.right() >= clip.x &&
                card.x <= clip.right())
            {
                draw_card(domain, card);
            }
        }
        for (const Axis axis : {Axis::expert, Axis::data, Axis::context, Axis::tensor, Axis::pipeline})
        {
            if (axis != style_.by)
            {
                draw_group(axis);
            }
        }
        draw_group(style_.by);
        draw_lit();
        p_.list.PopClipRect();
    }

private:
    Colour colour(std::int64_t rank) const
    {
        return colours_[static_cast<std::size_t>(grid_.position(rank, group_of(style_.by)))];
    }

    void draw_card(std::int64_t domain, Rect card) const
    {
        const std::int64_t first = domain * grid_.per_domain();
        const std::int64_t end = std::min(first + grid_.per_domain(), grid_.gpus());
        if (map_.cell_size() < kLeastCell)
        {
            p_.fill(card, colour((first + end - 1) / 2));
            return;
        }
        if (map_.gap() > kCardGap)
        {
            p_.fill(card, t_.panel, corner());
            p_.outline(card, t_.line, 1, corner());
        }
        if (map_.named())
        {
            const bool own = grid_.domain(style_.lit) == domain;
            p_.text_within(card.x + p_.px(8), card.y + p_.px(14), card.w - p_.px(12),
                           own ? Type::small_strong : Type::small, own ? t_.text : t_.muted,
                           fmt::format("{} {}", domain_word(grid_), grouped(domain)));
        }
        const float radius = map_.cell_size() > p_.px(10) ? p_.px(2) : 0;
        for (std::int64_t rank = first; rank < end; ++rank)
        {
            p_.fill(map_.cell(rank), colour(rank), radius);
        }
    }

    std::int64_t coordinate(std::int64_t rank, Axis axis) const
    {
        return grid_.position(rank, group_of(axis));
    }

    void draw_row_names() const
    {
        const Rect field = map_.area();
        const auto axis = map_.layout().row_axis;
        if (!axis || field.x - whole_.x < p_.px(60))
        {
            return;
        }
        p_.list.PushClipRect({whole_.x, field.y}, {field.x, field.bottom()}, true);
        // A coordinate may take several rows.
        const std::int64_t block = grid_.stride(*axis) / (map_.layout().columns * grid_.per_domain());
        const std::int64_t blocks = map_.layout().rows / block;
        const float pitch = map_.pitch_y() * static_cast<float>(block);
        const auto every = static_cast<std::int64_t>(std::max(1.0F, std::ceil(p_.px(20) / pitch)));
        for (std::int64_t i = 0; i < blocks; ++i)
        {
            const std::int64_t rank = i * grid_.stride(*axis);
            const Rect card = map_.card(grid_.domain(rank));
            const float middle = card.y + (pitch - map_.gap()) / 2;
            if (style_.by == *axis)
            {
                const float h = std::min(pitch - map_.gap(), p_.px(48));
                p_.fill({whole_.x, middle - h / 2, p_.px(12), h}, colour(rank), std::min(h / 4, p_.px(2)));
            }
            if (i % every != 0)
            {
                continue;
            }
            const bool own = coordinate(style_.lit, *axis) == coordinate(rank, *axis);
            p_.text_within(whole_.x + p_.px(20), middle, field.x - whole_.x - p_.px(26),
                           own ? Type::small_strong : Type::small, own ? t_.text : t_.muted,
                           fmt::format("{} {}", coordinate_word(*axis), coordinate(rank, *axis)));
        }
        p_.list.PopClipRect();
    }

    void draw_column_names() const
    {
        const Rect field = map_.area();
        const auto axis = map_.layout().column_axis;
        if (!axis || field.y - whole_.y < p_.px(16))
        {
            return;
        }
        p_.list.PushClipRect({field.x, whole_.y}, {field.right(), field.bottom()}, true);
        const std::string longest = fmt::format("{} {}", coordinate_word(*axis), map_.layout().columns - 1);
        const float need = p_.width(Type::small_strong, longest) + p_.px(8);
        const auto every = static_cast<std::int64_t>(std::max(1.0F, std::ceil(need / map_.pitch_x())));
        const float middle = std::max(map_.card(0).y, field.y) - p_.px(14);
        for (std::int64_t column = 0; column < map_.layout().columns; column += every)
        {
            const std::int64_t rank = column * grid_.per_domain();
            const Rect card = map_.card(column);
            const bool own = coordinate(style_.lit, *axis) == coordinate(rank, *axis);
            if (card.centre() - need / 2 < field.x - p_.px(8) ||
                card.centre() + need / 2 > field.right() + p_.px(8))
            {
                continue;
            }
            p_.text(card.centre(), middle, own ? Type::small_strong : Type::small, own ? t_.text : t_.muted,
                    fmt::format("{} {}", coordinate_word(*axis), coordinate(rank, *axis)), Align::centre);
        }
        p_.list.PopClipRect();
    }

    float corner() const { return std::min(p_.px(6), map_.pitch_y() * 0.12F); }
    float stroke() const { return map_.cell_size() > p_.px(7) ? p_.px(2) : std::max(1.0F, p_.px(1)); }

    // Members by the row of cards they are in, and what is drawn for each: its cell, or the card it fills.
    void draw_group(Axis axis) const
    {
        if (grid_.size(drawn_group(axis)) < 2)
        {
            return;
        }
        const std::vector<std::int64_t> members = grid_.members(style_.lit, drawn_group(axis));
        const Colour ink = axis_ink(t_, axis).fill;
        std::vector<Rect> marks;
        std::map<std::int64_t, std::vector<Rect>> rows;
        for (std::size_t i = 0; i < members.size();)
        {
            const std::int64_t domain = grid_.domain(members[i]);
            std::size_t end = i;
            while (end < members.size() && grid_.domain(members[end]) == domain)
            {
                ++end;
            }
            const Rect card = map_.card(domain);
            const bool filled = end - i > 1 && static_cast<std::int64_t>(end - i) ==
                                                   std::min(grid_.per_domain(), grid_.gpus());
            auto& row = rows[domain / map_.layout().columns];
            if (filled)
            {
                p_.outline(card.inset(-1), ink, stroke(), corner());
            }
            for (std::size_t k = i; !filled && k < end; ++k)
            {
                marks.push_back(map_.cell(members[k]));
            }
            row.push_back(end - i > 1 ? Rect{card.centre(), card.y, 0, card.h} : marks.back());
            i = end;
        }
        if (axis == Axis::pipeline)
        {
            draw_stages(members, ink);
        }
        else if (grid_.domain(members.front()) != grid_.domain(members.back()))
        {
            draw_bus(rows, axis, ink);
        }
        for (const Rect& mark : marks)
        {
            if (map_.cell_size() < p_.px(kOutlined))
            {
                p_.fill(mark.inset(-1), ink);
                continue;
            }
            const float grow = map_.cell_size() > p_.px(7) ? p_.px(2) : 1;
            p_.outline(mark.inset(-grow), t_.window, stroke() + 2, p_.px(3));
            p_.outline(mark.inset(-grow), ink, stroke(), p_.px(3));
        }
    }

    void line(float x1, float y1, float x2, float y2, Colour ink) const
    {
        p_.line(x1, y1, x2, y2, t_.window, stroke() + 2);
        p_.line(x1, y1, x2, y2, ink, stroke());
    }

    // A line below each row of cards, a stub to every member, and a trunk where there are several rows.
    void draw_bus(const std::map<std::int64_t, std::vector<Rect>>& rows, Axis axis, Colour ink) const
    {
        const float shift = (axis == Axis::data     ? 1.0F
                             : axis == Axis::expert ? -1.0F
                                                    : 0.0F) *
                            map_.gap() / 4;
        const auto below = [&](std::int64_t row)
        { return map_.card(row * map_.layout().columns).bottom() + map_.gap() / 2 + shift; };
        const float trunk = map_.card(0).x - map_.gap() / 2 + shift;
        const bool several = rows.size() > 1;
        if (several)
        {
            line(trunk, below(rows.begin()->first), trunk, below(rows.rbegin()->first), ink);
        }
        for (const auto& [row, marks] : rows)
        {
            const float y = below(row);
            const auto [first, last] =
                std::minmax_element(marks.begin(), marks.end(),
                                    [](const Rect& a, const Rect& b) { return a.centre() < b.centre(); });
            for (const Rect& mark : marks)
            {
                if (map_.gap() <= kCardGap)
                {
                    break; // the line runs right below them
                }
                p_.line(mark.centre(), mark.bottom(), mark.centre(), y, ink, stroke());
            }
            p_.line(several ? trunk : first->centre() - stroke() / 2, y, last->centre() + stroke() / 2, y,
                    ink, stroke());
        }
    }

    void draw_stages(const std::vector<std::int64_t>& members, Colour ink) const
    {
        for (std::size_t i = 0; i + 1 < members.size(); ++i)
        {
            const Rect from = map_.cell(members[i]);
            const Rect to = map_.cell(members[i + 1]);
            const float dx = to.centre() - from.centre();
            const float dy = to.middle() - from.middle();
            const float length = std::max(1.0F, std::hypot(dx, dy));
            const float off = from.w / 2 + p_.px(3);
            const ImVec2 start{from.centre() + dx / length * off, from.middle() + dy / length * off};
            const ImVec2 end{to.centre() - dx / length * off, to.middle() - dy / length * off};
            if (length > 2 * off + p_.px(10) && map_.cell_size() > p_.px(7))
            {
                p_.list.AddLine(start, end, t_.window, stroke() + p_.px(2));
                p_.arrow(start, end, ink, stroke());
            }
            else if (length > 2 * off)
            {
                p_.list.AddLine(start, end, ink, stroke());
            }
        }
    }

    void draw_lit() const
    {
        Rect cell = map_.cell(style_.lit);
        const float least = p_.px(5);
        if (cell.w < least)
        {
            cell = {cell.centre() - least / 2, cell.middle() - least / 2, least, least};
        }
        p_.outline(cell.inset(-p_.px(2)), t_.window, p_.px(4), p_.px(3));
        p_.fill(cell, t_.text, p_.px(2));
        p_.outline(cell.inset(-p_.px(2)), axis_ink(t_, style_.by).fill, p_.px(2), p_.px(3));
    }

    const Painter& p_;
    const Theme& t_;
    Rect whole_;
    const MapGeometry& map_;
    const RankGrid& grid_;
    const MapStyle& style_;
    std::vector<Colour> colours_;
};

} // namespace

void draw_cluster_map(const Painter& painter, Rect area, const MapGeometry& map, const MapStyle& style)
{
    MapDrawing(painter, area, map, style).draw();
}

} // namespace ringside
