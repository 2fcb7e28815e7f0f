// Memory of one GPU, component by component and stage by stage. Every part is whole bytes, so the parts add
// up exactly. Says nothing about time. Conventions of other tools are in conventions.h.
//
// Conventions. Two numbers, each with its use: allocated is what PyTorch's max_memory_allocated reports, card
// what nvidia-smi shows, with what the allocator holds beyond it, driver and communication library. Whether a
// run fits is a question to the card. The capacity is what a program sees of the accelerator, where that was
// measured, else the nameplate in decimal GB; training.reserved_gb takes off more, training.fragmentation
// adds to the buffers. Named or assumed, the same software takes the same memory.
//
// Logits count 4 s b V / t bytes in the activations of the last stage, what a loss holds beyond that is a
// buffer. The gradient of the loss exists before the first backward starts, so the working set of the
// backward counts only as far as it exceeds all of it.
//
// Libraries of products take a workspace for each handle, whatever the model: two of cuBLAS, for the threads
// of the forward and of the backward (PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp), one of
// TransformerEngine, and four where experts run as grouped products on streams of their own
// (transformer_engine/pytorch/cpp_extensions/gemm.py).
//
// ZeRO shards dense weights over data x context parallelism, since all of those ranks hold the same ones,
// and experts over their own replicas. The largest shard counts, padding included.
//
// Where only the order of a schedule says how many micro-batches it keeps (zero bubble, DualPipe), the
// simulated order is walked. DualPipe holds two stages per rank, so weights, gradients and optimizer state
// count twice over the pipeline, and head and embedding are on both ends.
#pragma once

#include "core/base/names.h"
#include "core/base/units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

enum class LossKind;
enum class Precision;
enum class Recompute;
struct LayerRange;
struct Model;
struct Parallel;
struct Scenario;
struct StagePart;
struct StageWeights;
struct Training;

// In the order of the stacked bar, state below and activations on top.
enum class Component
{
    weights,
    gradients,
    master_weights,
    momentum,
    variance,
    buffers,
    activations
};
inline constexpr std::size_t kComponents = 7;
template <>
inline constexpr auto kNamesOf<Component> = names<Component>("weights", "gradients", "master weights",
                                                             "momentum", "variance", "buffers",
                                                             "activations");
std::string_view key_of(Component component); // "master_weights_bytes"

// Bytes kept for each parameter, before any sharding (ZeRO, arXiv 1910.02054, section 3.1: 2 + 2 + K with K =
// 12 for Adam).
struct StateBytes
{
    double weight = 2;
    double gradient = 4;
    double momentum = 4;
    double variance = 4;
    double master = 4;

    double total() const { return weight + gradient + momentum + variance + master; }
};

// Bytes of an operand of a large product, its scales included.
double operand_bytes(Precision precision);
// The recipe's bytes per parameter. Adafactor's and Muon's variance is not per parameter: see
// memory_report().
StateBytes state_bytes(const Training& training);
// With the scenario's software: one that casts weights as it gathers them shards the master copy alone.
StateBytes state_bytes(const Scenario& scenario);
double gathered_bytes(const Scenario& scenario); // per parameter of a gathered layer

// What one layer keeps for the backward pass, per token of its sequence share, in bytes before tensor
// parallelism.
struct ActivationCost
{
    double sequence = 0; // cut by tensor only with sequence parallelism (norms, their inputs, dropout masks)
    double tensor = 0;   // cut by tensor (heads, MLP)
    double scores =
        0; // per token and per token of the sequence; cut by tensor; 0 with flash attention or recompute
};

// Activations of one layer of one micro-batch on one GPU: as recomputation leaves them, and whole.
class LayerKept
{
public:
    // Neither ZeRO nor the pipeline plays a part.
    explicit LayerKept(const Scenario& scenario);

    // Bytes of the layers of one (virtual) stage.
    double of(const LayerRange& layers) const;
    double largest(const LayerRange& layers) const;
    // What of a layer is computed again.
    double again(bool experts) const
    {
        const std::size_t kind = experts ? 1 : 0;
        return whole_.at(kind) - left_.at(kind);
    }

private:
    const Scenario& s_;
    std::array<double, 2> left_{};  // dense, with experts
    std::array<double, 2> whole_{}; // the same where nothing is recomputed
};

// The sum of the tensors kept (core/memory/activations/tensors.h). `recompute` none gives everything,
// selective drops the scores, full keeps only the layer's input.
ActivationCost activation_cost(const Model& model, const Training& training, const Parallel& parallel,
                               bool with_experts, Recompute recompute);
// Bytes of one layer of one micro-batch on one GPU.
double layer_activations(const Model& model, const Training& training, const Parallel& parallel,
                         bool with_experts, Recompute recompute);

// How many copies of 4 bytes per logit a loss has beyond the fused one's. Eager code holds 2 (the product's
// result) + 4 + 4 (log-softmax) + 4 + 2 (both gradients). Where the caller drops the logits before the
// backward (torchtitan's train.py), 10 at most: 2 + 4 + 4 before it, 4 + 4 + 2 in it. Megatron-Core's
// vocabulary-parallel loss holds 6: the product's 2 and an fp32 copy that becomes softmax and gradient in
// place (megatron/core/tensor_parallel/cross_entropy.py); compiled (fusions/fused_cross_entropy.py), 9.7 as
// measured, for a compiled function overwrites nothing that it was given.
double logit_copies(LossKind loss);
inline constexpr double kLossChunks = 8; // torchtune's and Liger's default parts of a chunked loss

