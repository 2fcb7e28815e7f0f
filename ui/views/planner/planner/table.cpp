
#include <fmt/format.h>

#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/charts/stacked_bar.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kPitch = 32;

using PlannerCells = Column<const PlannerRow*>;

void draw_memory(const Painter& p, Rect cell, double bytes, double capacity)
{
    Rect bar{cell.x, cell.middle() - p.px(4), 0, p.px(8)};
    bar.w = cell.w - p.width(Type::mono_small, "0.00") - p.px(12);
    p.fill(bar, p.theme.raised);
    draw_stacked_bar(p, bar, std::array{BarPart{bytes, plain_fill(mix(p.theme.text, p.theme.window, 0.3F))}},
                     {.most = std::max(bytes, capacity), .up = false, .limit = capacity});
}

PlannerCells cells_of(const Painter& p, CandidateColumn column, const PlannerRows& rows,
                      const PlannerTableFrame& frame)
{
    const double capacity = frame.capacity;
    const DataColumn<Candidate>& info = info_of(column);
    const bool memory = column == CandidateColumn::memory;
    const bool ranked = column == rows.ranked_by();
    // The layout in use has the numbers of the row for now, also where fields differ that mean nothing.
    const auto words = [=, &p, &now = frame.now, invalid = frame.invalid](const PlannerRow* row)
    {
        row = row != invalid && same_run(row->candidate.layout, now.candidate.layout) ? &now : row;
        const bool over = memory && row->candidate.bytes > capacity;
        const std::string equal = ranked && row->equals_best && row->rank > 1 ? "\u2248 " : "";
        return Cell(equal + row->cells.at(static_cast<std::size_t>(column)), over ? p.theme.warning : 0);
    };
    PlannerCells cells(info.heading_with_unit(p.look.unit), words, info.keep, std::string(info.help));
    cells.left = info.left;
    if (memory)
    {
        cells = std::move(cells).with(48, [capacity](const Painter& at, Rect r, const PlannerRow* row, bool)
                                      { draw_memory(at, r, row->candidate.bytes, capacity); });
    }
    const int direction = rows.sorted_by() != column ? 0 : rows.descending() ? -1 : 1;
    return std::move(cells).sorted(fmt::format("###sort {}", name_of(column)), direction);
}

// What a row is good for: it runs already, it is tight or invalid, or L loads it.
PlannerCells load_column(const PlannerTableFrame& frame, const PlannerRow* chosen)
{
    const auto running = [&frame](const PlannerRow* row)
    { return row != &frame.now && same_run(row->candidate.layout, frame.now.candidate.layout); };
    const auto use_of = [=, &frame](const PlannerRow* row)
    {
        return row == frame.invalid                    ? std::string("invalid")
               : running(row)                          ? std::string(frame.now_word())
               : row->candidate.tight && row != chosen ? std::string("tight")
                                                       : std::string();
    };
    return PlannerCells("load", use_of, 0)
        .with(0,
              [=](const Painter& at, Rect r, const PlannerRow* row, bool)
              {
                  if (row == chosen && !running(row))
                  {
                      at.keycap(r.right() - at.px(24), r.middle(), "L");
                  }
              });
}

} // namespace

float PlannerTable::height(const Painter& painter, std::size_t rows)
{
    return table_height(painter, rows + 1, kPitch);
}

PlannerTableEvent PlannerTable::draw(const Painter& p, Rect area, PlannerRows& rows,
                                     const PlannerTableFrame& frame)
{
    std::vector<const PlannerRow*> all;
    for (const PlannerRow& row : rows.rows())
    {
        all.push_back(&row);
    }
    if (frame.invalid != nullptr)
    {
        all.push_back(frame.invalid);
    }
    all.push_back(&frame.now);
    const auto row_at = [&](std::optional<std::size_t> at) { return at ? all[*at] : nullptr; };
    const PlannerRow* const chosen = row_at(rows.chosen());
    const PlannerRow* const lit = row_at(frame.lit ? rows.find(*frame.lit) : std::nullopt);
    const std::string now_word(frame.now_word());
    const auto name_of_row = [&](const PlannerRow* row) {
        return row->rank > 0 ? std::to_string(row->rank) : row == frame.invalid ? "now" : now_word;
    };
    std::vector<PlannerCells> columns{{"", name_of_row}};
    for (const CandidateColumn column : rows.columns())
    {
        columns.push_back(cells_of(p, column, rows, frame));
    }
    columns.push_back(load_column(frame, chosen));
    Table<const PlannerRow*> table(
        std::move(columns),
        [&](const PlannerRow* row)
        { return frame.live && row->rank > 0 ? fmt::format("###layout {}", row->rank) : std::string(); },
        [=](const PlannerRow* row) { return row == chosen || row == lit; }, kPitch);
    scroll_.follow = std::exchange(follow_, false) ? rows.chosen() : std::nullopt;
    scroll_.pinned = frame.invalid != nullptr ? 2 : 1;
    table.scroll = &scroll_;
    const TableEvent event = table.draw(p, area, all);
    if (frame.progress < 1)
    {
        p.fill({area.x, area.y + p.px(kPitch - 1), area.w * static_cast<float>(frame.progress), p.px(3)},
               p.theme.text);
    }
    const auto layout_of_row = [&](std::optional<std::size_t> at)
    { return at ? std::optional(all[*at]->candidate.layout) : std::nullopt; };
    const PlannerTableEvent said{layout_of_row(event.hovered), layout_of_row(event.pressed)};
    if (event.heading)
    {
        rows.sort_by(rows.columns()[*event.heading - 1]);
        scroll_.first = 0;
    }
    return said;
}

} // namespace ringside
