// What to change first, and which seconds one layout has over another.
#include <fmt/format.h>

#include "ui/views/planner/planner/parts.h"

#include <algorithm>

namespace ringside
{

namespace
{

// A part of the step, from where the parts before it have come to.
struct WhyBar
{
    PartChange part;
    double from = 0;
};

std::vector<WhyBar> why_bars(const LayoutDifference& difference)
{
    std::vector<WhyBar> bars;
    double sum = 0;
    for (const PartChange& part : difference.parts)
    {
        bars.push_back({part, sum});
        sum += part.seconds;
    }
    return bars;
}

} // namespace

void draw_planner_why(PanelColumn& column, const Painter& painter, const PlannerWhy& why)
{
    column.label(why.pinned ? "Against the pinned row" : "Why the chosen row");
    column.note(sentence_of(why.difference, painter.look.unit));
    const std::vector<WhyBar> bars = why_bars(why.difference);
    double low = 0;
    double high = 0;
    for (const WhyBar& bar : bars)
    {
        low = std::min(low, bar.from + bar.part.seconds);
        high = std::max(high, bar.from + bar.part.seconds);
    }
    if (bars.empty() || high <= low)
    {
        return;
    }
    const auto draw_bar = [low, high](const Painter& p, Rect cell, const WhyBar& bar, bool)
    {
        const auto x = [&](double seconds)
        { return cell.x + cell.w * static_cast<float>((seconds - low) / (high - low)); };
        const double to = bar.from + bar.part.seconds;
        const float left = x(std::min(bar.from, to));
        const float high_of = cell.h / 10;
        p.fill({left, cell.bottom() - high_of, std::max(1.0F, x(std::max(bar.from, to)) - left), high_of},
               bar.part.seconds > 0 ? p.theme.warning : p.theme.text);
    };
    const Table<WhyBar> table(
        {Column<WhyBar>("Seconds per step", [](const WhyBar& bar) { return std::string(bar.part.part); })
             .with(0, draw_bar),
         {"", [](const WhyBar& bar) { return fmt::format("{:+.3g}", bar.part.seconds); }}},
        nullptr, nullptr, 28);
    const Rect rest = column.rest();
    const float high_of_all = table_height(painter, bars.size(), 28);
    table.draw(painter, {rest.x, rest.y, rest.w, high_of_all}, bars);
    column.below(rest.y + high_of_all);
    column.gap();
}

void draw_planner_changes(PanelColumn& column, const Painter& painter, std::span<const Change> changes,
                          Out& out)
{
    if (changes.empty())
    {
        return;
    }
    const ByteUnit unit = painter.look.unit;
    const Table<Change> table(
        {Column<Change>("Best single change",
                        [unit](const Change& c)
                        {
                            return Cell(c.difference.settings, 0,
                                        fmt::format("{:+.3g} s, {:+.3g} {}", c.difference.seconds(),
                                                    in_gigabytes(Bytes(c.difference.bytes), unit),
                                                    unit == ByteUnit::decimal ? "GB" : "GiB"));
                        })},
        [&](const Change& c) { return fmt::format("###change {}", &c - changes.data()); }, nullptr, 44,
        [unit](const Change& c) { return sentence_of(c, unit); });
    const Rect rest = column.rest();
    const float high = table_height(painter, changes.size(), 44);
    const TableEvent event = table.draw(painter, {rest.x, rest.y, rest.w, high}, changes);
    column.below(rest.y + high);
    column.gap();
    if (event.pressed)
    {
        const Change& chosen = changes[*event.pressed];
        out.push(ChangeScenario{chosen.after, false, sentence_of(chosen, unit)});
    }
}

} // namespace ringside
