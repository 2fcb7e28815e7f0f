#include "ui/views/ranks/bars.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/lab/team_traffic.h"
#include "ui/views/lab/plot.h"
#include "ui/views/ranks/moment.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array kState{Component::weights, Component::gradients, Component::master_weights,
                            Component::momentum, Component::variance};
constexpr float kNames = 56; // [design px]

bool is_state(Component component)
{
    return std::ranges::find(kState, component) != kState.end();
}

} // namespace

std::int64_t sent_on(const std::vector<RankTrace::Sent>& sent, std::string_view axis)
{
    const auto found = std::ranges::find(sent, axis, &RankTrace::Sent::axis);
    return found == sent.end() ? 0 : found->bytes;
}

bool state_as_predicted(const MemoryUse& measured, const StageMemory& predicted)
{
    return std::ranges::all_of(kState, [&](Component c)
                               { return static_cast<double>(measured.of(c)) == predicted.of(c).value; });
}

bool sent_as_predicted(const RankTrace& rank, const std::vector<RankTrace::Sent>& predicted)
{
    return std::ranges::all_of(
        kTrafficAxes, [&](std::string_view axis)
        { return axis == "control" || sent_on(rank.sent, axis) == sent_on(predicted, axis); });
}

RankBars::Column RankBars::sent_column(const Theme& theme, const TeamFrame& team, const TeamStepTrace& trace)
{
    Column column{"Sent in this step", {}, {}, 1};
    std::size_t equal = 0;
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    {
        const auto& predicted = team.predicted.traffic[rank];
        Row row;
        double forecast = 0;
        for (const std::string_view axis : kTrafficAxes)
        {
            const auto measured = static_cast<double>(sent_on(trace.ranks[rank].sent, axis));
            const auto expected = static_cast<double>(sent_on(predicted, axis));
            row.parts.push_back({measured, expected, colour_of_axis(theme, axis), axis});
            row.total += axis == "control" ? 0 : measured;
            forecast += expected;
        }
        row.equal = sent_as_predicted(trace.ranks[rank], predicted);
        equal += row.equal ? 1 : 0;
        column.most = std::max({column.most, row.total, forecast});
        column.rows.push_back(std::move(row));
    }
    column.says =
        equal == trace.ranks.size() ? "to the byte" : fmt::format("{} of {}", equal, trace.ranks.size());
    return column;
}

// State after the step; what comes and goes in it, at its peak.
RankBars::Column RankBars::memory_column(const Theme& theme, const TeamFrame& team,
                                         const TeamStepTrace& trace)
{
    Column column{"Memory", {}, {}, 1};
    std::size_t equal = 0;
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    {
        const StageMemory& predicted = team.predicted.stage_of(rank);
        const RankTrace& real = trace.ranks[rank];
        Row row;
        double forecast = 0;
        for (std::size_t i = 0; i < kComponents; ++i)
        {
            const auto c = static_cast<Component>(i);
            const auto measured = static_cast<double>(is_state(c) ? real.memory.of(c) : real.peak.of(c));
            row.parts.push_back({measured, predicted.of(c).value, theme.of(c).fill, name_of(c)});
            row.total += measured;
            forecast += predicted.of(c).value;
        }
        row.equal = state_as_predicted(real.memory, predicted);
        equal += row.equal ? 1 : 0;
        column.most = std::max({column.most, row.total, forecast});
        column.rows.push_back(std::move(row));
    }
    column.says = equal == trace.ranks.size() ? "state to the byte"
                                              : fmt::format("{} of {}", equal, trace.ranks.size());
    return column;
}

// Measured above, predicted below.
void RankBars::draw_bar(const Frame& frame, const Painter& p, Rect line, const Row& row, Bar& bar, float most,
                        Out& out)
{
    const float gap = std::max(1.0F, line.h * 0.12F);
    const float thin = std::max(2.0F, std::round((line.h - gap) * 0.22F));
    const float thick = line.h - gap - thin - 1;
    float above = line.x;
    float below = line.x;
    for (std::size_t i = 0; i < row.parts.size(); ++i)
    {
        const Part& part = row.parts[i];
        const float real = bar.parts.at(i).towards(static_cast<float>(part.measured), frame, p.look, out);
        const float w = std::min(line.w * real / most, line.right() - above);
        p.fill({above, line.y, w, thick}, part.colour);
        above += w;
        const float forecast =
            std::min(line.w * static_cast<float>(part.predicted) / most, line.right() - below);
        p.fill({below, line.y + thick + 1, forecast, thin}, dim(p.theme, part.colour, 0.45F));
        below += forecast;
    }
}

