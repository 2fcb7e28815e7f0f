// What readers of several families have in common: the fields that nearly all name alike.
#pragma once

#include "core/scenario/hugging_face/config.h"
#include "core/scenario/scenario.h"

namespace ringside
{

inline constexpr HfRange kLayers{1, 10000};
inline constexpr HfRange kHeads{1, 65536};
inline constexpr HfRange kWidth{1, 8 << 20};
inline constexpr HfRange kRows{1, 1 << 26};
inline constexpr HfRange kTokens{1, 1 << 27};
inline constexpr HfRange kOrNone{0, 1 << 20};

// The defaults of a family's configuration class in the transformers library (src/transformers/models/*/
// configuration_*.py), the fields that nearly all families name alike. 0 key/value heads: as many as heads.
struct HfDefaults
{
    std::int64_t vocab, hidden, ffn, layers, heads, kv_heads, head_dim, longest;
};

// RMSNorm, rotary positions, SwiGLU, no biases: what Llama and its successors have in common.
void read_gated(HfConfig& c, Model& m, const HfDefaults& d);
// "attention_bias" puts a bias on all four products of attention, "mlp_bias" on the MLP's.
void read_biases(HfConfig& c, Model& m);
// In every `full_every`-th layer attention sees everything, in the others a window; 0: in none.
void read_windows(HfConfig& c, Model& m, std::int64_t otherwise, std::size_t full_every);
// Qwen's: the layers from max_window_layers on.
void read_late_windows(HfConfig& c, Model& m);
// Qwen's way of leaving experts out of some layers. Every n-th layer has them: (i + 1) % n == 0.
void read_dense_layers(HfConfig& c, Model& m);
// Latent attention and experts beside shared ones (DeepSeek-V2, arXiv 2405.04434, section 2).
void read_deepseek(HfConfig& c, Model& m, std::int64_t leading, std::int64_t routed, std::int64_t shared,
                   std::int64_t width);
void read_indexer(HfConfig& c, Model& m, std::int64_t picked);

// Layers with a state: gated delta net, Mamba and Mamba-2, convolutions, under the names of each.
void read_state(HfConfig& c, Model& m);
// What each layer attends to, by a list of its kind, a pattern of letters or an interval; and heads that
// layers with a window have for themselves.
void read_layer_kinds(HfConfig& c, Model& m);

} // namespace ringside
