#include "core/scenario/hugging_face/readers.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside
{

void read_gated(HfConfig& c, Model& m, const HfDefaults& d)
{
    m.vocab = c.count({"vocab_size"}, d.vocab, kRows);
    m.hidden = c.count({"hidden_size"}, d.hidden);
    m.ffn = c.count({"intermediate_size"}, d.ffn, kWidth);
    m.layers = c.count({"num_hidden_layers"}, d.layers, kLayers);
    m.heads = c.count({"num_attention_heads"}, d.heads, kHeads);
    m.kv_heads = d.kv_heads > 0 && !c.is_null("num_key_value_heads")
                     ? c.count({"num_key_value_heads"}, d.kv_heads, kHeads)
                     : c.maybe({"num_key_value_heads"}, kHeads).value_or(m.heads);
    m.head_dim = d.head_dim > 0 ? c.count({"head_dim"}, d.head_dim, kHeads)
                                : c.maybe({"head_dim"}, kHeads).value_or(0);
    m.max_sequence_length = c.count({"max_position_embeddings"}, d.longest, kTokens);
    m.gated_mlp = true;
    m.norm = Norm::rmsnorm;
    m.positions = Positions::rope;
    m.biases = false;
    m.tied_embeddings = c.flag("tie_word_embeddings", false);
    m.dropout = c.number("attention_dropout", 0) > 0;
}

void read_biases(HfConfig& c, Model& m)
{
    const bool attention = c.flag("attention_bias", false);
    const bool mlp = c.flag("mlp_bias", false);
    m.biases = attention && mlp;
    m.qkv_bias = attention && !mlp;
    if (attention && !mlp)
    {
        c.note("attention_bias",
               fmt::format("the output projection's {} biases are not counted", m.layers * m.hidden),
               "biases are on queries, keys and values only, or on everything");
    }
    if (mlp && !attention)
    {
        c.note("mlp_bias", "biases of the MLP alone are not counted", "biases are on all products or none");
    }
}

void read_windows(HfConfig& c, Model& m, std::int64_t otherwise, std::size_t full_every)
{
    if (c.is_null("sliding_window"))
    {
        return;
    }
    const std::int64_t window = c.maybe({"sliding_window"}, {0, 1 << 27}).value_or(otherwise);
    if (window > 0 && c.flag("use_sliding_window", true))
    {
        m.attention_per_layer.assign(std::max<std::size_t>(1, full_every), window);
        m.attention_per_layer.back() = full_every > 0 ? 0 : window;
    }
}

void read_late_windows(HfConfig& c, Model& m)
{
    if (c.flag("use_sliding_window", false) && !c.is_null("sliding_window"))
    {
        const std::int64_t window = c.maybe({"sliding_window"}, {0, 1 << 27}).value_or(4096);
        const std::int64_t from = c.maybe({"max_window_layers"}, {0, 1 << 20}).value_or(28);
        for (std::int64_t layer = 0; layer < m.layers; ++layer)
        {
            m.attention_per_layer.push_back(layer >= from ? window : 0);
        }
    }
}

void read_dense_layers(HfConfig& c, Model& m)
{
    const std::int64_t step = c.count({"decoder_sparse_step"}, 1, kLayers);
    std::vector<std::int64_t> dense = c.indices("mlp_only_layers");
    std::sort(dense.begin(), dense.end());
    dense.erase(std::unique(dense.begin(), dense.end()), dense.end());
    const bool leading = dense.empty() || dense.back() + 1 == static_cast<std::int64_t>(dense.size());
    if (!leading || (!dense.empty() && step > 1))
    {
        c.fault("mlp_only_layers", "dense layers between those with experts",
                "only leading layers can be dense");
        return;
    }
    m.dense_layers = step > 1 ? step - 1 : static_cast<std::int64_t>(dense.size());
    m.moe_interval = step;
    if (step == 1 && dense.empty())
    {
        m.ffn = c.no_experts ? m.ffn : m.expert_ffn; // no layer has a dense MLP, so its width is nobody's
    }
}

void read_deepseek(HfConfig& c, Model& m, std::int64_t leading, std::int64_t routed, std::int64_t shared,
                   std::int64_t width)
{
    m.attention = Attention::mla;
    m.q_lora_rank = c.is_null("q_lora_rank") ? 0 : c.count({"q_lora_rank"}, 1536, kOrNone);
    m.kv_lora_rank = c.count({"kv_lora_rank"}, 512);
    m.qk_nope_head_dim = c.count({"qk_nope_head_dim"}, 128, kHeads);
    m.qk_rope_head_dim = c.count({"qk_rope_head_dim"}, 64, HfRange{0, 65536});
    m.v_head_dim = c.count({"v_head_dim"}, 128, kHeads);
    m.head_dim = m.qk_nope_head_dim + m.qk_rope_head_dim;
    m.kv_heads = m.heads;         // every head has keys and values of its own, out of one latent
    c.pass_over({"qk_head_dim"}); // the sum of the two
    if (c.has("first_k_dense_replace"))
    {
        c.pass_over({"mlp_layer_types"}); // the same, written out
    }
    if (c.no_experts)
    {
        return;
    }
    m.experts = c.experts({"n_routed_experts", "num_experts", "num_local_experts"}, routed);
    m.shared_experts =
        c.is_null("n_shared_experts") ? 0 : c.count({"n_shared_experts"}, shared, HfRange{0, 1024});
    m.expert_ffn = c.count({"moe_intermediate_size"}, width, kWidth);
    m.dense_layers = c.count({"first_k_dense_replace"}, leading, HfRange{0, 10000});
    m.moe_interval = c.count({"moe_layer_freq"}, 1, kLayers);
    // Layer i has experts if i >= first_k_dense_replace and i is a multiple of moe_layer_freq.
    m.dense_layers = (m.dense_layers + m.moe_interval - 1) / m.moe_interval * m.moe_interval;
}

void read_indexer(HfConfig& c, Model& m, std::int64_t picked)
{
    m.index_heads = c.count({"index_n_heads"}, 64, kHeads);
    m.index_head_dim = c.count({"index_head_dim"}, 128, kHeads);
    m.index_top_k = c.count({"index_topk"}, picked, kTokens);
}

} // namespace ringside
