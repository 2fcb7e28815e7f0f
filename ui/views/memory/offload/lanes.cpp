#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/text/text.h"
#include "core/performance/step_life.h"
#include "ui/views/memory/offload/pictures.h"

namespace ringside
{

template <>
inline constexpr auto kNamesOf<OffloadLane> = names<OffloadLane>("compute", "PCIe D2H", "PCIe H2D",
                                                                 "CPU optimizer", "NVMe");

namespace
{

std::string say(const OffloadTask& task)
{
    const std::string where = units_in_words(task.layer, task.last);
    switch (task.kind)
    {
    case OffloadKind::forward:
        return "forward of " + where;
    case OffloadKind::backward:
        return "backward of " + where;
    case OffloadKind::gradients:
        return "gradients of " + where + " to the host";
    case OffloadKind::weights:
        return "weights of " + where + (task.lane == OffloadLane::nvme ? " from NVMe" : " to the GPU");
    case OffloadKind::update:
        return "optimizer step for " + where;
    case OffloadKind::read:
        return "optimizer state of " + where + " from NVMe";
    case OffloadKind::write:
        return "state of " + where + " to NVMe";
    }
    return {};
}

const Ink& ink_of(const Theme& t, OffloadKind kind)
{
    switch (kind)
    {
    case OffloadKind::forward:
        return t.forward;
    case OffloadKind::backward:
        return t.backward_input;
    case OffloadKind::gradients:
        return t.of(Component::gradients);
    case OffloadKind::weights:
        return t.of(Component::weights);
    case OffloadKind::update:
        return t.of(Component::momentum);
    case OffloadKind::read:
        return t.of(Component::variance);
    case OffloadKind::write:
        break;
    }
    return t.of(Component::master_weights);
}

void draw_waits(const TimeLanes& lanes, const OffloadReport& r)
{
    double at = 0;
    for (const OffloadTask& task : r.tasks)
    {
        if (task.lane == OffloadLane::compute)
        {
            lanes.wait(0, at, task.start);
            at = task.end;
        }
    }
    lanes.wait(0, at, r.shown_total);
}

} // namespace

std::vector<OffloadLane> lanes_of(const OffloadReport& report)
{
    std::vector<OffloadLane> lanes;
    for (std::size_t i = 0; i < kOffloadLanes; ++i)
    {
        if (i == 0 || report.busy[i] > 0)
        {
            lanes.push_back(static_cast<OffloadLane>(i));
        }
    }
    return lanes;
}

std::optional<std::size_t> draw_offload_lanes(const Painter& p, Rect area, const OffloadReport& report,
                                              TimeWindow window, const OffloadLanesStyle& style)
{
    std::array<std::size_t, kOffloadLanes> row{};
    std::vector<LaneName> names;
    for (const OffloadLane lane : lanes_of(report))
    {
        row[static_cast<std::size_t>(lane)] = names.size();
        names.push_back({std::string(name_of(lane))});
    }
    const auto row_of = [&](const OffloadTask& task) { return row[static_cast<std::size_t>(task.lane)]; };
    TimeLanes lanes(p, area, window, {style.pitch, style.label}, names);
    draw_waits(lanes, report);
    for (std::size_t i = 0; i < report.tasks.size(); ++i)
    {
        const OffloadTask& task = report.tasks[i];
        lanes.block(row_of(task), task.start, task.end, {ink_of(p.theme, task.kind)}, i);
    }
    outline_task(lanes, report.tasks, style.lit, row_of);
    draw_now(p, lanes.field(), window, style.clock);
    return lanes.hovered();
}

void offload_tip(const Painter& painter, Rect bounds, const OffloadReport& report, std::size_t index)
{
    const OffloadTask& task = report.tasks[index];
    std::vector<TipLine> lines = tip_times(task.start, task.end);
    if (task.bytes > Bytes{})
    {
        lines.push_back({task.lane == OffloadLane::host ? "read and written in host memory" : "moved",
                         format_bytes(task.bytes, painter.look.unit), 0});
    }
    draw_task_tip(painter, bounds, say(task), lines,
                  task.waited_for >= 0
                      ? "waited for " + say(report.tasks[static_cast<std::size_t>(task.waited_for)])
                  : task.start > 0 ? std::string("started as soon as its lane was free")
                                   : std::string("starts the step"));
}

} // namespace ringside
