#include "ui/views/offload/table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 27;
constexpr float kKey = 18;
constexpr float kBetween = 18; // columns

struct Cell
{
    std::string text;
    bool over = false;
};

struct Column
{
    std::string_view heading;
    Cell (*cell)(const OffloadReport&, const ByteScale&);
    int keeps;       // the lowest go first where the names need the room
    float width = 0; // [px], with what is between it and the one before
};

Cell held_cell(const OffloadReport& r, Tank tank, const ByteScale& scale)
{
    return {r.held(tank) > Bytes{} ? scale.words(r.held(tank)) : "\u2013",
            tank == Tank::host && r.held(tank) > Bytes{} && !r.host_fits};
}

constexpr std::array kColumns{
    Column{"GPU",
           [](const OffloadReport& r, const ByteScale& scale) {
               return Cell{scale.words(r.fullest), !r.gpu_fits};
           },
           2},
    Column{"host",
           [](const OffloadReport& r, const ByteScale& scale) { return held_cell(r, Tank::host, scale); }, 1},
    Column{"NVMe",
           [](const OffloadReport& r, const ByteScale& scale) { return held_cell(r, Tank::nvme, scale); }, 0},
    Column{"exposed",
           [](const OffloadReport& r, const ByteScale&)
           {
               return Cell{!r.offloads() ? "\u2013"
                           : r.possible  ? format_seconds(Seconds(r.exposed))
                                         : "no rate",
                           false};
           },
           4},
    Column{"step",
           [](const OffloadReport& r, const ByteScale&)
           {
               return Cell{r.possible ? fmt::format("\u00d7 {}", r.slowdown() < 10
                                                                     ? fmt::format("{:.2f}", r.slowdown())
                                                                     : three_digits(r.slowdown()))
                                      : "",
                           false};
           },
           3}};

std::string words_of(const Cell& cell)
{
    return cell.over ? "\u2715 " + cell.text : cell.text;
}

// One for the whole table, so that its rows compare.
ByteScale scale_of(const Shelves& shelves, ByteUnit unit)
{
    Bytes most;
    for (const Offload placement : kPlacements)
    {
        const OffloadReport& r = shelves.of(placement);
        most = std::max({most, r.fullest, r.held(Tank::host), r.held(Tank::nvme)});
    }
    return byte_scale(most, unit);
}

// Those that leave room for the names, each as wide as its widest words, and how wide they are together.
std::vector<Column> columns_for(const Painter& p, float width, const Shelves& shelves, const ByteScale& scale,
                                float& table)
{
    float names = p.width(Type::small_strong, "GB per GPU") + p.px(10);
    std::vector<Column> columns(kColumns.begin(), kColumns.end());
    for (Column& c : columns)
    {
        c.width = p.width(Type::small, c.heading);
    }
    for (const Offload placement : kPlacements)
    {
        names = std::max(names, p.width(Type::small_strong, brief_of(placement)) + p.px(kKey + 10));
        for (Column& c : columns)
        {
            c.width =
                std::max(c.width, p.width(Type::mono_small, words_of(c.cell(shelves.of(placement), scale))));
        }
    }
    table = 0;
    for (Column& c : columns)
    {
        c.width += p.px(kBetween);
        table += c.width;
    }
    while (columns.size() > 1 && table + names > width)
    {
        const auto least = std::ranges::min_element(columns, {}, &Column::keeps);
        table -= least->width;
        columns.erase(least);
    }
    return columns;
}

} // namespace

float placements_height(const Painter& painter)
{
    return painter.px(kRow) * static_cast<float>(kOffloads + 1);
}

std::optional<Offload> draw_placements(const Painter& p, Rect area, const Shelves& shelves)
{
    const Theme& t = p.theme;
    float table = 0;
    const ByteScale scale = scale_of(shelves, p.look.unit);
    const std::vector<Column> columns = columns_for(p, area.w, shelves, scale, table);
    const float names = area.w - table - p.px(4);
    const float key = p.px(kKey);
    Rect row = area.cut_top(p.px(kRow));
    p.text_within(row.x, row.middle(), names, Type::small_strong, t.text,
                  fmt::format("{} per GPU", scale.name));
    float right = row.right() - table;
    for (const Column& c : columns)
    {
        right += c.width;
        p.text(right, row.middle(), Type::small, t.muted, c.heading, Align::right);
    }
    std::optional<Offload> clicked;
    for (const Offload placement : kPlacements)
    {
        const OffloadReport& r = shelves.of(placement);
        const bool chosen = shelves.placed().options.placement == placement;
        row = area.cut_top(p.px(kRow));
        p.line(row.x, row.y, row.right(), row.y, t.grid);
        const Press pressed = press(p, row, fmt::format("place {}", brief_of(placement)).c_str(), 4);
        clicked = pressed.clicked ? std::optional(placement) : clicked;
        tooltip(p, fmt::format("{}{}", r.host_fits ? "" : "The host has no room for it. ",
                               r.possible ? "Press, or its key, to keep it there."
                                          : "A pipe it needs has no stated rate."));
        const bool lit = chosen || pressed.hovered;
        if (chosen)
        {
            p.fill({row.x - p.px(6), row.y + 1, row.w + p.px(12), row.h - 1}, t.control, p.px(4));
        }
        if (key > 0)
        {
            p.text(row.x + p.px(2), row.middle(), Type::mono_small, t.muted,
                   std::to_string(static_cast<int>(placement)));
        }
        p.text_within(row.x + key, row.middle(), names - key, chosen ? Type::small_strong : Type::small,
                      lit ? t.text : t.muted, brief_of(placement));
        right = row.right() - table;
        for (const Column& c : columns)
        {
            right += c.width;
            const Cell cell = c.cell(r, scale);
            p.text(right, row.middle(), Type::mono_small,
                   cell.over ? t.warning
                   : lit     ? t.text
                             : t.muted,
                   words_of(cell), Align::right);
        }
    }
    return clicked;
}

} // namespace ringside
