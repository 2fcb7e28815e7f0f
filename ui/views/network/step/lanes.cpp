#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/draw/chart_record.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/cluster_map.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kPhases = 22; // [design px] the line above the lanes
constexpr std::array<std::string_view, kStepLanes> kLaneNames{"compute", "within layers", "intra-node",
                                                              "inter-node"};

bool shown(const StepLife& life, std::size_t lane)
{
    return lane != static_cast<std::size_t>(StepLane::layers) || life.busy_on(StepLane::layers) > 0;
}

// Rows from the top; one for each lane on show.
std::size_t row_of(const StepLife& life, StepLane lane)
{
    const auto row = static_cast<std::size_t>(lane);
    return row > 1 && !shown(life, 1) ? row - 1 : row;
}

// A reduce-scatter has the colour of its axis' gather, darker; an all-reduce is both.
Colour scatter_colour(const Theme& t, Axis axis)
{
    return mix(axis_ink(t, axis).fill, t.light ? t.text : t.window, t.light ? 0.22F : 0.36F);
}

Fill fill_of(const Theme& t, const StepTask& task)
{
    Fill fill{.ink = axis_ink(t, task.axis)};
    switch (task.kind)
    {
    case StepKind::forward:
        fill.ink = t.forward;
        break;
    case StepKind::backward:
        fill.ink = t.backward_input;
        fill.half = t.backward_weight.fill;
        break;
    case StepKind::optimizer:
        fill.ink = t.of(Component::momentum);
        break;
    case StepKind::reduce_scatter:
        fill.ink.fill = scatter_colour(t, task.axis);
        break;
    case StepKind::all_reduce:
        fill.half = fill.ink.fill;
        fill.under = true;
        fill.ink.fill = scatter_colour(t, task.axis);
        break;
    case StepKind::all_gather:
    case StepKind::all_to_all:
    case StepKind::ring:
        break;
    }
    return fill;
}

// A block of two colours is named in its first half.
Rect named_part(const StepTask& task, Rect cell)
{
    cell.w = task.kind == StepKind::backward ? cell.w / 2 : cell.w;
    return cell;
}

void draw_label(const TimeLanes& lanes, Rect cell, const StepTask& task, const Ink& ink)
{
    const std::string name = task.kind == StepKind::optimizer ? "optimizer"
                             : task.layer == kWholeModel      ? "all"
                                                              : short_name_of_unit(task.layer);
    cell = named_part(task, cell);
    if (task.lane == StepLane::compute)
    {
        lanes.label(cell, ink.label, {name});
        return;
    }
    lanes.label(cell, ink.label, {fmt::format("{} {}", name_of(task.kind), name), name});
}

// Where compute waits: hatched on its lane, a band over those that send; where nothing is sent, there is
// nothing to wait for. Bands of less than `least` seconds would be stripes, and are left out.
void draw_waits(const Painter& p, const TimeLanes& lanes, const StepLife& life, double least)
{
    double at = 0;
    const auto wait = [&](double until)
    {
        for (std::size_t lane = 1; lane < kStepLanes && until > at + least; ++lane)
        {
            if (life.busy[lane] > 0)
            {
                p.fill(lanes.cell(row_of(life, static_cast<StepLane>(lane)), at, until),
                       with_alpha(p.theme.data.fill, 0.10F));
            }
        }
        lanes.wait(0, at, until);
    };
    for (const StepTask& task : life.tasks)
    {
        if (task.lane == StepLane::compute)
        {
            wait(task.start);
            at = task.end;
        }
    }
    wait(life.total);
}

struct Phase
{
    double from = 0;
    double to = 0;
    std::string name;
    std::string brief;
};

// Runs of forwards, of backwards, and what comes after.
std::vector<Phase> phases_of(const StepLife& life)
{
    std::vector<Phase> phases;
    const StepTask* before = nullptr;
    double done = 0;
    const bool several = life.tasks.back().micro_batch > 0;
    for (const StepTask& task : life.tasks)
    {
        if (task.lane != StepLane::compute)
        {
            continue;
        }
        if (before == nullptr || before->kind != task.kind || before->micro_batch != task.micro_batch)
        {
            const bool last = task.kind == StepKind::optimizer;
            std::string name(name_of(task.kind));
            const std::string number = several && !last ? std::to_string(task.micro_batch) : "";
            const std::string brief(1, static_cast<char>(name[0] - 'a' + 'A'));
            phases.push_back({task.start, task.end,
                              number.empty() ? name : fmt::format("{} {}", name, number),
                              last ? "opt" : brief + number});
        }
        phases.back().to = task.end;
        done = task.end;
        before = &task;
    }
    if (life.total > done * (1 + 1e-9))
    {
        phases.push_back({done, life.total, "gather weights", "gather"});
    }
    return phases;
}

