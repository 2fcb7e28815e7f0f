// Effective training time from 1,000 to 100,000 GPUs, a line for each way to recover, published fleets as
// points; and how many warm spares are enough.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/reliability/goodput/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kFewest = 1000;
constexpr double kMost = 131072;

struct Published
{
    double gpus;
    double share;
    std::string_view label;
    std::string_view name;
};
constexpr std::array kPublished{
    Published{9600, 0.97, "ByteRobust", "ByteRobust, arXiv 2509.16293: 97% on 9,600 GPUs"},
    Published{16384, 0.90, "Llama 3", "Llama 3, arXiv 2407.21783: more than 90% on 16,384 GPUs"},
    Published{100000, 0.44, "full restart, FT-HSDP",
              "FT-HSDP, arXiv 2602.00277: 44% on O(100,000) GPUs, all restart in 10 minutes"},
    Published{100000, 0.80, "elastic, FT-HSDP",
              "FT-HSDP, arXiv 2602.00277: 80% on O(100,000) GPUs, a replica leaves for 3 minutes"}};

FleetPlan plan_of(const Frame& frame, GoodputState& state)
{
    FleetPlan plan = state.fleet;
    const Scenario& s = frame.now.scenario;
    const FleetPlan here = fleet_plan(s, frame.now.report->memory, Seconds(frame.now.report->step.total()));
    plan.checkpoint = here.checkpoint;
    plan.memory_gb_per_s = here.memory_gb_per_s;
    plan.replica_gpus = here.replica_gpus;
    plan.step_s = here.step_s;
    plan.gpus_per_node = here.gpus_per_node;
    plan.gpu_hours = state.of(frame).plan.gpu_hours;
    plan.storage_gb_per_s = state.model.plan.storage_gb_per_s;
    plan.hardware_share = state.model.plan.hardware_share;
    plan.repair_hours = state.model.plan.repair_hours;
    return plan;
}

Ink ink_of_recovery(const Theme& t, Recovery recovery)
{
    const std::array inks{t.backward_weight, t.data, t.forward, t.backward_input};
    return inks.at(static_cast<std::size_t>(recovery));
}

std::string whole_percent(double share)
{
    return fmt::format("{:.0f}%", 100 * share);
}

void draw_effective(const GoodputRoom& r, Rect area)
{
    const FleetPlan plan = plan_of(r.frame, r.state);
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {kFewest, kMost, PlotScale::log, "GPUs", format_count},
              {0, 1, PlotScale::linear, "", whole_percent},
              {.title = "Effective training time",
               .note = "diamonds: published",
               .part = "effective time",
               .names = 216});
    if (!plot)
    {
        return;
    }
    const double gpus = r.state.gpus;
    for (const Recovery recovery : every<Recovery>())
    {
        plot.line(sampled(
                      plot.x, [&](double n) { return effective_time(plan, recovery, n); }, 80),
                  {ink_of_recovery(t, recovery), 2.5F}, std::string(name_of(recovery)));
        plot.dot({gpus, effective_time(plan, recovery, gpus)}, {ink_of_recovery(t, recovery), 4});
    }
    for (const Published& each : kPublished)
    {
        plot.dot({each.gpus, each.share}, {t.text, 5, PlotShape::diamond}, fmt::format("###{}", each.name),
                 each.name);
        plot.label({each.gpus, each.share}, std::string(each.label), true);
    }
    if (const auto to = plot.rule_x(gpus, {t.text, 1.5F, true},
                                    fmt::format("{} GPUs", grouped(std::llround(gpus))), "###fleet size")
                            .x(2))
    {
        r.state.gpus = plot.x.clamped(*to);
        r.out.animating = true;
    }
}

