#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 13> kBuckets{1, 2, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 1e9}; // [MB]
constexpr std::array<double, 5> kPrefetch{0, 1, 2, 3, 4};
constexpr std::array<double, 8> kAccumulation{1, 2, 3, 4, 6, 8, 12, 16};
constexpr std::array<double, 8> kShards{0, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<double, 6> kPersistence{0, 1e4, 1e5, 1e6, 1e7, 1e8};

std::string say_bucket(double megabytes)
{
    return megabytes > 1e6 ? "everything" : format_bytes(Bytes(megabytes * 1e6));
}

std::string say_prefetch(double layers)
{
    return counted(static_cast<std::int64_t>(layers), "layer");
}

std::string say_persistence(double parameters)
{
    return parameters > 0 ? format_count(parameters) : "never";
}

} // namespace

bool draw_step_panel(PanelColumn& column, StepOptions& o, const StepLife& life)
{
    const StepOptions before = o;
    const StepGroup& group = life.groups[0];
    const bool sharded = shards_weights(o.strategy);
    column.heading("Data parallel", counted(group.ranks, "replica"));
    column.slide("Micro-batches k", Track::only_at(kAccumulation, say_whole), o.accumulation,
                 "Gradients are accumulated over k micro-batches");
    if (sharded)
    {
        column.slide("Prefetch", Track::only_at(kPrefetch, say_prefetch), o.prefetch,
                     "Layers gathered ahead");
        column.slide("Persistence threshold", Track::only_at(kPersistence, say_persistence), o.persistence,
                     "Tensors of fewer parameters stay gathered (param_persistence_threshold)");
    }
    else
    {
        column.slide("Bucket", Track::only_at(kBuckets, say_bucket), o.bucket_mb,
                     "Gradients per all-reduce (bucket_cap_mb); PyTorch's default is 25 MB");
    }
    if (o.strategy == StepStrategy::hsdp)
    {
        const std::string shards = grouped(group.shards);
        column.slide("Shard group size (HSDP)", o.hsdp_ranks == 0 ? fmt::format("node, {}", shards) : shards,
                     Track::only_at(kShards, say_whole), o.hsdp_ranks,
                     "Weights are sharded over these ranks and replicated over the others");
    }
    column.toggle("Overlap", o.overlap, "Communicate during compute (O)");
    column.toggle("TP, CP, EP traffic", o.inside_layers,
                  "Tensor, context and expert communication too, on a stream of its own (I)");
    if (sharded)
    {
        column.toggle("Reshard after forward", o.reshard_after_forward,
                      "Off: gathered weights stay until their backward: one all-gather less, and all weights "
                      "in memory (R)");
        if (o.accumulation > 1)
        {
            column.toggle("Sync every micro-batch", o.reduce_every,
                          "Off: gradients stay unsharded until the last micro-batch (no_sync)");
        }
    }
    return !(o == before);
}

namespace
{

Table<StepStrategy> strategies_table(const StepCases& cases, StepStrategy chosen, const Look& look)
{
    using C = Column<StepStrategy>;
    const auto of = [&cases](StepStrategy s) -> const StepLife&
    { return cases[static_cast<std::size_t>(s)].life; };
    const auto gigabytes = [of, unit = look.unit](auto bytes)
    {
        return [=](StepStrategy s)
        {
            const Bytes b = bytes(of(s));
            return Cell(b.value > 0 ? format_gigabytes(b, unit) : "\u2013");
        };
    };
    const auto sent = [gigabytes](StepKind kind)
    { return gigabytes([kind](const StepLife& life) { return life.sent_of(kind); }); };
    double longest = 1e-12;
    for (const StepCase& each : cases)
    {
        longest = std::max(longest, each.life.total);
    }
    return {
        {{fmt::format("{} per rank", look.gigabyte()), [](StepStrategy s) { return name_of(s); }},
         C("time", nullptr, kAlways, "Compute, then exposed communication")
             .wide(60,
                   [of, longest](const Painter& p, Rect r, StepStrategy s, bool)
                   {
                       const std::array parts{BarPart{of(s).compute, {p.theme.forward}},
                                              BarPart{of(s).exposed, waiting_fill(p.theme)}};
                       draw_stacked_bar(p, {r.x, r.y + r.h * 0.2F, r.w, r.h * 0.6F}, parts, {longest, false});
                   }),
         {"exposed", [of](StepStrategy s) { return format_seconds(Seconds(of(s).exposed)); }, 8},
         {"compute / step", [of](StepStrategy s) { return format_percent(of(s).efficiency()); }, 5},
         {"all-gather", sent(StepKind::all_gather), 1},
         {"reduce-scatter", sent(StepKind::reduce_scatter), 2},
         {"all-reduce", sent(StepKind::all_reduce), 3},
         {"sent", gigabytes([](const StepLife& life) { return life.all_sent(); }), 7},
         {"unsharded",
          gigabytes([](const StepLife& life) { return life.peak_weights + life.peak_gradients; }), 6,
          "Whole weights and gradients in memory, each at its peak"}},
        [](StepStrategy s) { return fmt::format("compare {}", name_of(s)); },
        [chosen](StepStrategy s) { return s == chosen; },
        84};
}

} // namespace