void draw_phases(const Painter& p, Rect row, const StepLife& life, TimeWindow window)
{
    float taken = row.x - 1;
    for (const Phase& phase : phases_of(life))
    {
        const float x1 = std::max(row.x, window.x(row, phase.from));
        const float x2 = std::min(row.right(), window.x(row, phase.to));
        if (x2 <= x1)
        {
            continue;
        }
        const float y = row.bottom() - p.px(4);
        p.line(x1, y, std::max(x1 + 1, x2 - p.px(2)), y, p.theme.line, p.px(2));
        for (const std::string& words : {phase.name, phase.brief})
        {
            if (x1 >= taken && p.width(Type::small, words) <= x2 - x1)
            {
                p.text(x1, y - p.px(10), Type::small, p.theme.muted, words);
                taken = x1 + p.width(Type::small, words) + p.px(4);
                break;
            }
        }
    }
}

// Why a lane of a link has nothing to do.
std::string_view why_empty(const StepLife& life, std::size_t lane)
{
    const StepGroup& g = life.groups[life.groups[0].ranks > 1 ? 0 : 1];
    if (g.ranks <= 1)
    {
        return "one replica: no gradient all-reduce";
    }
    if (lane == static_cast<std::size_t>(StepLane::between))
    {
        return "all replicas are in one node";
    }
    return g.links.per_node <= 1 ? "no two replicas share a node: TP uses these links"
                                 : "one ring through all nodes, limited by the network";
}

std::vector<LaneName> names_of(const StepLife& life, const StepStyle& style)
{
    std::vector<LaneName> names;
    for (std::size_t lane = 0; lane < kStepLanes; ++lane)
    {
        const bool idle = life.busy[lane] == 0 && lane >= static_cast<std::size_t>(StepLane::inside);
        if (shown(life, lane))
        {
            names.push_back({std::string(kLaneNames[lane]), std::string(style.rate[lane]), "",
                             std::string(idle ? why_empty(life, lane) : "")});
        }
    }
    return names;
}

std::vector<LegendItem> step_legend(const Painter& painter, const StepLife& life)
{
    const Theme& t = painter.theme;
    std::vector<LegendItem> items{{"exposed", waiting_fill(t)},
                                  {"forward", {t.forward}},
                                  {"backward", {t.backward_input, t.backward_weight.fill}}};
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        if (life.sent_of(axis).value > 0)
        {
            items.push_back({std::string(name_of(axis)), {axis_ink(t, axis)}});
        }
    }
    const Colour scatter = scatter_colour(t, Axis::data);
    const std::array kinds{std::pair{StepKind::all_gather, Fill{t.data}},
                           std::pair{StepKind::reduce_scatter, plain_fill(scatter)},
                           std::pair{StepKind::all_reduce, Fill{{scatter}, t.data.fill, true}}};
    for (const auto& [kind, fill] : kinds)
    {
        if (life.sent_of(kind).value > 0)
        {
            items.push_back({std::string(name_of(kind)), fill});
        }
    }
    items.push_back({"optimizer", {t.of(Component::momentum)}});
    return items;
}

} // namespace

float draw_step_legend(const Painter& painter, Rect area, const StepLife& life)
{
    return draw_legend(painter, area, step_legend(painter, life), 2);
}

std::size_t step_rows(const StepLife& life)
{
    return shown(life, 1) ? kStepLanes : kStepLanes - 1;
}

float step_lanes_height(const Painter& painter, const StepLife& life, float pitch)
{
    return painter.px(kPhases) + pitch * static_cast<float>(step_rows(life));
}

namespace
{

// Neighbours of one lane and kind; several where a layer would be a stripe of a few pixels.
struct StepRun
{
    std::size_t first = 0;
    std::size_t last = 0;
    std::int64_t tasks = 0;
    double busy = 0; // [s] of start to end
};

// Up to ten layers are one block where one is narrower than `least` seconds; within layers, gathers and
// scatters of one axis together. Forward and backward stay apart: layers go up in the one and down in the
// other.
std::vector<StepRun> runs_of(const std::vector<StepTask>& tasks, double least)
{
    constexpr std::int64_t kMostLayers = 10;
    std::vector<StepRun> runs;
    std::array<std::optional<std::size_t>, kStepLanes> open; // by lane: the run that may go on
    for (std::size_t i = 0; i < tasks.size(); ++i)
    {
        const StepTask& task = tasks[i];
        auto& at = open.at(static_cast<std::size_t>(task.lane));
        const auto goes_on = [&](const StepRun& run)
        {
            const StepTask& before = tasks[run.last];
            const StepTask& begun = tasks[run.first];
            const bool alike = before.kind == task.kind || task.lane == StepLane::layers;
            const bool turns = (before.layer - begun.layer) * (task.layer - before.layer) < 0;
            return alike && !turns && task.start - before.end < least && before.axis == task.axis &&
                   before.micro_batch == task.micro_batch && task.layer != kWholeModel &&
                   begun.layer != kWholeModel && std::abs(task.layer - begun.layer) < kMostLayers &&
                   task.end - task.start < least && begun.end - begun.start < least;
        };
        if (!at || !goes_on(runs[*at]))
        {
            at = runs.size();
            runs.push_back({i, i, 0, 0});
        }
        StepRun& run = runs[*at];
        run.last = i;
        run.tasks += 1;
        run.busy += task.end - task.start;
    }
    return runs;
}

std::string name_of_run(const StepTask& first, const StepTask& last)
{
    return fmt::format("{}\u2013{}", short_name_of_unit(first.layer), short_name_of_unit(last.layer));
}

} // namespace

