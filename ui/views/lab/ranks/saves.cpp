#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/ranks/bars.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string seconds_words(double value)
{
    return format_seconds(Seconds(value));
}

constexpr std::array kModes{std::pair{SaveMode::synchronous, "Synchronous"},
                            std::pair{SaveMode::asynchronous, "Asynchronous"}};

// The middle one: a few steps are slow for reasons of their own.
double usual_step(const std::vector<TeamPace>& pace)
{
    auto seconds = list_of<double>(pace, &TeamPace::seconds);
    if (seconds.empty())
    {
        return 0;
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
}

// The mean of all saves of one mode that are over.
struct Cost
{
    std::int64_t count = 0;
    double bytes = 0;
    double stalled = 0;   // [s]
    double written = 0;   // [s]
    double predicted = 0; // [s] of `stalled`
};

Cost cost_of(const TeamFrame& team, SaveMode mode)
{
    const TeamSnapshot& snapshot = *team.snapshot;
    Cost cost;
    for (const TeamSave& s : snapshot.saves)
    {
        if (s.mode == mode && s.written_s >= 0 && s.fault.empty())
        {
            ++cost.count;
            cost.bytes += static_cast<double>(s.bytes);
            cost.stalled += s.stalled_s;
            cost.written += s.written_s;
        }
    }
    const auto n = static_cast<double>(std::max<std::int64_t>(1, cost.count));
    cost.bytes /= n;
    cost.stalled /= n;
    cost.written /= n;
    SavePlan plan = team.request.saving;
    plan.mode = mode;
    cost.predicted = predicted_stall(plan, std::llround(cost.bytes), usual_step(snapshot.pace));
    return cost;
}

Fill stall_fill(const Theme& t)
{
    return {.ink = t.backward_weight, .lines = t.window, .hatch = kExposedHatch};
}

void draw_pace(const Painter& p, Rect area, const std::vector<TeamPace>& pace)
{
    const Theme& t = p.theme;
    const double most = largest_over(
        pace, [](const TeamPace& step) { return step.seconds + step.stalled_s; }, 1e-9);
    const double first = static_cast<double>(pace.front().step) - 1;
    const double last = std::max(first + 40, static_cast<double>(pace.back().step));
    Plot plot(
        p, area, {first, last, PlotScale::linear, "step", [](double v) { return grouped(std::llround(v)); }},
        {0, most * 1.06, PlotScale::linear, "step time, with the checkpoint stall on top", seconds_words});
    if (!plot)
    {
        return;
    }
    const float gap = plot.area.w / static_cast<float>(last - first) > p.px(4) ? p.px(1) : 0;
    for (const TeamPace& step : pace)
    {
        const auto at = static_cast<double>(step.step);
        Rect work = plot.rect(at - 1, at, 0, step.seconds);
        Rect stall = plot.rect(at - 1, at, step.seconds, step.seconds + step.stalled_s);
        work.cut_right(gap);
        stall.cut_right(gap);
        p.fill(work, t.forward.fill);
        draw_fill(p, stall, stall_fill(t));
        if (p.points_at({work.x, plot.area.y, work.w, plot.area.h}))
        {
            tooltip_at_mouse(p, step.stalled_s > 0
                                    ? fmt::format("step {}: {}, then {} for a checkpoint", step.step,
                                                  seconds_words(step.seconds), seconds_words(step.stalled_s))
                                    : fmt::format("step {}: {}", step.step, seconds_words(step.seconds)));
        }
    }
}

void draw_costs(const Painter& p, Rect area, const TeamFrame& team)
{
    using Mode = std::pair<SaveMode, const char*>;
    const auto mean = [&team](auto words)
    {
        return [&team, words](const Mode& mode)
        {
            const Cost cost = cost_of(team, mode.first);
            return cost.count > 0 ? words(cost) : std::string("\u2013");
        };
    };
    const Table<Mode> table(
        {{"", [](const Mode& mode) { return mode.second; }},
         {"checkpoints", [&team](const Mode& mode) { return grouped(cost_of(team, mode.first).count); }, 2},
         {"size", mean([](const Cost& c) { return format_bytes(Bytes(c.bytes)); }), 1},
         {"write time", mean([](const Cost& c) { return seconds_words(c.written); }), 3},
         {"stalled", mean([](const Cost& c) { return seconds_words(c.stalled); })},
         {"predicted", mean([](const Cost& c) { return seconds_words(c.predicted); }), 4}});
    table.draw(p, area, kModes);
}

} // namespace

void draw_saves_page(const Painter& p, Rect area, const TeamFrame& team)
{
    const TeamSnapshot& s = *team.snapshot;
    const bool none = team.request.saving.mode == SaveMode::none && s.saves.empty();
    draw_head(p, area.cut_top(p.px(28)), "Checkpoint stall",
              !team.watched.empty() ? ""
              : none                ? "press K to save checkpoints while it trains"
                                    : "written for real, at the storage rate in the panel");
    const auto fault =
        std::ranges::find_if(s.saves, [](const TeamSave& save) { return !save.fault.empty(); });
    if (fault != s.saves.end())
    {
        say_if_room(p, area, Type::body, p.theme.text, "Not saved: " + fault->fault, p.px(8));
    }
    if (s.pace.empty())
    {
        empty_state(p, area, "",
                    team.recorded          ? "The recordings have no checkpoints."
                    : team.watched.empty() ? "Press . for the first step."
                                           : "A run elsewhere does not report its checkpoint costs.");
        return;
    }
    const float costs = table_height(p, kModes.size());
    if (area.h > costs + p.px(150))
    {
        area.cut_bottom(p.px(8));
        draw_costs(p, area.cut_bottom(costs), team);
        area.cut_bottom(p.px(10));
    }
    draw_legend(p, area.cut_top(p.px(24)),
                std::array{LegendItem{"step", {p.theme.forward}},
                           LegendItem{"checkpoint stall", stall_fill(p.theme)}});
    draw_pace(p, area, s.pace);
}

Caption saves_caption(const TeamFrame& team)
{
    Caption caption{
        "Writing a checkpoint takes its bytes over the storage rate: **how long does training stall?**",
        "synchronous = bytes / rate; asynchronous = max(0, bytes / rate \u2212 steps between two)",
        "Mohan et al. 2021, CheckFreq, FAST, section 4: snapshot and persist."};
    std::string measured;
    for (const auto& [mode, name] : kModes)
    {
        const Cost cost = team.started() ? cost_of(team, mode) : Cost{};
        if (cost.count > 0)
        {
            const bool sync = mode == SaveMode::synchronous;
            measured += fmt::format("{} {} checkpoint stalled training for **{}**, predicted {}",
                                    measured.empty() ? (sync ? "A" : "An") : (sync ? "; a" : "; an"),
                                    sync ? "synchronous" : "asynchronous", seconds_words(cost.stalled),
                                    seconds_words(cost.predicted));
        }
    }
    if (!measured.empty())
    {
        caption.sentence = measured + ".";
    }
    return caption;
}

} // namespace ringside
