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

struct Cell
{
    std::string text;
    bool over = false;
};

struct Column
{
    std::string_view heading;
    float width; // [design px]
    Cell (*cell)(const OffloadReport&, ByteUnit);
    int keeps; // the lowest go first where the names need the room
};

constexpr std::array kColumns{
    Column{"GPU", 58,
           [](const OffloadReport& r, ByteUnit u) {
               return Cell{format_gigabytes(r.fullest, u), !r.gpu_fits};
           },
           2},
    Column{"host", 58,
           [](const OffloadReport& r, ByteUnit u)
           {
               return r.held(Tank::host) > Bytes{}
                          ? Cell{format_gigabytes(r.held(Tank::host), u), !r.host_fits}
                          : Cell{"\u2013", false};
           },
           1},
    Column{"NVMe", 58,
           [](const OffloadReport& r, ByteUnit u) {
               return Cell{r.held(Tank::nvme) > Bytes{} ? format_gigabytes(r.held(Tank::nvme), u) : "\u2013",
                           false};
           },
           0},
    Column{"exposed", 68,
           [](const OffloadReport& r, ByteUnit)
           {
               return Cell{!r.offloads() ? "\u2013"
                           : r.possible  ? format_seconds(Seconds(r.exposed))
                                         : "no rate",
                           false};
           },
           4},
    Column{"step", 60,
           [](const OffloadReport& r, ByteUnit)
           {
               return Cell{r.possible ? fmt::format("\u00d7 {}", r.slowdown() < 10
                                                                     ? fmt::format("{:.2f}", r.slowdown())
                                                                     : three_digits(r.slowdown()))
                                      : "",
                           false};
           },
           3}};

// Those that leave room for the names, and how wide they are.
std::vector<const Column*> columns_for(const Painter& p, float width, float& table)
{
    float names = 0;
    for (const Offload placement : kPlacements)
    {
        names = std::max(names, p.width(Type::small_strong, brief_of(placement)) + p.px(kKey + 10));
    }
    std::vector<const Column*> columns;
    table = 0;
    for (const Column& c : kColumns)
    {
        columns.push_back(&c);
        table += p.px(c.width);
    }
    while (columns.size() > 1 && table + names > width)
    {
        const auto least =
            std::min_element(columns.begin(), columns.end(),
                             [](const Column* a, const Column* b) { return a->keeps < b->keeps; });
        table -= p.px((*least)->width);
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
    const std::vector<const Column*> columns = columns_for(p, area.w, table);
    const float names = area.w - table - p.px(4);
    const float key = p.px(kKey);
    Rect row = area.cut_top(p.px(kRow));
    p.text_within(row.x, row.middle(), names, Type::small_strong, t.text,
                  fmt::format("{} per GPU", p.look.gigabyte()));
    float right = row.right() - table;
    for (const Column* c : columns)
    {
        right += p.px(c->width);
        p.text(right, row.middle(), Type::small, t.muted, c->heading, Align::right);
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
        for (const Column* c : columns)
        {
            right += p.px(c->width);
            const Cell cell = c->cell(r, p.look.unit);
            p.text(right, row.middle(), Type::mono_small,
                   cell.over ? t.warning
                   : lit     ? t.text
                             : t.muted,
                   cell.over ? "\u2715 " + cell.text : cell.text, Align::right);
        }
    }
    return clicked;
}

} // namespace ringside
