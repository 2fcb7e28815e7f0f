#include "ui/views/lab/ranks/bars.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/team/team_traffic.h"
#include "ui/views/lab/ranks/moment.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool is_state(Component component)
{
    return std::ranges::find(kStateComponents, component) != kStateComponents.end();
}

} // namespace

std::int64_t sent_on(const std::vector<RankTrace::Sent>& sent, std::string_view axis)
{
    const auto found = std::ranges::find(sent, axis, &RankTrace::Sent::axis);
    return found == sent.end() ? 0 : found->bytes;
}

bool state_as_predicted(const MemoryUse& measured, const StageMemory& predicted)
{
    return std::ranges::all_of(kStateComponents, [&](Component c)
                               { return static_cast<double>(measured.of(c)) == predicted.of(c).value; });
}

bool sent_as_predicted(const RankTrace& rank, const std::vector<RankTrace::Sent>& predicted)
{
    return std::ranges::all_of(
        kTrafficAxes, [&](std::string_view axis)
        { return axis == "control" || sent_on(rank.sent, axis) == sent_on(predicted, axis); });
}

namespace
{

std::string says(std::size_t equal, std::size_t ranks, std::string_view all)
{
    return equal == ranks ? std::string(all) : fmt::format("{} of {}", equal, ranks);
}

double sum(std::span<const BarPart> parts)
{
    return sum_over(parts, &BarPart::value);
}

// Measured, and below it what was predicted.
void add_part(BarCell& cell, const Theme& t, double measured, double predicted, Colour colour)
{
    cell.parts.push_back({measured, plain_fill(colour)});
    cell.below.push_back({predicted, plain_fill(dim(t, colour, 0.45F))});
}

BarCell sent_cell(const Theme& t, const RankTrace& rank, const std::vector<RankTrace::Sent>& predicted)
{
    BarCell cell;
    double counted = 0;
    for (const std::string_view axis : kTrafficAxes)
    {
        const auto measured = static_cast<double>(sent_on(rank.sent, axis));
        add_part(cell, t, measured, static_cast<double>(sent_on(predicted, axis)), colour_of_axis(t, axis));
        counted += axis == "control" ? 0 : measured;
    }
    cell.figure = format_bytes(Bytes(counted));
    cell.tick = sent_as_predicted(rank, predicted);
    return cell;
}

// State after the step; what comes and goes in it, at its peak.
BarCell memory_cell(const Theme& t, const RankTrace& rank, const StageMemory& predicted)
{
    BarCell cell;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto c = static_cast<Component>(i);
        const auto measured = static_cast<double>(is_state(c) ? rank.memory.of(c) : rank.peak.of(c));
        add_part(cell, t, measured, predicted.of(c).value, t.of(c).fill);
    }
    cell.figure = format_bytes(Bytes(sum(cell.parts)));
    cell.tick = state_as_predicted(rank.memory, predicted);
    return cell;
}

BarRows rows_of(const Theme& t, const TeamFrame& team, const TeamStepTrace& trace)
{
    BarRows all{{{"Sent in this step"}, {"Memory"}}, {}, 32};
    std::array<std::size_t, 2> equal{};
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    {
        all.rows.push_back({fmt::format("rank {}", rank),
                            {sent_cell(t, trace.ranks[rank], team.predicted.traffic[rank]),
                             memory_cell(t, trace.ranks[rank], team.predicted.stage_of(rank))}});
        for (std::size_t c = 0; c < equal.size(); ++c)
        {
            const BarCell& cell = all.rows.back().cells[c];
            equal.at(c) += cell.tick ? 1 : 0;
            all.columns[c].most = std::max({all.columns[c].most, sum(cell.parts), sum(cell.below)});
        }
    }
    all.columns[0].note = says(equal[0], trace.ranks.size(), "to the byte");
    all.columns[1].note = says(equal[1], trace.ranks.size(), "state to the byte");
    return all;
}

void say_cell(const Painter& p, Rect bounds, const std::string& heading, const BarCell& cell, bool sent)
{
    std::vector<TipLine> lines;
    for (std::size_t i = 0; i < cell.parts.size(); ++i)
    {
        const std::string_view name = sent ? kTrafficAxes.at(i) : name_of(static_cast<Component>(i));
        const double measured = cell.parts[i].value;
        const double predicted = cell.below[i].value;
        if (measured > 0 || predicted > 0)
        {
            std::string value = format_bytes(Bytes(measured), p.look.unit);
            value += measured != predicted && name != "control"
                         ? " / " + format_bytes(Bytes(predicted), p.look.unit)
                         : "";
            lines.push_back({std::string(name), std::move(value), cell.parts[i].fill.ink.fill});
        }
    }
    tip_card(p, bounds, ImGui::GetIO().MousePos, heading, lines, "measured / predicted where they differ");
}

} // namespace

void RankBars::draw(const Frame& frame, const Painter& p, Rect area, const TeamStepTrace& trace, Out& out)
{
    const TeamFrame& team = *frame.team;
    if (team.snapshot->trace && team.predicted.traffic.size() == trace.ranks.size())
    {
        rows_ = rows_of(p.theme, team, trace);
    }
    if (rows_.rows.empty() || area.h < p.px(48))
    {
        return;
    }
    const auto eased = [&](Tween& tween, double value)
    { return static_cast<double>(tween.towards(static_cast<float>(value), frame, p.look, out)); };
    BarRows now = rows_;
    drawn_.resize(now.rows.size());
    for (std::size_t c = 0; c < now.columns.size(); ++c)
    {
        now.columns[c].most = eased(scales_.at(c), now.columns[c].most);
        for (std::size_t r = 0; r < now.rows.size(); ++r)
        {
            std::vector<BarPart>& parts = now.rows[r].cells[c].parts;
            for (std::size_t i = 0; i < parts.size(); ++i)
            {
                parts[i].value = eased(drawn_[r].at(c).at(i), parts[i].value);
            }
        }
    }
    now.reads = false;
    const DrawnRows drawn = draw_bar_rows(p, area, now);
    if (drawn.hovered && drawn.column)
    {
        const std::string heading =
            fmt::format("{}, rank {}", rows_.columns[*drawn.column].title, *drawn.hovered);
        say_cell(p, area, heading, rows_.rows[*drawn.hovered].cells[*drawn.column], *drawn.column == 0);
    }
}

} // namespace ringside
