#include "ui/views/lab/lab/peak.h"

#include "core/base/ranges.h"
#include "core/base/text.h"
#include "ui/views/lab/lab/words.h"
#include "ui/widgets/bar_rows.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string bytes(const Painter& p, std::int64_t amount)
{
    return format_bytes(Bytes(amount), p.look.unit);
}

BarRow row_of(const Painter& p, std::string name, const MemoryUse& use, bool predicted)
{
    BarRow row{std::move(name), {{{}, {}, bytes(p, use.total())}}};
    row.chosen = !predicted;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        Ink ink = p.theme.component[i];
        ink.edge = predicted ? ink.fill : ink.edge;
        ink.fill = predicted ? dim(p.theme, ink.fill, 0.6F) : ink.fill;
        row.cells[0].parts.push_back({static_cast<double>(use.parts[i]), {ink}});
    }
    return row;
}

// On one scale.
void draw_rows(const Painter& p, Rect area, std::vector<BarRow> rows)
{
    const double most = largest_over(
        rows, [](const BarRow& row) { return sum_over(row.cells[0].parts, &BarPart::value); }, 1);
    draw_bar_rows(p, area, {{{"", "", most}}, std::move(rows)});
}

// Components that share a line of the table.
struct Line
{
    std::string_view name;
    std::array<int, 3> parts; // Component, -1: none
};
constexpr int of(Component c)
{
    return static_cast<int>(c);
}
constexpr std::array kLines{
    Line{"weights", {of(Component::weights), -1, -1}}, Line{"gradients", {of(Component::gradients), -1, -1}},
    Line{"master, momentum, variance",
         {of(Component::master_weights), of(Component::momentum), of(Component::variance)}},
    Line{"buffers", {of(Component::buffers), -1, -1}},
    Line{"activations", {of(Component::activations), -1, -1}}};

std::int64_t sum(const MemoryUse& use, const Line& line)
{
    return sum_over<std::int64_t>(line.parts, [&](int part)
                                  { return part < 0 ? 0 : use.parts.at(static_cast<std::size_t>(part)); });
}

void draw_swatches(const Painter& p, Rect cell, const Line& line)
{
    for (const int part : line.parts)
    {
        if (part >= 0)
        {
            p.fill({cell.x, cell.middle() - p.px(6), p.px(12), p.px(12)},
                   p.theme.component.at(static_cast<std::size_t>(part)).fill);
            cell.x += p.px(16);
        }
    }
}

void draw_table(const Painter& p, Rect area, const LabRun& run)
{
    const auto predicted = [&run](const Line& line) { return sum(run.predicted.memory, line); };
    const auto measured = [&run](const Line& line) { return sum(run.snapshot->peak, line); };
    const Table<Line> table(
        {Column<Line>("", [](const Line& line) { return line.name; })
             .with(56, [](const Painter& at, Rect r, const Line& line, bool) { draw_swatches(at, r, line); }),
         {"predicted", [&](const Line& line) { return Cell(bytes(p, predicted(line)), p.theme.muted); }, 1},
         {"measured", [&](const Line& line) { return bytes(p, measured(line)); }, 2},
         {"off by", [&](const Line& line) { return off_by(predicted(line), measured(line)); }}});
    table.draw(p, area, kLines);
}

} // namespace

void draw_peak(const Painter& p, Rect area, const LabFrame& lab)
{
    p.part("memory", area);
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, "Memory at the peak");
    const LabRun& run = lab.a;
    const bool second = lab.b && lab.b->snapshot && lab.b->snapshot->step > 0 &&
                        lab.b->snapshot->peak.total() != run.snapshot->peak.total();
    std::vector<BarRow> rows{row_of(p, "predicted", run.predicted.memory, true),
                             row_of(p, second ? run.name : "measured", run.snapshot->peak, false)};
    if (second)
    {
        rows.push_back(row_of(p, lab.b->name, lab.b->snapshot->peak, false));
    }
    const float each = p.px(second ? 28 : 36);
    if (area.h < each * 2)
    {
        return;
    }
    const Rect bars = area.cut_top(std::min(area.h, each * static_cast<float>(rows.size())));
    draw_rows(p, bars, std::move(rows));
    area.cut_top(p.px(6));
    draw_table(p, area, run);
}

void draw_predicted_bar(const Painter& p, Rect area, const LabRun& run)
{
    draw_rows(p, area, {row_of(p, "predicted", run.predicted.memory, true)});
}

} // namespace ringside
