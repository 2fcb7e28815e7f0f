// One training step of one data-parallel rank on a timeline: forwards and backwards layer by layer, and the
// gathers and reductions that hide behind them or do not, and what tensor, context and expert parallelism
// send inside the layers. Of a pipeline only one stage, without its waiting.
//
// Exposed time is the total less the compute, so it needs no definition of its own. Every unit is gathered
// twice, embedding, head and last layer too, as the volume 3P has it; PyTorch may keep the root and the last
// block. A bucket closes with the tensor that fills it, as in PyTorch; a layer's gradients are all there
// when its backward ends. Communication inside layers has a lane of its own: how streams share a link is not
// modelled. The all-reduce of an input gradient overlaps with the weight gradients, the context ring with
// the scores. Compute takes the step model's seconds, shared over a layer's pieces by their FLOPs.
#pragma once

#include "core/base/names.h"
#include "core/base/text/term.h"
#include "core/network/collective/cost.h"
#include "core/network/rank_grid.h"

#include <array>
#include <string>

namespace ringside
{

enum class StepStrategy : std::uint8_t
{
    ddp,   // everything whole; gradients all-reduced in buckets
    zero1, // optimizer sharded: reduce-scatter, then weights gathered once
    zero2, // gradients too: reduce-scattered after every micro-batch
    zero3, // weights too: gathered layer by layer (FSDP's full shard)
    hsdp   // as zero3 among the ranks of a node, copies of that between nodes
};
inline constexpr std::size_t kStepStrategies = 5;
template <>
inline constexpr auto kNamesOf<StepStrategy> = names<StepStrategy>("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3",
                                                                   "HSDP");

struct StepOptions
{
    StepStrategy strategy = StepStrategy::ddp;
    double bucket_mb = 25;     // [MB, 1e6] DDP and ZeRO-1, 2: gradients of one message (PyTorch's default)
    std::int64_t prefetch = 1; // layers gathered ahead of the one at work, 0 to 4
    bool reshard_after_forward = true; // false: gathered weights stay until their backward
    bool reduce_every = true;          // ZeRO-3, HSDP: gradients travel after every micro-batch; false: once
    std::int64_t accumulation = 1;     // micro-batches of the step, k
    double persistence = 0;            // [elements] tensors below it stay gathered (ZeRO-3, HSDP)
    bool overlap = true;               // false: one thing after the other
    bool inside_layers = true;         // false: without tensor, context and expert communication
    std::int64_t hsdp_ranks = 0;       // that share one copy; 0: those of a node