// How likely so many spares are enough, at least that many nodes being in repair.
void draw_spares(const GoodputRoom& r, Rect area)
{
    const FleetPlan plan = plan_of(r.frame, r.state);
    const double away = nodes_away(plan, r.state.gpus);
    const std::int64_t enough = spares_for(away, r.state.enough);
    const auto end = static_cast<double>(std::max<std::int64_t>(8, enough * 3 / 2));
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {0, end, PlotScale::linear, "warm spares, nodes", say_whole},
              {0, 1.02, PlotScale::linear, "", whole_percent},
              {.title = "Probability that the spares are enough", .part = "spares"});
    if (!plot)
    {
        return;
    }
    const auto steps =
        list_of<PlotPoint>(static_cast<std::int64_t>(end) + 1,
                           [&](std::int64_t s) {
                               return PlotPoint{static_cast<double>(s), poisson_at_most(away, s)};
                           });
    plot.line(stairs(steps, false), {t.text, 2.5F});
    const PlotMove line = plot.rule_y(r.state.enough, {t.text, 1.5F, true}, "", "###enough");
    if (const auto to = line.y(0.01))
    {
        r.state.enough = std::clamp(*to, 0.01, 0.9999);
        r.out.animating = true;
    }
    plot.rule_x(away, {t.muted, 1, true}, fmt::format("mean in repair {}", three_digits(away)));
    const PlotPoint at{static_cast<double>(enough), poisson_at_most(away, enough)};
    plot.dot(at, {t.text});
    plot.label(at, fmt::format("{}: {}", counted(enough, "spare"), format_percent(at.y)), true);
}

void draw_fleet(const GoodputRoom& r)
{
    Rect area = r.area;
    if (area.h > r.p.px(420))
    {
        draw_spares(r, area.cut_bottom(std::floor(area.h * 0.36F)));
        area.cut_bottom(r.p.px(16));
    }
    draw_effective(r, area);
}

void panel_fleet(PanelColumn& column, const GoodputRoom& r)
{
    GoodputState& s = r.state;
    choose_fleet(column, r);
    constexpr Track kTimes = Track::log(1, 7200, say_time);
    column.slide("GPUs of the job", Track::log(kFewest, kMost, say_whole), s.gpus);
    column.slide("Full-restart stall", kTimes, s.fleet.stall_s,
                 "From a failure until all GPUs train again. FT-HSDP\u2019s baseline: 10 minutes");
    column.slide("Wait without spares", kTimes, s.fleet.wait_s, "For another node, on top");
    column.slide("Elastic stall", kTimes, s.fleet.replica_stall_s,
                 "Until the others train on without it. FT-HSDP: 3 minutes");
    column.slide("Replica rejoins after", kTimes, s.fleet.rejoin_s);
    column.gap();
    const FleetPlan plan = plan_of(r.frame, s);
    const double gpus = s.gpus;
    column.fact("A failure every", say_time(fleet_between(plan, gpus)));
    for (const Recovery recovery : every<Recovery>())
    {
        column.fact(capitalized(std::string(name_of(recovery))),
                    format_percent(effective_time(plan, recovery, gpus)));
    }
}

Caption fleet_caption(const Frame& frame, GoodputState& state)
{
    const FleetPlan plan = plan_of(frame, state);
    const double gpus = state.gpus;
    const auto share = [&](Recovery recovery)
    { return format_percent(effective_time(plan, recovery, gpus)); };
    return {
        fmt::format(
            "On {} GPUs a failure every **{}** leaves **{}** with restarts from storage, **{}** where only a "
            "replica is dropped.",
            grouped(std::llround(gpus)), say_time(fleet_between(plan, gpus)), share(Recovery::storage),
            share(Recovery::replica)),
        fmt::format(
            "one replica: e^(\u2212stall / M) (1 \u2212 replicas out / R), M = {} GPU-hours / {} = {}",
            format_count(plan.gpu_hours), grouped(std::llround(gpus)), say_time(fleet_between(plan, gpus))),
        "Failures are Poisson and also strike during recovery (Daly 2006); lost work and saves as on the "
        "other page. "
        "Stalls: FT-HSDP, arXiv 2602.00277, whose 44% with 10 minutes and 80% with 3 fit one rate of "
        "failures within "
        "4 points. Rate: Llama 3, arXiv 2407.21783, section 3.3.4; in-memory checkpoints: GEMINI, SOSP 2023. "
        "The wait "
        "for a node is an assumption."};
}

} // namespace

const Page<GoodputState> kGoodputFleet{"100,000 GPUs", draw_fleet, panel_fleet,
                                       fleet_caption,  nullptr,    "Goodput of large fleets"};

} // namespace ringside