// What the temporary buffers are made of.
struct BufferParts
{
    Bytes gradient_workspace; // weight gradients before they are added to the accumulated ones
    Bytes working_set;        // gradients of activations inside one layer's backward pass
    Bytes recomputed;         // one layer's activations, computed again
    Bytes gathered;           // ZeRO-3 or weights offloaded: those of the layer at work and the next
    Bytes transfer;           // sending and receiving between stages
    Bytes loss_copies;        // what the loss holds beyond 4 bytes a logit
    Bytes deferred;           // inputs and gradients of the output projection that wait for the drain
    Bytes workspace;          // of the libraries of products
    Bytes graph_pools;        // private pools of CUDA graphs
    Bytes second_gradients;   // 16-bit ones beside the 32-bit ones they are added to (DeepSpeed)
    Bytes whole_gradients;    // beyond a shard, while a pipeline's micro-batches are added up (FSDP2)
    Bytes fragmentation;      // as asked for by training.fragmentation, and the software's allocator
    Bytes reserve;            // allocator, driver and communication library

    Bytes temporary() const; // all but the last two: what is allocated
    Bytes moving() const;    // of these, what comes and goes in a step
};

struct StageMemory
{
    std::array<Bytes, kComponents> parts{}; // by Component
    BufferParts buffers;
    std::int64_t layers = 0;
    std::int64_t parameters = 0;    // elements on one GPU, before ZeRO
    std::vector<std::int64_t> kept; // [chunk] micro-batches kept at the peak
    std::int64_t in_flight = 0;     // their sum
    double kept_layers = 0;         // layers x micro-batches kept at the peak
    Bytes layer_bytes;              // activations of the stage's largest layer, one micro-batch
    Bytes logits_bytes;             // last stage only, inside activations
    // Offloaded by this GPU. Its gradients arrive on the host, wherever the optimizer's state lies (Ren et
    // al., ZeRO-Offload, arXiv 2101.06840, section 3); fp32 weights, which are their own master copy, are
    // there twice.
    std::array<Bytes, kComponents> host{};
    std::array<Bytes, kComponents> nvme{};
    Bytes host_bytes; // their sums
    Bytes nvme_bytes;

    Bytes of(Component component) const { return parts[static_cast<std::size_t>(component)]; }
    Bytes total() const; // of the card
    // What PyTorch's allocator has given out of it.
    Bytes allocated() const { return total() - buffers.fragmentation - buffers.reserve; }
};

// The share of the capacity to leave free: with less, a run that fits on paper may still fail, since
// allocators leave holes.
inline constexpr double kHeadroom = 0.08;
enum class MemoryVerdict
{
    fits,
    tight,
    no
};
template <>
inline constexpr auto kNamesOf<MemoryVerdict> = names<MemoryVerdict>("fits", "tight", "no");

struct MemoryReport
{
    std::vector<StageMemory> stages;
    std::size_t fullest = 0; // stage with the largest total
    Bytes capacity;          // of one GPU, less what is reserved
    double low = 1;          // factors on the bytes between which measured ones like these lie
    double high = 1;

    const StageMemory& worst() const { return stages[fullest]; }
    const StageMemory& most_allocated() const
    {
        return *std::ranges::max_element(stages, {}, &StageMemory::allocated);
    }
    bool fits() const { return worst().total() <= capacity; }
    MemoryVerdict verdict() const
    {
        return worst().total().value * low > capacity.value               ? MemoryVerdict::no
               : worst().total().value > (1 - kHeadroom) * capacity.value ? MemoryVerdict::tight
                                                                          : MemoryVerdict::fits;
    }
};

// What is trained of a stage's weights: all, or the adapters.
StageWeights trained_weights(const Training& training, const StageWeights& weights);
// What a program can use of one GPU: its memory as measured, less training.reserved_gb.
Bytes memory_capacity(const Scenario& scenario);
// Bytes of a weight of a quantized base: NF4 with a scale of 8 bits for 64 and one of 32 for 256 of those
// (Dettmers et al., QLoRA, arXiv 2305.14314, section 3).
inline constexpr double kQuantizedWeight = 0.5 + (8.0 / 64 + 32.0 / (64 * 256)) / 8;

// parallel.zero, or 0 where every GPU is the only replica of what it holds, so that nothing is gathered or
// scattered.
std::int64_t effective_zero(const Scenario& scenario);

// One stage of the pipeline on one GPU; `layer` is the scenario's, `kept` are the micro-batches it keeps of
// each of its chunks.
StageMemory stage_memory(const Scenario& scenario, const LayerKept& layer, const StageWeights& weights,
                         const StagePart& part, std::vector<std::int64_t> kept);

// The total of the same in two halves, for a search that puts many together: what the weights take needs
// neither the micro-batch nor what is kept, the rest no ZeRO stage.
struct MemoryHalf
{
    Bytes all;
    Bytes moving; // of it, what comes and goes in a step
};
MemoryHalf weight_half(const Scenario& scenario, const StageWeights& weights);
MemoryHalf token_half(const Scenario& scenario, const LayerKept& layer, const StagePart& part,
                      std::span<const std::int64_t> kept);
Bytes stage_bytes(const Scenario& scenario, const MemoryHalf& weights, const MemoryHalf& tokens);

// The scenario must be valid (see validate()).
MemoryReport memory_report(const Scenario& scenario);

} // namespace ringside
