// How long a micro-batch takes in each recipe, with its part of the update: what a frozen base saves, and
// what 4 bits cost. A roofline over 60% of the peak and 95% of the bandwidth; kernels, padding
// and the host are left out.
//
// Forward, input gradients and weight gradients are 2 FLOPs for each active parameter and token; a frozen
// matrix has no weight gradient (Hu et al., LoRA, arXiv 2106.09685, section 4.2), and checkpointing makes the
// forward once more. Attention is causal, its backward twice the forward. A 4-bit base is widened to 16 bits
// in every pass that reads it (Dettmers et al., QLoRA, arXiv 2305.14314, section 3): 4 bits and scales read,
// 2 bytes written. DoRA adds B A to the weights for their norms (Liu et al., arXiv 2402.09353, section 4.1):
// 6 bytes of each. A fused AdamW moves 28 bytes per trained parameter, an 8-bit one 10. Gathers of a sharded
// base run behind compute; what they take longer is exposed.
#pragma once

#include "core/serving/finetune.h"

namespace ringside
{

enum class FinetunePhase : std::uint8_t
{
    forward,
    again,      // the forward of checkpointed layers
    inputs,     // gradients of activations
    weights,    // gradients of the base
    adapters,   // all of theirs
    dequantize, // 4-bit weights to 16 bits
    norms,      // DoRA
    optimizer,
    gather // exposed
};
inline constexpr std::size_t kFinetunePhases = 9;
template <>
inline constexpr auto
    kNamesOf<FinetunePhase> = names<FinetunePhase>("forward", "recomputation", "input gradients",
                                                   "weight gradients", "adapters", "dequantization",
                                                   "DoRA norms", "optimizer", "exposed gathers");

struct FinetuneTime
{
    std::array<double, kFinetunePhases> parts{}; // [s] of one GPU
    double tokens = 0;

    double of(FinetunePhase phase) const { return parts[static_cast<std::size_t>(phase)]; }
    double total() const;
    double tokens_per_second() const { return tokens / total(); } // of one GPU
};

// One micro-batch of the setup, and its part of an update after `accumulation` of them, at least 1.
FinetuneTime finetune_time(const Scenario& scenario, FinetuneRecipe recipe, const FinetuneSetup& setup,
                           std::int64_t accumulation = 16);

} // namespace ringside