std::optional<std::size_t> draw_step_lanes(const Painter& p, Rect area, const StepLife& life,
                                           TimeWindow window, const StepStyle& style)
{
    const Rect phases = area.cut_top(p.px(kPhases));
    draw_phases(p, {phases.x + style.label, phases.y, phases.w - style.label, phases.h}, life, window);
    TimeLanes lanes(p, area, window, {style.pitch, style.label}, names_of(life, style));
    const double least = (window.to - window.from) * static_cast<double>(p.px(9) / lanes.field().w);
    draw_waits(p, lanes, life, least);
    std::optional<std::size_t> hovered;
    for (const StepRun& run : runs_of(life.tasks, least))
    {
        const std::size_t i = run.first;
        const StepTask& task = life.tasks[i];
        Fill fill = fill_of(p.theme, task);
        if (run.tasks > 1)
        {
            const StepTask& last = life.tasks[run.last];
            const std::size_t row = row_of(life, task.lane);
            // As full as its tasks fill it.
            const auto idle = static_cast<float>(std::max(0.0, 1 - run.busy / (last.end - task.start)));
            fill.ink.fill = mix(fill.ink.fill, p.theme.panel, idle);
            fill.half = fill.half == 0 ? 0 : mix(fill.half, p.theme.panel, idle);
            if (const auto cell = lanes.block(row, task.start, last.end, fill, i))
            {
                lanes.label(named_part(task, *cell), ink_on(fill.ink.fill), {name_of_run(task, last)});
            }
            for (std::size_t k = run.first; k <= run.last; ++k)
            {
                const StepTask& each = life.tasks[k];
                hovered = each.lane == task.lane && lanes.points_at(lanes.cell(row, each.start, each.end))
                              ? std::optional(k)
                              : hovered;
            }
            continue;
        }
        if (const auto cell = lanes.block(row_of(life, task.lane), task.start, task.end, fill, i))
        {
            draw_label(lanes, *cell, task, fill.ink);
            if (style.marked && task.start <= style.clock && style.clock < task.end)
            {
                p.outline(*cell, p.theme.text, p.px(2));
            }
        }
    }
    outline_task(lanes, life.tasks, style.lit, [&](const StepTask& t) { return row_of(life, t.lane); });
    draw_now(p, lanes.field(), window, style.clock);
    return hovered ? hovered : lanes.hovered();
}

namespace
{

// Held from each moment to the next.
std::vector<PlotPoint> held_line(const StepLife& life, bool gradients)
{
    std::vector<PlotPoint> points;
    for (const StepHeld& h : life.held)
    {
        points.push_back({h.t, h.weights.value + (gradients ? h.gradients.value : 0)});
    }
    return stairs(points, false);
}

} // namespace

StepCases step_cases(const Scenario& scenario, StepOptions options)
{
    StepCases all;
    for (std::size_t i = 0; i < kStepStrategies; ++i)
    {
        options.strategy = static_cast<StepStrategy>(i);
        all[i].life = step_life(scenario, options);
        all[i].moments = task_moments(all[i].life.tasks, all[i].life.total);
    }
    return all;
}

void draw_held(const Painter& p, Rect area, const StepLife& life, TimeWindow window)
{
    const std::vector<PlotPoint> weights = held_line(life, false);
    const std::vector<PlotPoint> all = held_line(life, true);
    const double most = std::max(1.0, std::ranges::max(all, {}, &PlotPoint::y).y);
    const float left = p.px(72);
    const auto bytes = [&](double v) { return v == 0 ? "0" : format_bytes(Bytes(v), p.look.unit); };
    Plot plot(p, {area.x - left, area.y, area.w + left + p.px(12), area.h}, {window.from, window.to},
              {0, most, PlotScale::linear, "", bytes, {0, most / 2, most}}, {.left = left});
    if (!plot)
    {
        return;
    }
    const Colour lower = p.theme.of(Component::weights).fill;
    const Colour upper = p.theme.of(Component::gradients).fill;
    plot.fill_below(weights, with_alpha(lower, 0.55F));
    plot.fill(weights, all, with_alpha(upper, 0.55F));
    plot.line(weights, {lower, 2});
    plot.line(all, {upper, 2});
}

} // namespace ringside