    bool operator==(const StepOptions&) const = default;
};
// The nearest options that can be run: without overlap nothing is gathered ahead.
StepOptions in_range(StepOptions options);
bool shards_weights(StepStrategy strategy);

enum class StepLane : std::uint8_t
{
    compute,
    layers, // what layers send themselves: a stream of its own, which does not queue behind the next two
    inside, // data parallelism on the node's links
    between // data parallelism on the network
};
inline constexpr std::size_t kStepLanes = 4;

enum class StepKind : std::uint8_t
{
    forward,
    backward,
    all_gather,
    reduce_scatter,
    all_reduce,
    all_to_all,
    ring, // keys and values round the context ring
    optimizer
};
inline constexpr std::size_t kStepKinds = 8;
template <>
inline constexpr auto kNamesOf<StepKind> = names<StepKind>("forward", "backward", "all-gather",
                                                           "reduce-scatter", "all-reduce", "all-to-all",
                                                           "K/V ring", "optimizer");

// What a task works on, where it is no layer.
inline constexpr std::int64_t kEmbeddingUnit = -1;
inline constexpr std::int64_t kHeadUnit = -2;
inline constexpr std::int64_t kWholeModel = -3;
// "layer 7", "layer 3 to layer 7", "the embedding", "all layers".
std::string units_in_words(std::int64_t from, std::int64_t to);

struct StepTask
{
    StepLane lane = StepLane::compute;
    StepKind kind = StepKind::forward;
    Axis axis = Axis::data;           // of a collective: whose
    std::int64_t layer = kWholeModel; // of a bucket: the one whose gradient filled it
    std::int64_t from = kWholeModel;  // of a bucket: the one it began with; otherwise the same
    std::int32_t micro_batch = 0;
    double start = 0;             // [s]
    double end = 0;               // [s]
    double free = 0;              // [s] when its lane was free
    std::int32_t waited_for = -1; // index into StepLife::tasks; -1: its lane, or nothing
    Bytes message;                // of a collective
    Bytes sent;                   // by this rank
};

// From t to the next: whole weights that are gathered here, and whole gradients not yet reduced.
struct StepHeld
{
    double t = 0;
    Bytes weights;
    Bytes gradients;
};

// What is cut and sent for one kind of weight: the dense ones, or the experts.
struct StepGroup
{
    std::int64_t ranks = 1;  // N, that hold copies of it
    std::int64_t shards = 1; // that share one copy: N, or a part of it with HSDP
    Links links;
    double elements = 0;   // P, on one GPU before any sharding
    double persistent = 0; // of them, in tensors below the threshold
};

struct StepLife
{
    std::vector<StepTask> tasks;
    std::vector<StepHeld> held;      // ascending
    std::vector<std::int64_t> units; // layers in order of the forward, embedding and head among them
    std::array<StepGroup, 2> groups; // dense, experts
    std::array<StepGroup, kAxes> layer_groups; // by Axis: tensor, context and expert, ranks and links
    std::array<Bytes, kStepKinds> sent{};      // by this rank for data parallelism
    std::array<Bytes, kAxes> sent_on{};        // by this rank, by Axis
    std::array<double, kAxes> waited{};        // [s] by Axis: what compute waited for; adds up to exposed
    std::array<double, kStepLanes> busy{};
    double total = 0;   // [s]
    double compute = 0; // [s] forward, backward, optimizer
    double exposed = 0; // [s] total - compute: the compute lane waits for the wire
    double reached = 0; // [FLOP/s] by the GPU in forward and backward
    Bytes peak_weights;
    Bytes peak_gradients;
    double weight_bytes = 2;   // of an element on the wire
    double gradient_bytes = 4; // of an element on the wire
    std::int64_t stage = 0;    // of the pipeline, the one with the most parameters

    double efficiency() const { return total > 0 ? compute / total : 1; }
    Bytes all_sent() const; // for data parallelism
    Bytes sent_of(Axis axis) const { return sent_on[static_cast<std::size_t>(axis)]; }
    double waited_for(Axis axis) const { return waited[static_cast<std::size_t>(axis)]; }
    double busy_on(StepLane lane) const { return busy[static_cast<std::size_t>(lane)]; }
    double wire() const { return busy_on(StepLane::inside) + busy_on(StepLane::between); }
    // Nobody to share with: nothing is sent at all.
    bool alone() const
    {
        return groups[0].ranks <= 1 && groups[1].ranks <= 1 && busy_on(StepLane::layers) == 0;
    }
    Bytes sent_of(StepKind kind) const { return sent[static_cast<std::size_t>(kind)]; }
};

// The scenario must be valid; options out of range are brought into it.
StepLife step_life(const Scenario& scenario, const StepOptions& options);

// Whole passes over the parameters a step makes on the wire, each (N-1)/N of them per rank.
struct StepPasses
{
    double gathers = 0;
    double scatters = 0;
    double reduces = 0; // all-reduces; each counts as two passes

    double all() const { return gathers + scatters + 2 * reduces; }
};
// DDP 2, ZeRO-1 2, ZeRO-2 k + 1, ZeRO-3 3k (ZeRO, arXiv 1910.02054, section 7, for k = 1). With weights kept
// until their backward ZeRO-3 makes 2k, with gradients reduced once 2k + 1, with both k + 1. HSDP's
// all-reduces go between nodes and move only a shard each.
StepPasses step_passes(const StepOptions& options);

// Bytes this rank sends in the step, as closed form with the numbers in, and its source.
Term explain_step_sent(const StepLife& life, const StepOptions& options);

} // namespace ringside
