// The training software: what of a step's time and memory is neither the model's nor the accelerator's. The
// same layout on the same GPUs is a third quicker with the kernels and the overlap of 2025 than with those of
// 2021.
//
// The constants of an accelerator (Calibration) stand for the eager software they were fitted on; a
// software's own are factors on them, or replace them. Left out of a scenario, the accelerator suggests one.
#pragma once

#include "core/base/names.h"
#include "core/scenario/calibration.h"

#include <memory>
#include <string>
#include <string_view>

namespace ringside
{

enum class AttentionKernel
{
    flash1, // that of 2022 and 2023, which the constants of the accelerators of its time were fitted on
    flash2,
    latest // cuDNN, FlashAttention-3, Splash attention: what the accelerator's newest kernels reach, by
           // length
};
template <>
inline constexpr auto kNamesOf<AttentionKernel> = names<AttentionKernel>("flash-1", "flash-2", "latest");
enum class ExpertDispatch
{
    plain, // every copy of a token crosses the network
    node   // once to each node and once to each rank there, over the node's own links (DeepEP, HybridEP)
};
template <>
inline constexpr auto kNamesOf<ExpertDispatch> = names<ExpertDispatch>("plain", "once-per-node");
enum class LossKind
{
    fused,          // one copy of the logits, as 32 bits or as 16 with their gradient
    eager,          // 16-bit and 32-bit logits, log-softmax and gradient
    freed,          // eager, but the logits are dropped once the loss is there
    chunked,        // an eighth of the logits at a time
    vocab_parallel, // 16-bit logits and a 32-bit softmax that becomes the gradient (Megatron-Core)
    compiled        // the same as one compiled function, which keeps a copy (--cross-entropy-loss-fusion)
};
template <>
inline constexpr auto kNamesOf<LossKind> = names<LossKind>("fused", "eager", "eager-freed", "chunked",
                                                           "vocab-parallel", "compiled");

struct BandTable; // core/scenario/evidence.h

// The measured rows that say how sure times and memory with a software are. They are no part of what the
// software is, so that all links are equal.
struct EvidenceLink
{
    std::shared_ptr<const BandTable> table;

    bool operator==(const EvidenceLink&) const { return true; }
};

struct Software
{
    std::string id = "megatron-2021"; // of the preset this came from
    std::string name = "Megatron-LM, 2021 to 2023";
    bool inferred = true; // nobody named it: the accelerator suggests it

    double products = 1;     // on Calibration::gemm_efficiency
    double fp8_products = 1; // of the efficiency of 16-bit GEMMs, what FP8 ones reach
    double cast_bytes = 0;   // [B] moved per FP8 input element of a GEMM
    double routing_bytes =
        8; // [B] moved for each element of a token's copy on its way to an expert, and back
    double routing_kernels = 2; // launches of MoE routing, counted in GEMMs
    double elementwise = 1;     // on Calibration::hbm_efficiency: fusing saves bytes
    double launch = 1;          // on Calibration::host_kernel_us: compiled graphs save launches
    double graphs = 0;      // share of the launches that CUDA graphs replay, which the host does not wait for
    double loss_bytes = 60; // [B] that the loss moves for each logit, forward and backward
    AttentionKernel attention = AttentionKernel::flash1;
    double picked_attention = 1; // of attention's rate, what is reached over keys picked one by one
    double stream_mixing = 1;    // times the bytes of a residual stream, what mixing several of them moves
    double gradient_sum_bytes =
        0; // [B] that kernels of their own move to add a micro-batch's gradient to its 32-bit sum
    bool launch_blocking = false;  // the host waits for every kernel before it launches the next
    double gather = 1;             // on Calibration::gather_slowdown
    double data_overlap = -1;      // Calibration::data_overlap; below 0: the accelerator's own
    double parameter_overlap = -1; // share of the forward that ZeRO's new weights travel beside; below 0: as
                                   // gradients
    double tensor_overlap = 1;     // of what a layout that overlaps tensor traffic could hide, what is hidden
    bool own_shard = false;        // such traffic runs beside the rank's own tokens, not beside pieces
    double collectives =
        0; // that a layer's gradients travel in, and again its weights; 0: all layers' at once
    bool blocking_zero = false; // ZeRO-1 and 2 all-reduce whole gradients after the backward, and copy new
                                // weights from every rank's shard
    double step_ms =
        0; // [ms] the host takes between steps: the gradients' norm, the optimizer, the next batch
    bool context_gather = false; // keys and values are gathered before attention, not passed on beside it
    bool context_heads = false;  // PyTorch's context_parallel: they travel repeated for every query head
    ExpertDispatch dispatch = ExpertDispatch::plain;
    bool fp8_dispatch = false; // tokens travel to their experts in 8 bits
    LossKind loss = LossKind::fused;
    bool second_gradients = false; // 16-bit gradients beside the 32-bit ones they are added to
    bool cast_weights = false;     // sharded as FP32 alone: the 16-bit weights are made by the gather (FSDP)
    bool whole_gradients = false;  // a pipeline's micro-batches add up whole gradients (FSDP2)
    double fragmentation = 0;      // of what comes and goes, what the allocator holds beyond it
    double reserve_gb = 0;         // [GB] driver, communication library, allocator
    double graph_pool_gb = 0; // [GB] private pools of CUDA graphs, beside what the same step takes eagerly
    EvidenceLink evidence;

    bool operator==(const Software&) const; // in software.cpp, so that it is compiled once
};

// What is reached of the accelerator with this software.
Calibration with_software(const Calibration& accelerator, const Software& software);
// The share of the dense peak that the forward of attention reaches over a sequence of so many tokens.
double attention_share(const Calibration& calibration, double tokens);

} // namespace ringside
