#include "ui/widgets/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kGap = 8; // [design px] between columns, at least
constexpr float kEasyGap = 14;
constexpr float kArrow = 16; // of what rows are sorted by
constexpr float kLeastName = 40;
constexpr float kMostTitle = 110; // a longer one goes on over the next column

// A column with its words, and where it stands.
struct Placed
{
    const Column<std::size_t>* column;
    bool left;
    std::vector<Cell> cells;
    float wanted = 0;
    float least = 0;
    float x = 0;
    float w = 0;
};

Placed measured(const Painter& p, const Column<std::size_t>& column, std::size_t rows, bool first)
{
    Placed c{&column, first || column.left, {}};
    const float arrow = column.order != 0 ? p.px(kArrow) : 0;
    const Type type = c.left ? (first ? Type::small_strong : Type::small) : Type::mono_small;
    c.wanted = first ? std::min(p.px(kMostTitle), p.width(type, column.heading))
                     : p.width(arrow > 0 ? Type::small_strong : Type::small, column.heading) + arrow;
    for (std::size_t i = 0; i < rows && column.cell; ++i)
    {
        const Cell& cell = c.cells.emplace_back(column.cell(i));
        // A thin space is wider in the plain face than in the strong one.
        const float words =
            std::max({p.width(type, cell.words), c.left ? p.width(Type::small, cell.words) : 0,
                      p.width(Type::small, cell.below)});
        c.wanted = std::max(c.wanted, words + (column.stretch ? 0 : p.px(column.least)));
    }
    c.least = column.stretch ? p.px(column.least) : c.wanted;
    return c;
}

float needed(const Painter& p, const std::vector<Placed>& columns)
{
    float all = -p.px(kGap);
    for (const Placed& c : columns)
    {
        all += c.least + p.px(kGap);
    }
    return all;
}

// What is spare goes to words that may be cut; what is wanting comes off the names, then off all figures
// alike.
void share_out(const Painter& p, std::vector<Placed>& columns, float spare)
{
    float figures = 0;
    for (Placed& c : columns)
    {
        const float more = spare < 0 && c.left && !c.column->stretch
                               ? std::max(spare, p.px(kLeastName) - c.least)
                           : spare > 0 && c.column->stretch ? std::clamp(c.wanted - c.least, 0.0F, spare)
                                                            : 0;
        c.w = c.least + std::min(more, spare > 0 ? more : 0);
        spare -= c.w - c.least;
        figures += c.left ? 0 : c.w;
    }
    for (Placed& c : columns)
    {
        c.w *= spare < 0 && !c.left && figures > 0 ? std::max(0.0F, 1 + spare / figures) : 1;
    }
}

// Those there is room for, with their widths.
std::vector<Placed> placed(const Painter& p, Rect area, const Table<std::size_t>& table, std::size_t rows)
{
    std::vector<Placed> columns;
    for (const Column<std::size_t>& column : table.columns)
    {
        columns.push_back(measured(p, column, rows, columns.empty()));
        Placed& last = columns.back();
        last.least = column.stretch ? std::min(last.least, area.w) : last.least;
    }
    const auto keep = [](const Placed& c) { return c.column->keep; };
    while (needed(p, columns) > area.w &&
           std::ranges::any_of(columns, [&](const Placed& c) { return keep(c) < kAlways; }))
    {
        columns.erase(std::ranges::min_element(columns, {}, keep));
    }
    share_out(p, columns, area.w - needed(p, columns));
    const auto stretched = std::ranges::count_if(columns, [](const Placed& c) { return c.column->stretch; });
    float spare = area.w + p.px(kGap);
    for (const Placed& c : columns)
    {
        spare -= c.w + p.px(kGap);
    }
    // What is left over lies between the columns, or makes those wider that take it.
    const float each =
        std::max(0.0F, spare) / static_cast<float>(std::max<std::size_t>(2, columns.size()) - 1);
    const float more = stretched > 0 ? std::min(p.px(kEasyGap - kGap), each) : each;
    const float wider =
        stretched > 0 ? (each - more) * static_cast<float>(columns.size() - 1) / static_cast<float>(stretched)
                      : 0;
    float x = area.x;
    for (Placed& c : columns)
    {
        c.w += c.column->stretch ? wider : 0;
        c.x = x;
        x += c.w + p.px(kGap) + more;
    }
    return columns;
}

