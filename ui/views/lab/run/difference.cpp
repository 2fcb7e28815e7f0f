// The way from the predicted step to the measured one, part by part: what takes longer is hatched, what takes
// less is an outline that steps back.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/base/text/time_scale.h"
#include "ui/views/lab/run/pages.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kRunRow = 27;         // [design px]
constexpr double kHardlyAny = 0.0005; // of the step

struct DifferenceRow
{
    std::string name;
    std::string place; // pressed, it opens; empty: of both totals
    double from = 0;   // [s]
    double to = 0;
    std::optional<double> before;
    std::optional<double> after;
    bool total = false;

    double change() const { return to - from; }
};

const std::vector<ComparedPart>& parts_on_show(const RunPicture& picture, bool from_run)
{
    return from_run && !picture.between.empty() ? picture.between : picture.compared.parts;
}

std::vector<DifferenceRow> difference_rows(const std::vector<ComparedPart>& parts, bool from_run)
{
    double before = 0;
    double after = 0;
    for (const ComparedPart& part : parts)
    {
        before += part.predicted;
        after += part.measured.value_or(part.predicted);
    }
    std::vector<DifferenceRow> rows{
        {from_run ? "kept run" : "predicted step", "", 0, before, before, {}, true}};
    double at = before;
    for (const ComparedPart& part : parts)
    {
        rows.push_back({part.name, part.place, at, at + part.change(), part.predicted, part.measured});
        at += part.change();
    }
    rows.push_back({from_run ? "this run" : "measured step", "", 0, after, {}, after, true});
    return rows;
}

void draw_row_bar(const Painter& p, Rect cell, const DifferenceRow& row, double most)
{
    const auto x = [&](double seconds) { return cell.x + cell.w * static_cast<float>(seconds / most); };
    const float high = std::min(p.px(18), cell.h - p.px(4));
    const float from = std::round(x(std::min(row.from, row.to)));
    const float to = std::round(x(std::max(row.from, row.to)));
    const Rect bar{from, std::round(cell.middle() - high / 2), std::max(to - from, p.px(2)),
                   std::round(high)};
    const Theme& t = p.theme;
    if (row.total)
    {
        p.block(bar, row.after ? t.series[0] : t.forward);
    }
    else if (!row.after || std::abs(row.change()) < kHardlyAny * most)
    {
        p.line(from, bar.y, from, bar.bottom(), t.line, p.px(2));
    }
    else if (row.change() > 0)
    {
        draw_fill(p, bar,
                  {.ink = {with_alpha(t.series[0].fill, 0.35F)},
                   .lines = t.series[0].fill,
                   .hatch = kExposedHatch});
    }
    else
    {
        p.outline(bar, t.forward.fill, p.px(2));
    }
}

std::string place_tip(const DifferenceRow& row)
{
    const ViewInfo* const view = find_view(row.place);
    return row.total         ? std::string()
           : !row.after      ? "These files do not tell this part apart."
           : view == nullptr ? std::string()
                             : fmt::format("Open \u201c{}\u201d, which explains it", view->title);
}

} // namespace

float run_rows_height(const Painter& p, const RunPicture& picture, bool from_run)
{
    const std::size_t parts = parts_on_show(picture, from_run).size();
    return parts == 0 ? 0 : table_height(p, parts + 2, kRunRow);
}

void draw_difference(const RunRoom& r, Rect area, const RunPicture& picture)
{
    const bool from_run = r.state.from_run && !picture.between.empty();
    const std::vector<DifferenceRow> rows = difference_rows(parts_on_show(picture, from_run), from_run);
    double most = 1e-12;
    for (const DifferenceRow& row : rows)
    {
        most = std::max({most, row.from, row.to});
    }
    const TimeScale time(most);
    const auto text = [&](const std::optional<double>& seconds)
    { return Cell(seconds ? time.text(*seconds) : std::string("\u2013"), seconds ? 0 : r.p.theme.muted); };
    const Table<DifferenceRow> table(
        {{from_run ? "From the kept run to this one" : "From predicted to measured",
          [](const DifferenceRow& row)
          {
              Cell name(row.name);
              return row.total ? std::move(name).strong() : name;
          }},
         Column<DifferenceRow>("", nullptr)
             .wide(90, [&](const Painter& p, Rect cell, const DifferenceRow& row, bool)
                   { draw_row_bar(p, cell, row, most); }),
         {from_run ? "kept" : "predicted", [&](const DifferenceRow& row) { return text(row.before); }, 1},
         {from_run ? "this run" : "measured", [&](const DifferenceRow& row) { return text(row.after); }, 2},
         {fmt::format("change, {}", time.name),
          [&](const DifferenceRow& row)
          {
              return row.total   ? Cell("")
                     : row.after ? Cell(time.change(row.change()))
                                 : Cell("\u2013", r.p.theme.muted);
          }}},
        [](const DifferenceRow& row) { return row.place.empty() ? std::string() : "###part " + row.name; },
        [](const DifferenceRow& row) { return row.total; }, kRunRow, place_tip);
    r.p.part("difference", area);
    if (const TableEvent event = table.draw(r.p, area, rows);
        event.pressed && !rows[*event.pressed].place.empty())
    {
        r.out.push(OpenView{rows[*event.pressed].place});
    }
}

} // namespace ringside
