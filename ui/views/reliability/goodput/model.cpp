#include "ui/views/reliability/goodput/model.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

void RunModel::find_curve()
{
    constexpr int kSteps = 120;
    const double low = std::max({rates_.least_s, rates_.best_s / 40, 1e-3});
    const double high = std::max(rates_.best_s * 40, low * 100);
    curve_.clear();
    for (const double interval : even_ratios(low, high, kSteps))
    {
        const Goodput g = goodput_at(rates_, plan, interval);
        curve_.push_back({interval, g.of(RunPart::saving), g.of(RunPart::lost), 1 - g.useful()});
    }
}

void RunModel::update(const Evaluated& now)
{
    const bool same = scenario_ && *scenario_ == now.scenario && made_ == plan;
    if (same && made_seed_ == seed && made_kills_ == kills)
    {
        return;
    }
    scenario_ = now.scenario;
    made_ = plan;
    made_seed_ = seed;
    made_kills_ = kills;
    size_ = checkpoint_size(now.scenario, now.report->memory);
    rates_ = run_rates(now.scenario, size_, Seconds(now.report->step.total()), plan);
    expected_ = goodput(rates_, plan);
    story_ = simulate_run(rates_, plan, kHorizon, seed, kills);
    if (!same)
    {
        find_curve();
    }
}

std::optional<std::size_t> RunModel::fleet() const
{
    const auto fleets = fleet_records();
    for (std::size_t i = 0; i < fleets.size(); ++i)
    {
        if (std::abs(fleets[i].gpu_hours() - plan.gpu_hours) < 1e-6 * plan.gpu_hours)
        {
            return i;
        }
    }
    return std::nullopt;
}

std::string say_time(double seconds)
{
    return format_seconds(Seconds(seconds));
}

std::string say_share(double share)
{
    const std::string words = format_percent(share);
    return share < 1 && words == "100%" ? fmt::format("{:.3f}%", 100 * share) : words;
}

Fill part_fill(const Theme& t, RunPart part)
{
    switch (part)
    {
    case RunPart::useful:
        break;
    case RunPart::saving:
        return plain_fill(t.of(Component::variance).fill);
    case RunPart::lost:
        return {
            .ink = {mix(t.window, t.forward.fill, 0.28F)}, .lines = t.forward.fill, .hatch = kOverflowHatch};
    case RunPart::detect:
        return {.ink = {t.panel}, .lines = t.idle_hatch};
    case RunPart::restart:
        return plain_fill(t.data.fill);
    case RunPart::missing:
        return {.ink = {t.raised}, .lines = t.muted, .hatch = kOverflowHatch};
    }
    return plain_fill(t.forward.fill);
}

namespace
{

constexpr std::array<std::string_view, kRunParts> kSays{
    "Goodput: t / (M e^((R+L)/M) (e^((t+d)/M) \u2212 1)), Daly 2006",
    "Training stalls while a checkpoint is written: d of every t + d",
    "Re-run since the last complete checkpoint: (t + d) / 2 per failure, and what an unfinished save adds",
    "Until the failure is detected: PyTorch\u2019s NCCL watchdog waits 10 minutes by default",
    "New processes, loading the checkpoint, the first step",
    "No spare node left: waiting for one, or continuing with fewer replicas"};

} // namespace

float parts_height(const Painter& p)
{
    return p.px(26) + table_height(p, kRunParts);
}