void RankBars::say_row(const Painter& p, Rect bounds, std::string heading, const Row& row, ByteUnit unit)
{
    std::vector<TipLine> lines;
    for (const Part& part : row.parts)
    {
        if (part.measured <= 0 && part.predicted <= 0)
        {
            continue;
        }
        std::string value = format_bytes(Bytes(part.measured), unit);
        if (part.measured != part.predicted && part.name != "control")
        {
            value += " / " + format_bytes(Bytes(part.predicted), unit);
        }
        lines.push_back({std::string(part.name), std::move(value), part.colour});
    }
    tip_card(p, bounds, ImGui::GetIO().MousePos, heading, lines, "measured / predicted where they differ");
}

void RankBars::draw_column(const Frame& frame, const Painter& p, Rect area, const Column& column,
                           Drawn& drawn, Out& out)
{
    const Rect bounds = area;
    draw_head(p, area.cut_top(p.px(26)), column.title, column.says);
    const float pitch = std::min(p.px(32), area.h / static_cast<float>(column.rows.size()));
    const bool numbers = pitch >= p.height(Type::mono_small) * 0.9F && area.w > p.px(150);
    const float figure = numbers ? p.width(Type::mono_small, "8.88 MB") + p.px(34) : 0;
    const float most =
        std::max(1.0F, drawn.scale.towards(static_cast<float>(column.most), frame, p.look, out));
    drawn.bars.resize(column.rows.size());
    for (std::size_t rank = 0; rank < column.rows.size(); ++rank)
    {
        const Row& row = column.rows[rank];
        const Rect line = area.cut_top(pitch);
        draw_bar(frame, p, {line.x, line.y, line.w - figure, line.h}, row, drawn.bars[rank], most, out);
        if (numbers)
        {
            const float middle = line.y + line.h * 0.42F;
            p.text(line.right() - p.px(22), middle, Type::mono_small, p.theme.text,
                   format_bytes(Bytes(row.total), frame.preferences.unit), Align::right);
            if (row.equal)
            {
                p.tick(line.right() - p.px(14), middle, p.theme.ok);
            }
        }
        if (line.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        {
            say_row(p, bounds, fmt::format("{}, rank {}", column.title, rank), row, frame.preferences.unit);
        }
    }
}

void RankBars::draw(const Frame& frame, const Painter& p, Rect area, const TeamStepTrace& trace, Out& out)
{
    const TeamFrame& team = *frame.team;
    if (team.snapshot->trace && team.predicted.traffic.size() == trace.ranks.size())
    {
        sent_.column = sent_column(p.theme, team, trace);
        memory_.column = memory_column(p.theme, team, trace);
    }
    if (sent_.column.rows.empty() || area.h < p.px(48))
    {
        return;
    }
    Rect names = area.cut_left(p.px(kNames));
    names.cut_top(p.px(26));
    const std::size_t count = sent_.column.rows.size();
    const float pitch = std::min(p.px(32), names.h / static_cast<float>(count));
    const auto every = static_cast<std::size_t>(std::ceil(p.px(16) / std::max(1.0F, pitch)));
    for (std::size_t rank = 0; rank < count; rank += every)
    {
        p.text_within(names.x, names.y + pitch * (static_cast<float>(rank) + 0.42F), names.w, Type::small,
                      p.theme.muted, fmt::format("rank {}", rank));
    }
    const Rect left = area.cut_left((area.w - p.px(20)) / 2);
    area.cut_left(p.px(20));
    draw_column(frame, p, left, sent_.column, sent_, out);
    draw_column(frame, p, area, memory_.column, memory_, out);
}

} // namespace ringside
