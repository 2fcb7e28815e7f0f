#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/network/step/pictures.h"

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

} // namespace ringside