void draw_parts(const Painter& p, Rect area, const RunModel& model, double now)
{
    std::array<double, kRunParts> seen = parts_until(model.story(), now);
    for (double& s : seen)
    {
        s = now > 0 ? s / std::min(now, model.story().horizon) : 0;
    }
    std::vector<BarPart> shares;
    for (std::size_t i = 0; i < kRunParts; ++i)
    {
        shares.push_back({model.expected().share[i], part_fill(p.theme, static_cast<RunPart>(i))});
    }
    const auto at = [](RunPart part) { return static_cast<std::size_t>(part); };
    const Table<RunPart> table(
        {Column<RunPart>("Wall-clock time", [](RunPart part) { return name_of(part); })
             .with(kSwatchRoom, [&](const Painter&, Rect cell, RunPart part, bool)
                   { draw_swatch(p, cell, shares[at(part)].fill); }),
         {"expected", [&](RunPart part) { return say_share(model.expected().share[at(part)]); }},
         {"this run",
          [&](RunPart part) { return Cell(now > 0 ? say_share(seen[at(part)]) : "\u2013", p.theme.muted); }}},
        [](RunPart part) { return fmt::format("###part {}", name_of(part)); }, nullptr, kTablePitch,
        [at](RunPart part) { return std::string(kSays[at(part)]); });
    table.draw(p, area.cut_top(std::min(table_height(p, kRunParts), area.h - p.px(26))),
               rows_of<RunPart, kRunParts>());
    area.cut_top(p.px(8));
    draw_stacked_bar(p, area.cut_top(p.px(18)), shares, {1, false});
}

namespace
{

constexpr double kSnap = 0.06; // share of the best interval within which a drag takes it

std::pair<PlotAxis, PlotAxis> axes_of(const std::vector<IntervalPoint>& points)
{
    double best = 1;
    for (const IntervalPoint& point : points)
    {
        best = std::min(best, point.loss);
    }
    return {{points.front().interval,
             points.back().interval,
             PlotScale::log,
             "",
             tick_seconds,
             {0.1, 1, 10, 60, 300, 1800, 7200, 21600, 86400, 345600, 1.2096e6, 5.184e6, 3.1536e7, 1.2e8, 1e9,
              1e10}},
            {0, std::clamp(best * 3, 1e-4, 1.0), PlotScale::linear, "",
             [](double share) { return share == 0 ? "0" : plain_number(share * 100) + "%"; }}};
}

} // namespace

std::optional<double> draw_interval_curve(const Painter& p, Rect area, const RunModel& model)
{
    const auto& points = model.curve();
    if (points.size() < 2)
    {
        return std::nullopt;
    }
    const auto [intervals, shares] = axes_of(points);
    Plot plot(p, area, intervals, shares, {.title = "Lost time vs checkpoint interval"});
    if (!plot)
    {
        return std::nullopt;
    }
    const Theme& t = p.theme;
    const auto line = [&](double IntervalPoint::*value, PlotStroke stroke, const char* name, bool strong)
    {
        std::vector<PlotPoint> values;
        for (const IntervalPoint& point : points)
        {
            values.push_back({point.interval, point.*value});
        }
        plot.line(values, stroke, name, strong);
    };
    line(&IntervalPoint::saving, {t.of(Component::variance), 2}, "checkpointing", false);
    line(&IntervalPoint::lost, {t.forward, 2}, "lost work", false);
    line(&IntervalPoint::loss, {t.text, 2.5F}, "total", true);
    // Where the formula has it, and where it is best.
    const RunRates& r = model.rates();
    if (std::abs(std::log(r.young_s / r.best_s)) > 0.08 && r.young_s > intervals.low)
    {
        plot.rule_x(r.young_s, {t.muted, 1, true});
    }
    const bool own = std::abs(r.interval_s / r.best_s - 1) <= 1e-9;
    plot.rule_x(r.best_s, {t.text, 1, true}, own ? "" : fmt::format("best {}", say_time(r.best_s)));
    const double loss = 1 - model.expected().useful();
    const PlotMove grip = plot.grip({r.interval_s, loss}, "###interval between checkpoints",
                                    fmt::format("{}: {}", say_time(r.interval_s), format_percent(loss)));
    if (grip.hovered && !grip.to)
    {
        tooltip(p, "Drag: training time between two checkpoints. Arrow keys step.");
    }
    const auto to = grip.x(1.25);
    return grip.to && std::abs(*to / r.best_s - 1) < kSnap ? 0
           : to                                            ? std::optional(intervals.clamped(*to))
                                                           : std::nullopt;
}

} // namespace ringside
