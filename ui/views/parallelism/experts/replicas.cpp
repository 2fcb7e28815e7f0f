// The load of GPUs with experts in order, and with busy ones replicated and packed (EPLB).
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/parallelism/experts/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::array<double, 7> kReplicaGpus{2, 4, 8, 16, 32, 64, 128};
constexpr std::int64_t kMostRedundant = 4;
constexpr std::int64_t kNodeOf = 8; // GPUs

struct Replicas
{
    ReplicaOptions options;
    ExpertPlacement before;
    ExpertPlacement after;
};

// The load of every expert at this step, which the work has not failed to reach.
std::vector<double> load_now(const Frame& frame, const ExpertsState& state, const ExpertRuns& runs)
{
    return list_of<double>(runs.step(state.choice.balance, router_step(frame)).load,
                           [](std::int64_t tokens) { return static_cast<double>(tokens); });
}

Replicas replicas_of(const Frame& frame, const ExpertsState& state, const ExpertRuns& runs)
{
    const auto load = load_now(frame, state, runs);
    const std::int64_t asked = state.gpus.value_or(std::max<std::int64_t>(runs.plan().ranks, 8));
    Replicas r;
    r.options.gpus = std::gcd(asked, runs.experts());
    r.options.nodes = state.by_node ? std::max<std::int64_t>(1, r.options.gpus / kNodeOf) : 1;
    r.options.groups = r.options.nodes;
    r.options.redundant = state.redundant * r.options.gpus;
    r.before = placed_in_order(load, r.options.gpus);
    r.after = balanced_placement(load, r.options);
    return r;
}

// A bar for each GPU, a part for each of its experts.
void draw_gpus(const Painter& p, Rect area, const ExpertPlacement& placed, std::span<const double> load,
               double most, std::string_view title)
{
    const auto gpus = static_cast<double>(placed.load.size());
    const double mean = sum_over(placed.load) / gpus;
    Plot plot(p, area, {0, gpus}, {0, most, PlotScale::linear, "", plain_number},
              {.title = title,
               .note = fmt::format("busiest GPU {}\u00d7 the mean", three_digits(placed.imbalance())),
               .part = title});
    if (!plot)
    {
        return;
    }
    const Theme& t = p.theme;
    for (std::size_t gpu = 0; gpu < placed.load.size(); ++gpu)
    {
        std::vector<BarPart> parts;
        for (const std::int64_t expert : placed.held[gpu])
        {
            const auto e = static_cast<std::size_t>(expert);
            parts.push_back({load[e] / static_cast<double>(placed.replicas[e]),
                             {placed.replicas[e] > 1 ? t.backward_input : t.expert}});
        }
        const float left = plot.at_x(static_cast<double>(gpu) + 0.1);
        const float right = plot.at_x(static_cast<double>(gpu) + 0.9);
        const StackedBar bar = draw_stacked_bar(p, {left, plot.area.y, right - left, plot.area.h}, parts,
                                                {.most = most, .reads = false});
        if (bar.hovered)
        {
            const auto e = static_cast<std::size_t>(placed.held[gpu][*bar.hovered]);
            tooltip_at_mouse(p, fmt::format("GPU {}, expert {} on {}: {} tokens of {}", gpu, e,
                                            counted(placed.replicas[e], "GPU"),
                                            three_digits(parts[*bar.hovered].value), three_digits(load[e])));
        }
    }
    plot.rule_y(mean, {t.text, 1, true}, "mean");
}

void draw_replicas(const ExpertsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const ExpertRuns runs = r.state.runs(r.frame);
    if (runs.failed())
    {
        draw_status(p, area, runs.status());
        return;
    }
    const Replicas now = replicas_of(r.frame, r.state, runs);
    const auto load = load_now(r.frame, r.state, runs);
    const double most = 1.1 * std::max(1.0, largest_over(now.before.load));
    draw_legend(p, area.cut_top(p.px(24)),
                std::array{LegendItem{"an expert on one GPU", {p.theme.expert}},
                           LegendItem{"a replica of an expert on several", {p.theme.backward_input}}});
    area.cut_top(p.px(6));
    const float half = (area.h - p.px(16)) / 2;
    draw_gpus(p, area.cut_top(half), now.before, load, most, "Experts in order");
    area.cut_top(p.px(16));
    draw_gpus(p, area, now.after, load, most, "With replicas (EPLB)");
}

void panel_replicas(PanelColumn& column, const ExpertsRoom& r)
{
    const ExpertRuns runs = r.state.runs(r.frame);
    if (runs.failed())
    {
        return;
    }
    const Replicas now = replicas_of(r.frame, r.state, runs);
    const ExpertPlan& plan = runs.plan();
    column.choice({"None", "Aux loss", "Bias"}, r.state.choice.balance);
    column.slide("EP size", Track::at(kReplicaGpus, say_whole), now.options.gpus, r.state.gpus,
                 "GPUs that share the experts of a layer; a divisor of their number");
    column.slide("Replicas per GPU", Track::even(0, static_cast<double>(kMostRedundant), say_whole),
                 r.state.redundant, "Redundant experts; DeepSeek-V3\u2019s prefill has 32 on 32 GPUs");
    column.toggle(
        "Hierarchical", r.state.by_node,
        "Groups of experts stay on one node of 8, and replicas with them (EPLB\u2019s hierarchical policy)");
    column.gap();
    column.fact("Slots per GPU", grouped((runs.experts() + now.options.redundant) / now.options.gpus));
    column.fact("Busiest before", three_digits(now.before.imbalance()) + "\u00d7",
                "Largest load of a GPU over the mean");
    column.fact("Busiest after", three_digits(now.after.imbalance()) + "\u00d7",
                "All GPUs wait for it in every layer");
    column.fact("Most replicas", grouped(largest_over<std::int64_t>(now.after.replicas)), "Of one expert");
    column.fact("Their weights", format_count(replica_parameters(plan, r.state.redundant)),
                "Parameters of the replicas on one GPU, over all its layers");
}

Caption replicas_caption(const Frame& frame, ExpertsState& state)
{
    const ExpertRuns runs = state.runs(frame);
    if (runs.failed())
    {
        return {fault_sentence(runs.status()), "", ""};
    }
    const Replicas now = replicas_of(frame, state, runs);
    return {
        fmt::format("{} on {}: the busiest GPU falls from **{}\u00d7** to **{}\u00d7** the mean, and the "
                    "experts\u2019 time with it.",
                    counted(now.options.redundant, "redundant expert"), counted(now.options.gpus, "GPU"),
                    three_digits(now.before.imbalance()), three_digits(now.after.imbalance())),
        fmt::format("time \u221d max / mean = {:.0f} / {:.1f} = {}", largest_over(now.after.load),
                    sum_over(now.after.load) / static_cast<double>(now.options.gpus),
                    three_digits(now.after.imbalance())),
        "EPLB: groups to nodes, replicas for the experts with most to do, replicas to GPUs, the heaviest "
        "first "
        "(deepseek-ai/EPLB; DeepSeek-V3, arXiv 2412.19437, section 3.4). The loads are those of the step on "
        "show; a real balancer has only those of earlier steps."};
}

} // namespace

const Page<ExpertsState> kExpertReplicas{"Replicas",       draw_replicas, panel_replicas,
                                         replicas_caption, router_motion, "Redundant experts"};

} // namespace ringside