void draw_arrow(const Painter& p, float x, float middle, int order)
{
    const float u = p.px(4);
    const float tip = order < 0 ? u : -u;
    p.list.AddTriangleFilled({x, middle + tip}, {x - u, middle - tip}, {x + u, middle - tip}, p.theme.text);
}

// Returns where the heading begins.
float draw_heading(const Painter& p, Rect row, float end, const Placed& c, bool first, TableEvent& event,
                   std::size_t at)
{
    const Theme& t = p.theme;
    const Column<std::size_t>& column = *c.column;
    const bool sorted = column.order != 0;
    const Type type = first || sorted ? Type::small_strong : Type::small;
    const float arrow = sorted ? p.px(kArrow) : 0;
    // A heading at the left may go on over its column, up to the next heading.
    const bool left = c.left || column.stretch;
    const float w = left ? end - c.x - arrow : p.width(type, column.heading);
    const float x = left ? c.x : c.x + c.w - w - arrow;
    const Rect hit{x - p.px(6), row.y, w + arrow + p.px(12), row.h};
    bool pointed = ImGui::IsWindowHovered() && hit.contains(ImGui::GetIO().MousePos);
    if (!column.button.empty())
    {
        const Press pressed = press(p, hit, column.button.c_str(), 4);
        pointed = pressed.hovered;
        event.heading = pressed.clicked ? std::optional(at) : event.heading;
        tooltip(p, column.tip);
    }
    else if (pointed)
    {
        tooltip_at_mouse(p, column.tip);
    }
    const bool bright = first || sorted || (pointed && !column.button.empty());
    const float used = p.text_within(x, row.middle(), w, type, bright ? t.text : t.muted, column.heading);
    if (sorted)
    {
        draw_arrow(p, x + used + p.px(10), row.middle(), column.order);
    }
    return column.heading.empty() ? end : x - p.px(kGap);
}

class Rows
{
public:
    Rows(const Painter& painter, const Table<std::size_t>& table, const std::vector<Placed>& columns)
        : p_(painter), table_(table), columns_(columns)
    {
    }

    void draw(Rect row, std::size_t i, TableEvent& event) const
    {
        const Theme& t = p_.theme;
        p_.line(row.x, row.y, row.right(), row.y, t.grid);
        const bool chosen = table_.chosen && table_.chosen(i);
        const bool pointed = points_at(row, i, event);
        if (chosen || pointed)
        {
            p_.fill({row.x - p_.px(6), row.y + 1, row.w + p_.px(12), row.h - 1},
                    chosen ? t.raised : t.control, p_.px(4));
        }
        const bool lit = chosen || pointed;
        const Colour ink = lit || !table_.chosen ? t.text : t.muted;
        for (const Placed& c : columns_)
        {
            draw_cell(c, row, i, ink, lit, chosen && &c == &columns_.front());
        }
        if (table_.part)
        {
            p_.part(table_.part(i), row);
        }
    }

private:
    bool points_at(Rect row, std::size_t i, TableEvent& event) const
    {
        const std::string label = table_.id ? table_.id(i) : std::string();
        const bool inside = ImGui::IsWindowHovered() && row.contains(ImGui::GetIO().MousePos);
        const std::string says = inside && table_.tip ? table_.tip(i) : std::string();
        if (label.empty())
        {
            tooltip_at_mouse(p_, says);
            return !says.empty();
        }
        const Press pressed = press(p_, row, label.c_str(), 4);
        tooltip(p_, says);
        event.pressed = pressed.clicked ? std::optional(i) : event.pressed;
        event.hovered = pressed.hovered || pressed.focused ? std::optional(i) : event.hovered;
        return pressed.hovered || pressed.focused;
    }