std::optional<StepStrategy> draw_step_compare(const Painter& p, Rect area, const StepCases& cases,
                                              StepStrategy chosen)
{
    constexpr auto rows = rows_of<StepStrategy, kStepStrategies>();
    const TableEvent event = strategies_table(cases, chosen, p.look).draw(p, area, rows);
    return event.pressed ? std::optional(rows.at(*event.pressed)) : std::nullopt;
}

namespace
{

std::string say_task(const StepLife& life, const StepTask& task)
{
    if (task.kind == StepKind::optimizer)
    {
        return "optimizer step";
    }
    const std::string of = units_in_words(task.from, task.layer);
    const bool several = life.tasks.back().micro_batch > 0;
    const std::string axis = task.axis == Axis::data ? "" : fmt::format("{} ", name_of(task.axis));
    return fmt::format("{}{} of {}{}", axis, name_of(task.kind), of,
                       several ? fmt::format(", micro-batch {}", task.micro_batch) : "");
}

} // namespace

std::string short_name_of_unit(std::int64_t layer)
{
    return layer == kEmbeddingUnit ? "emb" : layer == kHeadUnit ? "head" : std::to_string(layer);
}

void step_tip(const Painter& painter, Rect bounds, const StepLife& life, std::size_t index)
{
    const StepTask& task = life.tasks[index];
    std::vector<TipLine> lines = tip_times(task.start, task.end);
    if (task.lane != StepLane::compute)
    {
        lines.push_back({"message", format_bytes(task.message, painter.look.unit), 0});
        lines.push_back({"sent by this rank", format_bytes(task.sent, painter.look.unit), 0});
    }
    std::string why = task.start > 0 ? "started as soon as its lane was free" : "starts the step";
    if (task.waited_for >= 0)
    {
        why = fmt::format("waited {} for {}", format_seconds(Seconds(task.start - task.free)),
                          say_task(life, life.tasks[static_cast<std::size_t>(task.waited_for)]));
    }
    draw_task_tip(painter, bounds, say_task(life, task), lines, why);
}

namespace
{

// ", 92% of it for tensor": where a layer's own axis is what compute waits for most.
std::string most_waited(const StepLife& life)
{
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        const double share = life.exposed > 0 ? life.waited_for(axis) / life.exposed : 0;
        if (share > 0.5)
        {
            return fmt::format(", {} of it {} parallelism", format_percent(share), name_of(axis));
        }
    }
    return "";
}

} // namespace

std::string say_step(const StepLife& life, const StepOptions& options, ByteUnit unit)
{
    const double sending = life.wire() + life.busy_on(StepLane::layers);
    const std::string_view name = name_of(options.strategy);
    const std::string sent = format_bytes(life.all_sent(), unit);
    if (!options.overlap)
    {
        return fmt::format("{} sends {} per rank without overlap: **{} of {} is exposed**.", name, sent,
                           format_seconds(Seconds(life.exposed)), format_seconds(Seconds(life.total)));
    }
    const double hidden = std::max(0.0, sending - life.exposed);
    return fmt::format("{} sends {} per rank; of {} of communication {} is overlapped, **{} exposed**{}.",
                       name, sent, format_seconds(Seconds(sending)), format_seconds(Seconds(hidden)),
                       format_seconds(Seconds(life.exposed)), most_waited(life));
}

std::string say_unsharded_hsdp(const StepLife& hsdp, const Scenario& s)
{
    if (hsdp.groups[0].shards > 1 || hsdp.groups[0].ranks == 1)
    {
        return "";
    }
    const std::int64_t inside = s.parallel.tensor * s.parallel.context;
    return inside >= s.cluster.gpus_per_node
               ? fmt::format(
                     " HSDP is DDP here: TP {}{} fills the node of {}, so that a node\u2019s shard group "
                     "has one rank.",
                     s.parallel.tensor,
                     s.parallel.context > 1 ? fmt::format(" \u00d7 CP {}", s.parallel.context) : "",
                     counted(s.cluster.gpus_per_node, "GPU"))
               : " HSDP is DDP here: its shard group has one rank.";
}

std::string say_moment(const StepLife& life, double t, ByteUnit unit)
{
    std::string works;
    std::string moves;
    for (const StepTask& task : life.tasks)
    {
        if (task.start <= t && t < task.end)
        {
            std::string& line = task.lane == StepLane::compute ? works : moves;
            line += (line.empty() ? "" : " and ") + say_task(life, task);
        }
    }
    const auto next = std::upper_bound(life.held.begin(), life.held.end(), t,
                                       [](double at, const StepHeld& h) { return at < h.t; });
    const StepHeld& held = next == life.held.begin() ? life.held.front() : *std::prev(next);
    const std::string now = format_seconds(Seconds(t));
    if (works.empty())
    {
        return fmt::format("At {} compute **waits** for {}.", now, moves.empty() ? "nothing more" : moves);
    }
    return fmt::format("At {}: **{}**; {}; {} unsharded.", now, works,
                       moves.empty() ? "link idle" : "overlapped with " + moves,
                       format_bytes(held.weights + held.gradients, unit));
}

} // namespace ringside
