// How the layers of a model attend: which tokens each attends to, how wide heads are, what an operation on a
// key costs and what the cache keeps. One table for windows, latents, sparse, compressed and linear
// attention.
#pragma once

#include "core/scenario/scenario.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ringside
{

// Linear layers: tokens of a chunk (flash-linear-attention; Kimi Linear).
inline constexpr std::int64_t kLinearChunk = 64;

// Keys that a token attends to in one layer. Far keys stand for `every` tokens each; those of the last
// `window` tokens stay whole beside them.
struct LayerKeys
{
    static constexpr double kAll = std::numeric_limits<double>::infinity();

    double every = 1;   // tokens that one far key stands for; kAll: there are none
    double most = kAll; // far keys that a token attends to
    double window = 0;  // tokens

    double far(double tokens) const { return tokens / every; }
    // By the token behind `tokens` others.
    double attended(double tokens) const;
    // The same, summed over the first `tokens` tokens of a sequence.
    double attended_by_all(double tokens) const;
    // Kept of `tokens` tokens.
    double kept(double tokens) const;
    // The share of full attention's scores over `tokens` that is made: with a window of r times the sequence
    // 2 r - r^2, the mean of min(i, w) over half the sequence.
    double share(double tokens) const;
};

// Widths of one head. Latent keys and values are counted as attention multiplies them in training.
struct HeadWidths
{
    double key = 0;
    double value = 0;
    double kv_heads = 0;  // heads with keys and values of their own
    double absorbed = 0;  // key and value together where the cache is attended to as it is kept
    double cached = 0;    // numbers that one key and value leave in the cache, all heads
    bool sharded = false; // over tensor-parallel ranks
};
// The widths in layers that are not linear. Latent: DeepSeek-V2, arXiv 2405.04434, sections 2.1.2 and 2.1.4.
HeadWidths head_widths(const Model& model);

// Layers that attend alike, and what one of them costs, all heads.
struct AttentionLayers
{
    LayerAttention kind = LayerAttention::full;
    std::int64_t entry = 0; // of attention_per_layer
    std::int64_t layers = 0;
    LayerKeys keys;
    double key_flops = 0;      // [FLOP] of one token and one key it attends to: 2 a (d_k + d_v)
    double absorbed_flops = 0; // the same on the cache as it is kept
    double index_flops = 0;    // [FLOP] of one token and one far key that the indexer scores: 2 a_i d_i
    double state_flops = 0;    // [FLOP] of one token, whatever came before
    double cached = 0;         // numbers a kept key leaves in the cache
    double indexed = 0;        // numbers a far key leaves in the indexer's
    double state = 0;          // numbers kept, however many tokens
    double kv_heads = 0;       // heads with keys and values of their own
    bool sharded = false;      // the cache, over tensor-parallel ranks
    bool borrows = false;      // reads the cache of an earlier layer and keeps none

    // [FLOP] of one token of a sequence, by the convention that counts full scores, and as kernels that skip
    // what lies above the diagonal run.
    double counted(double tokens) const;
    double executed(double tokens) const;
    // [FLOP] of one token behind `tokens` others on the cache as it is kept.
    double decoded(double tokens) const
    {
        return absorbed_flops * keys.attended(tokens) + index_flops * far(tokens) + state_flops;
    }
    double numbers(double tokens) const
    {
        return borrows ? 0 : cached * keys.kept(tokens) + indexed * far(tokens) + state;
    }
    double far(double tokens) const { return keys.far(tokens); }
    // How many of these numbers of keys and of a state are on one of `ranks` tensor-parallel ranks. Heads of
    // keys are copied where there are fewer than ranks.
    double here(double of_keys, double of_state, double ranks) const
    {
        return !sharded ? of_keys + of_state
                        : of_keys * std::max(1.0, std::floor(kv_heads / ranks)) / kv_heads + of_state / ranks;
    }
    // Numbers that one more token leaves. Compressed layers' last tokens, which they keep besides, do not
    // count.
    double token_numbers() const
    {
        return borrows                         ? 0
               : keys.every == LayerKeys::kAll ? keys.window > 0 ? cached : 0
                                               : (cached + indexed) / keys.every;
    }
};
// Indexer: DeepSeek-V3.2, section 2.1. Compressed keys: 4 and 128 tokens each beside a window of 128 (config
// of the released DeepSeek-V4). Linear: 6 d^2 + 3 C d + C^2 a head and token in chunks of C = 64 (Kimi
// Linear, arXiv 2510.26692, section 6.3, equation 13), a state of d^2 and the last inputs of its
// convolutions; delta with d_k d_v for d^2 and (2 d_k + d_v) for 3 d. Lightning: 4 d^2 + 2 C d. Mamba and
// Mamba-2: 7 for each number of the state (NVIDIA/Megatron-LM, megatron/training/training.py,
// mamba_layer_flops). All `count` layers from the first, by entry.
std::vector<AttentionLayers> attention_layers(const Model& model, std::int64_t count);

// [FLOP] of one token in a mean layer, as kernels run it.
double executed_attention(const Model& model, double tokens);
// The share of full attention's scores over `tokens` that the layers make; 1 without windows and their like.
double scores_share(const Model& model, double tokens);
// Numbers of one token that context-parallel ranks hand on in a mean layer, on one of `tensor` ranks; keys
// and values of every query head where those are repeated before they travel.
double passed_numbers(const Model& model, std::int64_t tensor, bool every_head);

// The layers of one LayerAttention as a model of only those, and their share of all layers; those with a
// window apart where their heads are others, which are then the part's own, and those that borrow keys. A
// mean layer is the sum of these by their shares; a model whose layers are all alike is its only part.
struct ModelPart
{
    Model model;
    double share = 1;
};
std::vector<ModelPart> attention_parts(const Model& model);
// The part with the most layers.
Model most_layers(const Model& model);
bool attends_alike(const Model& model);

} // namespace ringside
