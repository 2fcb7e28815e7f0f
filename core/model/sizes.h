// What every topic derives from a scenario besides its groups of ranks (core/scenario/scenario.h): widths of
// numbers, and a GPU's share of tokens and heads.
#pragma once

#include "core/scenario/scenario.h"

#include <algorithm>

namespace ringside
{

// [B] of an activation, and of a weight that products read: 16 bits unless all training is in fp32. 8-bit
// formats are counted where they are kept.
constexpr double element_bytes(const Training& training)
{
    return training.precision == Precision::fp32 ? 4 : 2;
}

// Numbers of a token that a routed expert reads, and that travel to it.
constexpr std::int64_t expert_width(const Model& model)
{
    return model.expert_hidden > 0 ? model.expert_hidden : model.hidden;
}
// Inner width of all shared experts of a layer.
constexpr std::int64_t shared_width(const Model& model)
{
    return model.shared_ffn > 0 ? model.shared_ffn : model.shared_experts * model.expert_ffn;
}
// Inner width of a dense MLP: of a mean layer, and of the widest.
constexpr double mean_ffn(const Model& m)
{
    const double wide =
        m.shared_kv_ffn > 0 ? static_cast<double>(m.shared_kv_layers) / static_cast<double>(m.layers) : 0;
    return static_cast<double>(m.ffn) * (1 - wide) + static_cast<double>(m.shared_kv_ffn) * wide;
}
constexpr std::int64_t widest_ffn(const Model& m)
{
    return std::max(m.ffn, m.shared_kv_ffn);
}
// Numbers of a token between two layers.
constexpr std::int64_t residual_width(const Model& model)
{
    return model.hidden * std::max<std::int64_t>(1, model.residual_streams);
}

// GPUs that share one copy of the model.
constexpr std::int64_t replica_gpus(const Parallel& p)
{
    return p.tensor * p.context * p.pipeline;
}

// Tokens of one micro-batch on one context rank.
constexpr double micro_batch_tokens(const Scenario& s)
{
    return static_cast<double>(s.training.micro_batch * s.training.sequence_length) /
           static_cast<double>(s.parallel.context);
}

// Query heads, and key and value heads, of one tensor rank. Where there are fewer than ranks, each has a
// copy.
constexpr std::int64_t rank_heads(const Scenario& s)
{
    return std::max<std::int64_t>(1, s.model.heads / s.parallel.tensor);
}
constexpr std::int64_t rank_kv_heads(const Scenario& s)
{
    return std::max<std::int64_t>(1, s.model.kv_heads / s.parallel.tensor);
}

} // namespace ringside
