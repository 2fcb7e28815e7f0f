#include "ui/views/planner/table.h"

#include <fmt/format.h>

#include "ui/views/planner/words.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kHeading = 32;
constexpr float kRow = 32;
constexpr float kRank = 30;
constexpr float kKey = 40;
constexpr float kLeastGap = 14;
constexpr float kBeforeWords = 8; // words stand at the left, the figures before them at the right
constexpr float kLeastBar = 36;
constexpr float kMostBar = 104;
constexpr float kBarGap = 12;

std::string heading_of(const Painter& painter, PlannerColumn column)
{
    const std::string heading(info_of(column).heading);
    return column == PlannerColumn::memory ? fmt::format("{} {}", heading, painter.look.gigabyte()) : heading;
}

Type type_of(PlannerColumn column)
{
    return info_of(column).words ? Type::small : Type::mono_small;
}

std::size_t letters(std::string_view words)
{
    return static_cast<std::size_t>(std::count_if(
        words.begin(), words.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Of the widest cell or the heading with its arrow.
float width_of(const Painter& painter, PlannerColumn column, const PlannerRows& rows, const PlannerRow& now)
{
    const auto i = static_cast<std::size_t>(column);
    const Type type = type_of(column);
    float cells = painter.width(type, now.cells[i]);
    const float digit = painter.width(Type::mono_small, "0");
    for (const PlannerRow& row : rows.rows())
    {
        // Every figure is as wide as every other.
        const float w = type == Type::mono_small ? digit * static_cast<float>(letters(row.cells[i]))
                                                 : painter.width(type, row.cells[i]);
        cells = std::max(cells, w);
    }
    cells += column == PlannerColumn::memory ? painter.px(kBarGap + kLeastBar) : 0;
    const bool sorted = rows.sorted_by() == column;
    const float heading =
        painter.width(sorted ? Type::small_strong : Type::small, heading_of(painter, column)) +
        (sorted ? painter.px(16) : 0);
    return std::max(cells, heading);
}

void draw_arrow(const Painter& painter, float x, float middle, bool down)
{
    const float u = painter.px(4);
    const float tip = down ? u : -u;
    painter.list.AddTriangleFilled({x, middle + tip}, {x - u, middle - tip}, {x + u, middle - tip},
                                   painter.theme.text);
}

} // namespace

float PlannerTable::height(const Painter& painter, std::size_t rows)
{
    return painter.px(kHeading) + painter.px(kRow) * static_cast<float>(rows + 1);
}

std::vector<PlannerTable::Place> PlannerTable::places(const Painter& painter, Rect area,
                                                      const PlannerRows& rows, const PlannerRow& now)
{
    struct Wanted
    {
        PlannerColumn column;
        float width;
    };
    std::vector<Wanted> wanted;
    for (const PlannerColumn column : rows.columns())
    {
        wanted.push_back({column, width_of(painter, column, rows, now)});
    }
    const auto before = [&](PlannerColumn column)
    { return info_of(column).words ? painter.px(kBeforeWords) : 0; };
    const auto needed = [&]
    {
        float all = painter.px(kRank);
        for (const Wanted& w : wanted)
        {
            all += w.width + painter.px(kLeastGap) + before(w.column);
        }
        return all;
    };
    keycap_ = area.w >= painter.px(600);
    const float room = area.w - (keycap_ ? painter.px(kKey) : 0);
    while (wanted.size() > 1 && needed() > room)
    {
        wanted.erase(std::min_element(wanted.begin(), wanted.end(),
                                      [](const Wanted& a, const Wanted& b)
                                      { return info_of(a.column).keep < info_of(b.column).keep; }));
    }
    float spare = std::max(0.0F, room - needed());
    const float bar = std::min(spare * 0.9F, painter.px(kMostBar - kLeastBar));
    spare -= bar;
    const float gap = painter.px(kLeastGap) + spare / static_cast<float>(wanted.size());
    std::vector<Place> all;
    float x = area.x + painter.px(kRank);
    for (const Wanted& w : wanted)
    {
        const float left = x + gap + before(w.column);
        x = left + w.width + (w.column == PlannerColumn::memory ? bar : 0);
        all.push_back({w.column, left, x});
    }
    return all;
}

void PlannerTable::draw_headings(const Painter& painter, Rect row, PlannerRows& rows, double progress)
{
    const Theme& t = painter.theme;
    for (const Place& place : places_)
    {
        const PlannerColumnInfo& info = info_of(place.column);
        const bool sorted = rows.sorted_by() == place.column;
        const Rect hit{place.left - painter.px(6), row.y, place.right - place.left + painter.px(12), row.h};
        const Press pressed = press(painter, hit, fmt::format("###sort {}", info.id).c_str(), 4);
        tooltip(painter, info.tip);
        const Type type = sorted ? Type::small_strong : Type::small;
        const Colour ink = sorted || pressed.hovered ? t.text : t.muted;
        const std::string words = heading_of(painter, place.column);
        const float w = painter.width(type, words);
        const float from = info.words ? place.left : place.right - w - (sorted ? painter.px(16) : 0);
        painter.text(from, row.middle(), type, ink, words);
        if (sorted)
        {
            draw_arrow(painter, from + w + painter.px(10), row.middle(), rows.descending());
        }
        if (pressed.clicked)
        {
            rows.sort_by(place.column);
            first_ = 0;
        }
    }
    if (keycap_)
    {
        painter.text(row.right(), row.middle(), Type::small, t.muted, "load", Align::right);
    }
    painter.line(row.x, row.bottom(), row.right(), row.bottom(), t.line);
    if (progress < 1)
    {
        painter.fill(
            {row.x, row.bottom() - painter.px(1), row.w * static_cast<float>(progress), painter.px(3)},
            t.text);
    }
}

void PlannerTable::draw_cells(const Painter& painter, Rect row, const PlannerRow& cells, double capacity,
                              bool lit) const
{
    const Theme& t = painter.theme;
    for (const Place& place : places_)
    {
        const std::string& words = cells.cells[static_cast<std::size_t>(place.column)];
        const PlannerColumnInfo& info = info_of(place.column);
        const bool over = place.column == PlannerColumn::memory && cells.candidate.bytes > capacity;
        const Colour ink = over ? t.warning : lit ? t.text : mix(t.text, t.muted, 0.35F);
        if (info.words)
        {
            painter.text(place.left, row.middle(), Type::small, ink, words);
            continue;
        }
        const float w = painter.text(place.right, row.middle(), Type::mono_small, ink, words, Align::right);
        if (place.column == PlannerColumn::memory)
        {
            const float figures = std::max(w, painter.width(Type::mono_small, "00.0"));
            Rect bar{place.left, row.middle() - painter.px(4), 0, painter.px(8)};
            bar.w = place.right - figures - painter.px(kBarGap) - bar.x;
            const double share = std::min(1.0, cells.candidate.bytes / std::max(1.0, capacity));
            painter.fill(bar, t.raised);
            painter.fill({bar.x, bar.y, bar.w * static_cast<float>(share), bar.h},
                         over ? t.warning : mix(t.text, t.window, 0.3F));
            if (over)
            {
                painter.hatch(bar, t.window, kOverflowHatch);
            }
        }
    }
}

void PlannerTable::draw_row(const Painter& painter, Rect row, const PlannerRows& rows, std::size_t at,
                            const PlannerTableFrame& frame, PlannerTableEvent& event)
{
    const Theme& t = painter.theme;
    const PlannerRow& one = rows.rows()[at];
    const bool chosen = rows.chosen() == at;
    const Layout& layout = one.candidate.layout;
    const bool lit = frame.lit && rows.find(*frame.lit) == at;
    const bool running = same_run(layout, frame.now.candidate.layout);
    Press pressed;
    if (frame.live)
    {
        pressed = press(painter, row.inset(painter.px(1)), fmt::format("###layout {}", one.rank).c_str(), 6);
    }
    const Rect frame_of{row.x - painter.px(8), row.y + painter.px(1), row.w + painter.px(12),
                        row.h - painter.px(1)};
    if (chosen || lit || pressed.hovered)
    {
        painter.fill(frame_of, chosen ? t.raised : t.control, painter.px(6));
    }
    if (chosen || lit)
    {
        painter.outline(frame_of, t.text, painter.px(chosen ? 2 : 1), painter.px(6));
    }
    const bool bright = chosen || lit || pressed.hovered;
    painter.text(row.x + painter.px(4), row.middle(), Type::mono_small, bright ? t.text : t.muted,
                 std::to_string(one.rank));
    draw_cells(painter, row, one, frame.capacity, bright);
    if (keycap_ && running)
    {
        painter.text(row.right(), row.middle(), Type::small, t.muted, "now", Align::right);
    }
    else if (keycap_ && chosen)
    {
        painter.keycap(row.right() - painter.px(24), row.middle(), "L");
    }
    if (pressed.hovered || pressed.focused)
    {
        event.hovered = layout;
    }
    if (pressed.clicked)
    {
        event.loaded = layout;
    }
}

void PlannerTable::draw_now(const Painter& painter, Rect row, const PlannerTableFrame& frame) const
{
    const Theme& t = painter.theme;
    painter.line(row.x, row.y, row.right(), row.y, t.line);
    painter.text_within(row.x + painter.px(4), row.middle(), painter.px(kRank), Type::small_strong, t.text,
                        "now");
    draw_cells(painter, row, frame.now, frame.capacity, true);
    painter.line(row.x, row.bottom(), row.right(), row.bottom(), t.grid);
}

// By the wheel; a thin mark at the right says where in the list the rows on show are.
void PlannerTable::scroll(const Painter& painter, Rect body, const PlannerRows& rows, std::size_t shown)
{
    const std::size_t all = rows.rows().size();
    const std::size_t last = all > shown ? all - shown : 0;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheel != 0 && ImGui::IsWindowHovered() && body.contains(io.MousePos))
    {
        const auto to = static_cast<std::ptrdiff_t>(first_) - static_cast<std::ptrdiff_t>(io.MouseWheel * 3);
        first_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, to));
    }
    const auto chosen = rows.chosen();
    if (follow_ && chosen)
    {
        first_ = *chosen < first_ ? *chosen : std::max(first_, *chosen + 1 > shown ? *chosen + 1 - shown : 0);
    }
    follow_ = false;
    first_ = std::min(first_, last);
    if (last > 0 && shown > 0)
    {
        const auto share = [&](std::size_t n)
        { return body.h * static_cast<float>(n) / static_cast<float>(all); };
        const float high = std::max(painter.px(16), share(shown));
        const float y = body.y + (body.h - high) * static_cast<float>(first_) / static_cast<float>(last);
        painter.fill({body.right() + painter.px(8), y, painter.px(4), high}, painter.theme.raised,
                     painter.px(2));
    }
}

PlannerTableEvent PlannerTable::draw(const Painter& painter, Rect area, PlannerRows& rows,
                                     const PlannerTableFrame& frame)
{
    places_ = places(painter, area, rows, frame.now);
    PlannerTableEvent event;
    draw_headings(painter, area.cut_top(painter.px(kHeading)), rows, frame.progress);
    const float high = painter.px(kRow);
    const auto room = static_cast<std::size_t>(std::max(0.0F, area.h / high - 0.99F));
    const std::size_t shown = std::min(rows.rows().size(), room);
    scroll(painter, {area.x, area.y, area.w, high * static_cast<float>(shown)}, rows, shown);
    for (std::size_t i = 0; i < shown; ++i)
    {
        const Rect row = area.cut_top(high);
        if (i > 0)
        {
            painter.line(row.x, row.y, row.right(), row.y, painter.theme.grid);
        }
        draw_row(painter, row, rows, first_ + i, frame, event);
    }
    draw_now(painter, area.cut_top(high), frame);
    return event;
}

} // namespace ringside
