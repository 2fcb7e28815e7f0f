#include "ui/views/goodput/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

bool PlanPanel::draw(const Painter& p, Rect area, RunDesk& desk)
{
    RunPlan& plan = desk.plan;
    const RunRates& r = desk.rates();
    const auto fleet = desk.fleet();
    const bool asked = dropdown(p, area.cut_top(p.px(34)), "###fails like",
                                fleet ? fmt::format("Fails like {}", fleet_records()[*fleet].name)
                                      : fmt::format("{} GPU-hours", format_count(plan.gpu_hours)));
    tooltip(p, fmt::format("One failure in {} GPU-hours: every {} with these GPUs.{}",
                           format_count(plan.gpu_hours), say_time(r.between_s),
                           fleet ? fmt::format(" {} ({}).", fleet_records()[*fleet].says,
                                               fleet_records()[*fleet].source)
                                 : std::string()));
    area.cut_top(p.px(6));
    const auto row = [&] { return area.cut_top(p.px(45)); };
    const double interval =
        slide(p, row(),
              {"Interval", (plan.interval_s > 0 ? "" : "best  ") + say_time(r.interval_s), 1, 1e6, true, 1},
              r.interval_s, entry_);
    tooltip(p, "Work between two checkpoints; 0 typed is the best. The point on the curve is the same.");
    plan.interval_s = interval == r.interval_s ? plan.interval_s : interval <= 1 ? 0 : interval;
    plan.detect_s =
        slide(p, row(), {"Until detected", say_time(plan.detect_s), 1, 7200, true, 1}, plan.detect_s, entry_);
    plan.restart_s = slide(p, row(), {"Restart, then load", say_time(plan.restart_s), 1, 7200, true, 1},
                           plan.restart_s, entry_);
    const auto spares = static_cast<double>(r.spares);
    const double most = std::max({8.0, 2 * spares, std::ceil(r.nodes * 0.1)});
    const double wanted = std::round(
        slide(p, row(),
              {"Spare nodes", fmt::format("{}{}", plan.spares < 0 ? "enough  " : "", grouped(r.spares)), 0,
               most, false, 1},
              spares, entry_));
    plan.spares = wanted == spares ? plan.spares : static_cast<std::int64_t>(wanted);
    plan.storage_gb_per_s = slide(
        p, row(),
        {"Storage by GPU", fmt::format("{} GB/s", three_digits(plan.storage_gb_per_s)), 0.001, 100, true, 1},
        plan.storage_gb_per_s, entry_);
    constexpr std::array<std::string_view, kCheckpointTiers> kNames{"Storage", "Disks", "Host"};
    area.cut_top(p.px(2));
    if (const auto tier = segments(p, area.cut_top(p.px(32)), kNames, static_cast<std::size_t>(plan.tier)))
    {
        plan.tier = static_cast<CheckpointTier>(*tier);
    }
    area.cut_top(p.px(4));
    plan.asynchronous =
        toggle(p, area.cut_top(p.px(30)), "Asynchronous saves", plan.asynchronous) != plan.asynchronous;
    tooltip(p,
            "Training waits for the copy to host memory; what is on its way when the job fails is lost (A)");
    plan.elastic = toggle(p, area.cut_top(p.px(30)), "Elastic", plan.elastic) != plan.elastic;
    tooltip(p, "Short of nodes, go on with the replicas that are whole (E)");
    return asked;
}

} // namespace ringside
