#include "ui/views/reliability/goodput/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr Track kIntervalTrack = Track::log(1, 1e6, say_time);
constexpr Track kHandlingTrack = Track::log(1, 7200, say_time);

std::string say_gigabytes_per_s(double rate)
{
    return fmt::format("{} GB/s", three_digits(rate));
}

void draw_fleet(PanelColumn& column, RunDesk& desk)
{
    RunPlan& plan = desk.plan;
    const auto fleet = desk.fleet();
    const FleetRecord* like = fleet ? &fleet_records()[*fleet] : nullptr;
    std::vector<Choosable> items;
    for (const FleetRecord& each : fleet_records())
    {
        items.push_back({each.id, each.name, each.says});
    }
    const auto chosen = column.dropdown(
        "###fails like",
        like != nullptr ? fmt::format("Failure rate of {}", like->name)
                        : fmt::format("{} GPU-hours", format_count(plan.gpu_hours)),
        "fleets", items,
        fmt::format("One failure in {} GPU-hours: every {} with these GPUs.{}", format_count(plan.gpu_hours),
                    say_time(desk.rates().between_s),
                    like != nullptr ? fmt::format(" {} ({}).", like->says, like->source) : std::string()));
    plan.gpu_hours = chosen ? fleet_records()[*chosen].gpu_hours() : plan.gpu_hours;
}

} // namespace

void draw_goodput_panel(PanelColumn& column, RunDesk& desk)
{
    RunPlan& plan = desk.plan;
    const RunRates& r = desk.rates();
    draw_fleet(column, desk);
    double interval = r.interval_s;
    if (column.slide(
            "Interval", (plan.interval_s > 0 ? "" : "best  ") + say_time(interval), kIntervalTrack, interval,
            "Work between two checkpoints; 0 typed is the best. The point on the curve is the same."))
    {
        plan.interval_s = interval <= 1 ? 0 : interval;
    }
    column.slide("Time to detect", kHandlingTrack, plan.detect_s);
    column.slide("Time to restart and reload", kHandlingTrack, plan.restart_s);
    std::int64_t spares = r.spares;
    const double most = std::max({8.0, 2 * static_cast<double>(spares), std::ceil(r.nodes * 0.1)});
    if (column.slide("Spare nodes", (plan.spares < 0 ? "enough  " : "") + grouped(spares),
                     Track::even(0, most, say_whole), spares))
    {
        plan.spares = spares;
    }
    column.slide("Storage by GPU", Track::log(0.001, 100, say_gigabytes_per_s), plan.storage_gb_per_s);
    column.choice({"Storage", "Disks", "Host"}, plan.tier);
    column.toggle("Asynchronous saves", plan.asynchronous,
                  "Training waits for the copy to host memory; what is on its way when the job fails is lost "
                  "(A)");
    column.toggle("Elastic", plan.elastic, "Short of nodes, go on with the replicas that are whole (E)");
}

} // namespace ringside
