// Fine-tuning with and without adapters: what LoRA adds to the matrices of a model, and what each recipe
// keeps in memory. Counts bytes and FLOPs; says nothing about how well the result does.
//
// The scenario gives model, sequence and micro-batch, not the layout: one GPU, or everything sharded evenly
// over N as with ZeRO-3 plus two gathered layers. 16 bytes per trained parameter (2 + 2 + 12), whatever the
// scenario's gradient type. NF4 covers the linear layers of the blocks; embedding, norms, routers and head
// stay 16-bit. Adapters of experts are one per expert and the router has none. Activations are those of
// training everything, an upper bound, plus A x. Paged optimizer state does not count against the GPUs: it
// may be on the host while activations peak.
#pragma once

#include "core/base/names.h"
#include "core/base/text/term.h"
#include "core/base/units.h"
#include "core/scenario/scenario.h"

#include <array>
#include <string_view>
#include <vector>

namespace ringside
{

enum class FinetuneRecipe : std::uint8_t
{
    full,
    lora,
    dora,
    qlora
};
inline constexpr std::size_t kFinetuneRecipes = 4;
template <>
inline constexpr auto kNamesOf<FinetuneRecipe> = names<FinetuneRecipe>("Full", "LoRA", "DoRA", "QLoRA");

inline constexpr LoraModules kQueriesAndValues{true, false, true, false, false, false, false};

// One shape of matrix in the whole model.
struct LoraMatrix
{
    LoraModule module = LoraModule::query;
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t count = 0; // over all layers, experts each for itself
    bool routed = false;    // a token passes those of its experts alone

    // r (d_in + d_out) (Hu et al., LoRA, arXiv 2106.09685, section 4.1).
    std::int64_t adapter(std::int64_t rank) const { return rank * (in + out); }
    bool operator==(const LoraMatrix&) const = default;
};

// All linear layers of the blocks, routers left out. Their products in x out x count add up to the matrices
// of weights.h.
std::vector<LoraMatrix> lora_matrices(const Model& model);

struct FinetuneSetup
{
    std::int64_t rank = 16;
    LoraModules modules = kAllLinear;
    bool double_quantized = true; // the scales of the 4-bit base, themselves in 8 bit
    bool checkpointing = true;    // a layer's activations are computed again
    bool eight_bit = false;       // optimizer with two 8-bit moments and no master copy
    bool paged = false;           // optimizer state can be moved to the host when memory runs short
    std::int64_t gpus = 1;        // over which weights, gradients and optimizer state are sharded
    std::int64_t sequence = 2048; // tokens
    std::int64_t micro_batch = 1; // sequences on each GPU

    bool operator==(const FinetuneSetup&) const = default;
};

// How many such matrices a token passes: of experts only its own.
double matrices_passed(const Model& model, const LoraMatrix& matrix);

// Sequence length and micro-batch of the scenario, on one GPU.
FinetuneSetup finetune_setup(const Scenario& scenario);

// From the bottom of the bar up.
enum class FinetunePart : std::uint8_t
{
    base,        // weights, frozen or not
    scales,      // of a 4-bit base
    adapters,    // their weights
    gradients,   // of what is trained
    optimizer,   // master copy and moments of what is trained
    buffers,     // weights gathered from other GPUs, or dequantized from 4-bit
    activations, // logits included
};
inline constexpr std::size_t kFinetuneParts = 7;
template <>
inline constexpr auto kNamesOf<FinetunePart> = names<FinetunePart>("base weights", "scales of the base",
                                                                   "adapters", "gradients", "optimizer",
                                                                   "buffers", "activations");

struct FinetuneReport
{
    FinetuneRecipe recipe = FinetuneRecipe::full;
    FinetuneSetup setup;
    std::int64_t parameters = 0; // of the model
    std::int64_t trained = 0;
    std::int64_t magnitudes = 0;               // of `trained`, DoRA's
    std::array<Bytes, kFinetuneParts> parts{}; // of one GPU
    double token_flops = 0;                    // of one token, in parameters: 6 full, 4 frozen; + 2 again

    Bytes of(FinetunePart part) const { return parts[static_cast<std::size_t>(part)]; }
    Bytes total() const;
    // What must be on the GPU: less the optimizer's state where it is paged.
    Bytes least() const;
    double share() const { return static_cast<double>(trained) / static_cast<double>(parameters); }
};

// The scenario gives the model; its layout plays no part. Weights 16 bit and AdamW in mixed precision, 16
// bytes for each trained parameter (2 + 2 + 12), 6 with the 8-bit optimizer (2 + 2 + 1 + 1). NF4 keeps the
// linear layers of the blocks in 4 bit, everything else in 16 (Dettmers et al., QLoRA, arXiv 2305.14314,
// section 3).
FinetuneReport finetune_report(const Scenario& scenario, FinetuneRecipe recipe, const FinetuneSetup& setup);

// Bits of scales for each weight: 32 for every block of 64, or 8 for a block and 32 for 256 of those (0.5 and
// 0.127; QLoRA, section 3).
double scale_bits(bool double_quantized);

// The least number of GPUs of so much memory that hold the recipe, up to 4096; 0: activations alone are too
// much.
std::int64_t gpus_for(const Scenario& scenario, FinetuneRecipe recipe, FinetuneSetup setup, Bytes memory);

Term explain_adapters(const Scenario& scenario, const FinetuneReport& report);
Term explain_finetune(const Scenario& scenario, const FinetuneReport& report, FinetunePart part);

} // namespace ringside
