// Shapes of any size: what the model-size slider turns a number of parameters into.
// Proportions follow published families; nothing here says how well such a model would learn.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

enum class Family
{
    gpt,  // learned positions, LayerNorm, GELU of width 4 h, tied embedding, biases, dropout (GPT-3)
    llama // RoPE, RMSNorm, SwiGLU, 8 key/value heads, untied, 128 256 words (Llama 3)
};

inline constexpr double kLeastParameters = 1e8;
inline constexpr double kMostParameters = 1e13;

// A shape of about `parameters` parameters (within 2.1%; clamped to the range above, the least when not
// finite) whose layers divide by layer_multiple and whose heads and ffn divide by head_multiple, so that it
// can be cut that way. A multiple more than four times what suits the size is replaced by its largest divisor
// that is not. A larger request never gives a smaller model.
Model model_of_size(double parameters, Family family, std::int64_t layer_multiple = 1,
                    std::int64_t head_multiple = 1);

// Gated MLPs are Llama's, all others GPT's.
Family family_of(const Model& model);

} // namespace ringside