    void draw_cell(const Placed& c, Rect row, std::size_t i, Colour ink, bool lit, bool strong) const
    {
        const Rect cell{c.x, row.y, c.w, row.h};
        if (c.column->paint)
        {
            c.column->paint(p_, cell, i, lit);
        }
        if (c.cells.empty())
        {
            return;
        }
        const Cell& words = c.cells[i];
        ink = words.colour != 0 ? words.colour : ink;
        const float indent = c.column->stretch ? 0 : p_.px(c.column->least);
        const float line = p_.height(Type::small);
        const float up = !words.below.empty() && row.h >= 2 * line ? line / 2 : 0;
        if (!c.left)
        {
            p_.text(cell.right(), cell.middle() - up, Type::mono_small, ink,
                    p_.shortened(Type::mono_small, words.words, cell.w + 1), Align::right);
            return;
        }
        p_.text_within(cell.x + indent, cell.middle() - up, cell.w - indent,
                       words.bold || strong ? Type::small_strong : Type::small, ink, words.words);
        if (up > 0)
        {
            p_.text_within(cell.x + indent, cell.middle() + up, cell.w - indent, Type::small, p_.theme.muted,
                           words.below);
        }
    }

    const Painter& p_;
    const Table<std::size_t>& table_;
    const std::vector<Placed>& columns_;
};

} // namespace

float table_height(const Painter& painter, std::size_t rows, float pitch)
{
    return painter.px(pitch) * static_cast<float>(rows + 1);
}

namespace
{

// The wheel moves the rows; a thin mark at the right says where in all of them those on show are.
void scroll_rows(const Painter& p, Rect body, TableScroll& scroll, std::size_t rows, std::size_t shown)
{
    const std::size_t last = rows > shown ? rows - shown : 0;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheel != 0 && ImGui::IsWindowHovered() && body.contains(io.MousePos))
    {
        const auto to =
            static_cast<std::ptrdiff_t>(scroll.first) - static_cast<std::ptrdiff_t>(io.MouseWheel * 3);
        scroll.first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, to));
    }
    if (const auto at = std::exchange(scroll.follow, std::nullopt); at && shown > 0)
    {
        scroll.first = std::clamp(scroll.first, *at + 1 > shown ? *at + 1 - shown : 0, *at);
    }
    scroll.first = std::min(scroll.first, last);
    if (last > 0 && shown > 0)
    {
        const float high = std::max(p.px(16), body.h * static_cast<float>(shown) / static_cast<float>(rows));
        const float y =
            body.y + (body.h - high) * static_cast<float>(scroll.first) / static_cast<float>(last);
        p.fill({body.right() + p.px(8), y, p.px(4), high}, p.theme.raised, p.px(2));
    }
}

} // namespace

TableEvent draw_table(const Painter& p, Rect area, const Table<std::size_t>& table, std::size_t rows)
{
    TableEvent event;
    const bool headed = std::ranges::any_of(table.columns, [](const auto& c) { return !c.heading.empty(); });
    const std::size_t lines = table.scroll != nullptr ? 1 : std::max<std::size_t>(1, rows + (headed ? 1 : 0));
    const float high =
        std::clamp(std::floor(area.h / static_cast<float>(lines)), p.height(Type::small), p.px(table.pitch));
    const auto room = static_cast<std::size_t>(std::max(0.0F, area.h + 1) / high);
    const std::vector<Placed> columns = placed(p, area, table, rows);
    const std::size_t fit = room - (headed && room > 0 ? 1 : 0);
    if (headed && room > 0)
    {
        const Rect row = area.cut_top(high);
        float end = row.right();
        for (std::size_t i = columns.size(); i-- > 0;)
        {
            end = draw_heading(p, row, end, columns[i], i == 0, event,
                               static_cast<std::size_t>(columns[i].column - table.columns.data()));
        }
    }
    const std::size_t pinned = table.scroll != nullptr ? std::min(fit, table.scroll->pinned) : 0;
    std::size_t first = 0;
    std::size_t shown = std::min(fit, rows) - pinned;
    if (table.scroll != nullptr)
    {
        scroll_rows(p, {area.x, area.y, area.w, high * static_cast<float>(shown)}, *table.scroll,
                    rows - pinned, shown);
        first = table.scroll->first;
    }
    else if (shown < rows && shown > 0)
    {
        --shown; // the last line says how many there are no lines for
    }
    const Rows drawn(p, table, columns);
    for (std::size_t i = 0; i < shown + pinned; ++i)
    {
        drawn.draw(area.cut_top(high), i < shown ? first + i : rows - pinned + i - shown, event);
    }
    if (table.scroll == nullptr && shown < rows && fit > 0)
    {
        const Rect row = area.cut_top(high);
        p.text_within(row.x, row.middle(), row.w, Type::small, p.theme.muted,
                      fmt::format("{} more", rows - shown));
    }
    return event;
}

} // namespace ringside
