// A table as data: a column says what stands in its cell of a row. Columns are as wide as their words; where
// there is no room, the least important ones go first, and rows that do not fit are counted in the last line.
#pragma once

#include "core/base/result.h"
#include "ui/widgets/controls.h"

#include <concepts>
#include <functional>
#include <vector>

namespace ringside
{

struct Cell
{
    template <class Words>
    requires std::constructible_from<std::string, Words>
    Cell(Words&& what, Colour ink = 0,
         std::string second = {}) // NOLINT(google-explicit-constructor): as words
        : words(std::forward<Words>(what)), below(std::move(second)), colour(ink)
    {
    }

    Cell strong() && { return (bold = true, std::move(*this)); }

    std::string words;
    std::string below; // a second line, where rows are high enough
    Colour colour;     // 0: the row's
    bool bold = false; // at the left
};

inline constexpr float kTablePitch = 24; // [design px] of a row
inline constexpr int kAlways = 100;      // a column that never goes

template <class Row>
struct Column
{
    using Cells = std::function<Cell(const Row&)>;
    // With `lit` where the row is chosen or pointed at.
    using Paint = std::function<void(const Painter&, Rect, const Row&, bool lit)>;

    // `kept`: where there is no room the lowest goes first.
    Column(std::string title, Cells words, int kept = kAlways, std::string says = {})
        : heading(std::move(title)), cell(std::move(words)), keep(kept), tip(std::move(says))
    {
    }
    // At the left, cut where need be; the first column always.
    Column words() && { return (left = true, std::move(*this)); }
    // With a picture left of the words.
    Column with(float room, Paint picture) &&
    {
        return (least = room, paint = std::move(picture), std::move(*this));
    }
    // Takes the room that is left over.
    Column wide(float at_least) && { return (least = at_least, stretch = true, std::move(*this)); }
    Column wide(float at_least, Paint picture) &&
    {
        return std::move(*this).wide(at_least).with(at_least, std::move(picture));
    }

    // The heading is a button of this label; 1 and -1: rows ascend or descend by it.
    Column sorted(std::string label, int direction) &&
    {
        return (button = std::move(label), order = direction, std::move(*this));
    }

    std::string heading; // the first column's is the table's title
    Cells cell;
    int keep;
    std::string tip; // of the heading
    bool left = false;
    float least = 0; // [design px] left of the words; where it stretches, of its whole width
    bool stretch = false;
    Paint paint;
    std::string button;
    int order = 0;
};

// A row for each value of an enumeration.
template <class Value, std::size_t count>
constexpr std::array<Value, count> rows_of()
{
    std::array<Value, count> rows{};
    for (std::size_t i = 0; i < count; ++i)
    {
        rows.at(i) = static_cast<Value>(i);
    }
    return rows;
}

struct TableEvent
{
    std::optional<std::size_t> pressed; // rows
    std::optional<std::size_t> hovered; // or with the keyboard's focus
    std::optional<std::size_t> heading; // pressed: of the columns, those without room included
};

// Scrolling of a table with more rows than room, by the wheel.
struct TableScroll
{
    std::size_t first = 0;
    std::optional<std::size_t> follow; // a row that comes into sight
    std::size_t pinned = 0;            // the last rows always are
};

template <class Row>
struct Table
{
    template <class Result>
    using Of = std::function<Result(const Row&)>;

    Table(std::vector<Column<Row>> all, Of<std::string> label = nullptr, Of<bool> is_chosen = nullptr,
          float high = kTablePitch, Of<std::string> says = nullptr, Of<std::string> name = nullptr)
        : columns(std::move(all)), id(std::move(label)), chosen(std::move(is_chosen)), pitch(high),
          tip(std::move(says)), part(std::move(name))
    {
    }

    std::vector<Column<Row>> columns;
    Of<std::string> id; // a button's label; without one a row cannot be pressed
    Of<bool> chosen;
    float pitch; // [design px] of a row, less where there is no room
    Of<std::string> tip;
    Of<std::string> part; // what lessons call the row
    TableScroll* scroll = nullptr;

    TableEvent draw(const Painter& painter, Rect area, std::span<const Row> rows) const;
};

// The height of the headings and this many rows.
float table_height(const Painter& painter, std::size_t rows, float pitch = kTablePitch);
// Draws a table of rows by their number.
TableEvent draw_table(const Painter& painter, Rect area, const Table<std::size_t>& table, std::size_t rows);

template <class Row>
TableEvent Table<Row>::draw(const Painter& painter, Rect area, std::span<const Row> rows) const
{
    const auto of_row = [rows](const auto& function)
    {
        using Result = std::invoke_result_t<decltype(function), const Row&>;
        return function ? std::function<Result(const std::size_t&)>([rows, &function](std::size_t i)
                                                                    { return function(rows[i]); })
                        : nullptr;
    };
    Table<std::size_t> table{{}, of_row(id), of_row(chosen), pitch, of_row(tip), of_row(part)};
    for (const Column<Row>& c : columns)
    {
        Column<std::size_t>& added = table.columns.emplace_back(c.heading, of_row(c.cell), c.keep, c.tip);
        added.left = c.left;
        added.least = c.least;
        added.stretch = c.stretch;
        added.button = c.button;
        added.order = c.order;
        if (c.paint)
        {
            added.paint = [rows, &c](const Painter& p, Rect r, std::size_t i, bool lit)
            { c.paint(p, r, rows[i], lit); };
        }
    }
    table.scroll = scroll;
    return draw_table(painter, area, table, rows.size());
}

} // namespace ringside
