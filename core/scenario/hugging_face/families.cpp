// One file, since it is one table: a row and its reader for each family of config.json.
#include "core/scenario/hugging_face/families.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr HfRange kLayers{1, 10000};
constexpr HfRange kHeads{1, 65536};
constexpr HfRange kWidth{1, 8 << 20};
constexpr HfRange kRows{1, 1 << 26};
constexpr HfRange kTokens{1, 1 << 27};
constexpr HfRange kOrNone{0, 1 << 20};

// The defaults of a family's configuration class in the transformers library (src/transformers/models/*/
// configuration_*.py), the fields that nearly all families name alike. 0 key/value heads: as many as heads.
struct Defaults
{
    std::int64_t vocab, hidden, ffn, layers, heads, kv_heads, head_dim, longest;
};

// RMSNorm, rotary positions, SwiGLU, no biases: what Llama and its successors have in common.
void read_gated(HfConfig& c, Model& m, const Defaults& d)
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

// "attention_bias" puts a bias on all four products of attention, "mlp_bias" on the MLP's.
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

// In every `full_every`-th layer attention sees everything, in the others a window; 0: in none.
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

// Qwen's: the layers from max_window_layers on.
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

// Qwen's way of leaving experts out of some layers. Every n-th layer has them: (i + 1) % n == 0.
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
        m.ffn = m.expert_ffn; // no layer has a dense MLP, so its width is nobody's
    }
}

void gpt2(HfConfig& c, Model& m)
{
    m.vocab = c.count({"vocab_size"}, 50257, kRows);
    m.hidden = c.count({"n_embd", "hidden_size"}, 768);
    m.layers = c.count({"n_layer", "num_hidden_layers"}, 12, kLayers);
    m.heads = m.kv_heads = c.count({"n_head", "num_attention_heads"}, 12, kHeads);
    m.ffn = c.maybe({"n_inner"}, kWidth).value_or(4 * m.hidden);
    m.max_sequence_length = c.count({"n_positions", "max_position_embeddings"}, 1024, kTokens);
    m.biases = true;
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    m.dropout = c.number("resid_pdrop", 0.1) + c.number("embd_pdrop", 0.1) + c.number("attn_pdrop", 0.1) > 0;
}

void gpt_neox(HfConfig& c, Model& m)
{
    m.vocab = c.count({"vocab_size"}, 50432, kRows);
    m.hidden = c.count({"hidden_size"}, 6144);
    m.layers = c.count({"num_hidden_layers"}, 44, kLayers);
    m.heads = m.kv_heads = c.count({"num_attention_heads"}, 64, kHeads);
    m.ffn = c.count({"intermediate_size"}, 24576, kWidth);
    m.max_sequence_length = c.count({"max_position_embeddings"}, 2048, kTokens);
    m.positions = Positions::rope;
    m.biases = true;
    m.tied_embeddings = c.flag("tie_word_embeddings", false);
    m.dropout = c.number("hidden_dropout", 0) + c.number("attention_dropout", 0) > 0;
    if (!c.flag("attention_bias", true))
    {
        c.note("attention_bias", "the biases of attention are counted all the same",
               "biases are on all products or none");
    }
}

void llama(HfConfig& c, Model& m)
{
    read_gated(c, m, {32000, 4096, 11008, 32, 32, 0, 0, 2048});
    read_biases(c, m);
}

void mistral(HfConfig& c, Model& m)
{
    read_gated(c, m, {32000, 4096, 14336, 32, 32, 8, 0, 131072});
    read_windows(c, m, 4096, 0);
}

void mixtral(HfConfig& c, Model& m)
{
    read_gated(c, m, {32000, 4096, 14336, 32, 32, 8, 0, 131072});
    m.experts = c.count({"num_local_experts", "num_experts"}, 8, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 2, kHeads);
    m.expert_ffn = m.ffn;
    read_windows(c, m, 0, 0);
}

void qwen2(HfConfig& c, Model& m)
{
    read_gated(c, m, {151936, 4096, 22016, 32, 32, 32, 0, 32768});
    m.qkv_bias = true;
    read_late_windows(c, m);
}

void qwen3(HfConfig& c, Model& m)
{
    read_gated(c, m, {151936, 4096, 22016, 32, 32, 32, 128, 32768});
    read_biases(c, m);
    m.qk_norm = QkNorm::head;
    read_late_windows(c, m);
}

void qwen3_moe(HfConfig& c, Model& m)
{
    read_gated(c, m, {151936, 2048, 6144, 24, 32, 4, 0, 32768});
    read_biases(c, m);
    m.qk_norm = QkNorm::head;
    m.experts = c.count({"num_experts", "num_local_experts"}, 128, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 8, kHeads);
    m.expert_ffn = c.count({"moe_intermediate_size"}, 768, kWidth);
    read_dense_layers(c, m);
}

void qwen2_moe(HfConfig& c, Model& m)
{
    read_gated(c, m, {151936, 2048, 5632, 24, 16, 16, 0, 32768});
    m.qkv_bias = c.flag("qkv_bias", true);
    m.experts = c.count({"num_experts", "num_local_experts"}, 60, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 4, kHeads);
    m.expert_ffn = c.count({"moe_intermediate_size"}, 1408, kWidth);
    read_dense_layers(c, m);
    const std::int64_t shared = c.count({"shared_expert_intermediate_size"}, 5632, kWidth);
    if (shared % m.expert_ffn != 0)
    {
        c.fault("shared_expert_intermediate_size",
                fmt::format("{} is not a multiple of moe_intermediate_size {}", shared, m.expert_ffn),
                "shared experts are as wide as routed ones");
        return;
    }
    m.shared_experts = shared / m.expert_ffn;
    const std::int64_t gates =
        std::max<std::int64_t>(0, m.layers - m.dense_layers) / m.moe_interval * m.hidden;
    c.note("shared_expert_intermediate_size",
           fmt::format("the gate of the shared expert, {} parameters in all, is not counted", gates));
}

// Latent attention and experts beside shared ones (DeepSeek-V2, arXiv 2405.04434, section 2).
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
    m.kv_heads = m.heads; // every head has keys and values of its own, out of one latent
    if (c.is_null("n_routed_experts"))
    {
        return; // the library's way to say that it is dense
    }
    m.experts = c.count({"n_routed_experts", "num_experts", "num_local_experts"}, routed, kHeads);
    m.shared_experts =
        c.is_null("n_shared_experts") ? 0 : c.count({"n_shared_experts"}, shared, HfRange{0, 1024});
    m.expert_ffn = c.count({"moe_intermediate_size"}, width, kWidth);
    m.dense_layers = c.count({"first_k_dense_replace"}, leading, HfRange{0, 10000});
    m.moe_interval = c.count({"moe_layer_freq"}, 1, kLayers);
    // Layer i has experts if i >= first_k_dense_replace and i is a multiple of moe_layer_freq.
    m.dense_layers = (m.dense_layers + m.moe_interval - 1) / m.moe_interval * m.moe_interval;
}

void deepseek_v2(HfConfig& c, Model& m)
{
    read_gated(c, m, {32000, 4096, 11008, 32, 32, 0, 0, 2048});
    read_deepseek(c, m, 0, 64, 2, 1407);
    const auto visited = c.maybe({"num_experts_per_tok"}, kHeads);
    if (m.experts > 0 && !visited)
    {
        c.fault("num_experts_per_tok", "is missing", "say how many routed experts a token uses, such as 6");
    }
    m.experts_per_token = m.experts > 0 ? visited.value_or(1) : 0;
}

void deepseek_v3(HfConfig& c, Model& m)
{
    read_gated(c, m, {129280, 7168, 18432, 61, 128, 128, 0, 4096});
    read_deepseek(c, m, 3, 256, 1, 2048);
    m.experts_per_token = m.experts > 0 ? c.count({"num_experts_per_tok"}, 8, kHeads) : 0;
    m.router_bias = m.experts > 0 && c.word("topk_method", "noaux_tc") == "noaux_tc";
}

void read_indexer(HfConfig& c, Model& m, std::int64_t picked)
{
    m.index_heads = c.count({"index_n_heads"}, 64, kHeads);
    m.index_head_dim = c.count({"index_head_dim"}, 128, kHeads);
    m.index_top_k = c.count({"index_topk"}, picked, kTokens);
}

void deepseek_v32(HfConfig& c, Model& m)
{
    deepseek_v3(c, m);
    m.attention_per_layer = {entry_of(LayerAttention::sparse)};
    read_indexer(c, m, 2048);
}

void deepseek_v4(HfConfig& c, Model& m)
{
    read_gated(c, m, {129280, 4096, 2048, 43, 64, 1, 512, 1048576});
    m.attention = Attention::shared_kv;
    m.attention_sinks = true;
    m.q_lora_rank = c.count({"q_lora_rank"}, 1024);
    m.output_groups = c.count({"o_groups"}, 8, kHeads);
    m.output_lora_rank = c.count({"o_lora_rank"}, 1024);
    read_indexer(c, m, 512);
    m.residual_streams = c.count({"hc_mult"}, 4, HfRange{1, 64});
    m.experts = c.count({"n_routed_experts"}, 256, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 6, kHeads);
    m.shared_experts = c.count({"n_shared_experts"}, 1, HfRange{0, 1024});
    m.expert_ffn = m.ffn = c.count({"moe_intermediate_size"}, 2048, kWidth);
    m.router_bias = true;
    const std::int64_t window = c.count({"sliding_window"}, 128, kTokens);
    if (window != 128)
    {
        c.note("sliding_window", fmt::format("{} tokens", window), "128 are counted beside compressed keys");
    }
    std::vector<std::int64_t> ratios = c.indices("compress_ratios");
    if (std::ssize(ratios) < m.layers)
    {
        c.fault("compress_ratios", fmt::format("{} entries for {} layers", ratios.size(), m.layers),
                "give each layer its 0, 4 or 128, as the released config.json does");
        return;
    }
    ratios.resize(static_cast<std::size_t>(m.layers)); // a prediction layer's is behind
    for (const std::int64_t ratio : ratios)
    {
        if (ratio != 0 && ratio != kCsaTokens && ratio != kHcaTokens)
        {
            c.fault("compress_ratios", fmt::format("{} tokens to a key", ratio),
                    fmt::format("0, {} and {} are known", kCsaTokens, kHcaTokens));
            return;
        }
        m.attention_per_layer.push_back(ratio == 0            ? window
                                        : ratio == kCsaTokens ? entry_of(LayerAttention::csa)
                                                              : entry_of(LayerAttention::hca));
    }
}

// Kimi Linear, and Kimi K3 in what that adds: gates, experts on a latent, attention residuals.
void kimi_linear(HfConfig& c, Model& m)
{
    read_gated(c, m, {163840, 2304, 9216, 27, 32, 0, 0, 1048576});
    read_deepseek(c, m, 1, 256, 1, 1024);
    m.experts_per_token = c.count({"num_experts_per_token", "num_experts_per_tok"}, 8, kHeads);
    m.shared_experts = c.count({"num_shared_experts", "n_shared_experts"}, 1, HfRange{0, 1024});
    m.positions = Positions::none;
    m.router_bias = true;
    m.attention_gate = c.flag("mla_use_output_gate", false);
    m.expert_hidden = c.maybe({"routed_expert_hidden_size"}).value_or(0);
    m.residual_block = c.maybe({"attn_res_block_size"}, kLayers).value_or(0);
    const nlohmann::json* linear = c.object("linear_attn_config");
    if (linear == nullptr)
    {
        return;
    }
    HfConfig own(*linear, "linear_attn_config.");
    m.linear_head_dim = own.count({"head_dim"}, 128, kHeads);
    if (const std::int64_t heads = own.count({"num_heads"}, m.heads, kHeads); heads != m.heads)
    {
        own.fault("num_heads", fmt::format("{} beside {} heads of full attention", heads, m.heads),
                  "both have as many");
    }
    m.attention_per_layer.assign(static_cast<std::size_t>(m.layers), 0);
    for (const std::int64_t layer : own.indices("kda_layers")) // from 1
    {
        if (layer < 1 || layer > m.layers)
        {
            own.fault("kda_layers", fmt::format("{} of {} layers", layer, m.layers), "layers count from 1");
            break;
        }
        m.attention_per_layer[static_cast<std::size_t>(layer - 1)] = entry_of(LayerAttention::linear);
    }
    c.issues.insert(c.issues.end(), own.issues.begin(), own.issues.end());
}

void glm4_moe(HfConfig& c, Model& m)
{
    read_gated(c, m, {151552, 4096, 10944, 46, 96, 8, 128, 131072});
    m.qkv_bias = c.flag("attention_bias", false); // and not on the output
    m.qk_norm = c.flag("use_qk_norm", false) ? QkNorm::head : QkNorm::none;
    m.experts = c.count({"n_routed_experts"}, 128, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 8, kHeads);
    m.shared_experts = c.count({"n_shared_experts"}, 1, HfRange{0, 1024});
    m.expert_ffn = c.count({"moe_intermediate_size"}, 1408, kWidth);
    m.dense_layers = c.count({"first_k_dense_replace"}, 1, HfRange{0, 10000});
    m.router_bias = true;
}

// Three layers of four look at chunks, the fourth at everything; every n-th layer has experts.
void llama4(HfConfig& c, Model& m)
{
    read_gated(c, m, {202048, 5120, 8192, 48, 40, 8, 128, 131072});
    read_biases(c, m);
    m.expert_ffn = m.ffn;
    m.ffn = c.count({"intermediate_size_mlp"}, 16384, kWidth);
    m.experts = c.count({"num_local_experts"}, 16, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 1, kHeads);
    m.shared_experts = 1;
    m.moe_interval = c.count({"interleave_moe_layer_step"}, 1, kLayers);
    m.dense_layers = m.moe_interval - 1;
    if (c.is_null("attention_chunk_size"))
    {
        return;
    }
    const std::int64_t chunk = c.count({"attention_chunk_size"}, 8192, kTokens);
    m.attention_per_layer = {chunk, chunk, chunk, 0};
    if (const std::vector<std::int64_t> rotated = c.indices("no_rope_layers"); !rotated.empty())
    {
        m.attention_per_layer.clear(); // 0: no rotation, and everything in sight
        std::transform(rotated.begin(), rotated.end(), std::back_inserter(m.attention_per_layer),
                       [chunk](std::int64_t rope) { return rope != 0 ? chunk : 0; });
    }
    c.note("attention_chunk_size", fmt::format("chunks of {} tokens", chunk), "taken for a window as long");
}

void gemma(HfConfig& c, Model& m)
{
    read_gated(c, m, {256000, 3072, 24576, 28, 16, 16, 256, 8192});
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    read_biases(c, m);
}

void gemma2(HfConfig& c, Model& m)
{
    read_gated(c, m, {256000, 2304, 9216, 26, 8, 4, 256, 8192});
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    read_biases(c, m);
    m.norms_per_layer = 4;
    read_windows(c, m, 4096, 2);
}

void gemma3(HfConfig& c, Model& m)
{
    read_gated(c, m, {262208, 2304, 9216, 26, 8, 4, 256, 131072});
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    read_biases(c, m);
    m.norms_per_layer = 4;
    m.qk_norm = QkNorm::head;
    read_windows(c, m, 4096, 6);
}

void gpt_oss(HfConfig& c, Model& m)
{
    read_gated(c, m, {201088, 2880, 2880, 36, 64, 8, 64, 131072});
    m.biases = true; // on every product, experts and router included
    m.attention_sinks = true;
    m.experts = c.count({"num_local_experts", "num_experts"}, 128, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok", "experts_per_token"}, 4, kHeads);
    m.expert_ffn = m.ffn;
    read_windows(c, m, 128, 2);
}

void phi3(HfConfig& c, Model& m)
{
    read_gated(c, m, {32064, 3072, 8192, 32, 32, 0, 0, 4096});
    m.dropout = m.dropout || c.number("resid_pdrop", 0) + c.number("embd_pdrop", 0) > 0;
    read_windows(c, m, 0, 0);
}

void falcon(HfConfig& c, Model& m)
{
    m.vocab = c.count({"vocab_size"}, 65024, kRows);
    m.hidden = c.count({"hidden_size", "n_embed"}, 4544);
    m.layers = c.count({"num_hidden_layers", "n_layer"}, 32, kLayers);
    m.heads = c.count({"num_attention_heads", "n_head"}, 71, kHeads);
    m.ffn = c.maybe({"ffn_hidden_size"}, kWidth).value_or(4 * m.hidden);
    m.max_sequence_length = c.count({"max_position_embeddings"}, 2048, kTokens);
    const bool newer = c.flag("new_decoder_architecture", false);
    const bool one = c.flag("multi_query", true) && !newer;
    m.kv_heads = one ? 1 : newer ? c.maybe({"num_kv_heads", "n_head_kv"}, kHeads).value_or(m.heads) : m.heads;
    const bool parallel = c.flag("parallel_attn", true);
    const std::int64_t norms = c.maybe({"num_ln_in_parallel_attn"}, {1, 2}).value_or(newer ? 2 : 1);
    m.norms_per_layer = newer ? norms : parallel ? 1 : 2;
    m.positions = c.flag("alibi", false) ? Positions::alibi : Positions::rope;
    m.biases = c.flag("bias", false);
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    m.dropout = c.number("hidden_dropout", 0) + c.number("attention_dropout", 0) > 0;
}

void olmo(HfConfig& c, Model& m)
{
    read_gated(c, m, {50304, 4096, 11008, 32, 32, 0, 0, 2048});
    read_biases(c, m);
    m.norms_per_layer = 0;
    c.note("model_type",
           fmt::format("its norms have no parameters; the last one's {} are counted", m.hidden));
}

void olmo2(HfConfig& c, Model& m)
{
    read_gated(c, m, {50304, 4096, 11008, 32, 32, 0, 0, 2048});
    read_biases(c, m);
    m.qk_norm = QkNorm::full;
}

void olmoe(HfConfig& c, Model& m)
{
    read_gated(c, m, {50304, 2048, 2048, 16, 16, 0, 0, 4096});
    read_biases(c, m);
    m.qk_norm = QkNorm::full;
    m.experts = c.count({"num_experts", "num_local_experts"}, 64, kHeads);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 8, kHeads);
    m.expert_ffn = m.ffn;
}

void mpt(HfConfig& c, Model& m)
{
    m.vocab = c.count({"vocab_size"}, 50368, kRows);
    m.hidden = c.count({"d_model", "hidden_size"}, 2048);
    m.layers = c.count({"n_layers", "num_hidden_layers"}, 24, kLayers);
    m.heads = c.count({"n_heads", "num_attention_heads"}, 16, kHeads);
    m.max_sequence_length = c.count({"max_seq_len"}, 2048, kTokens);
    const double wide = c.number("expansion_ratio", 4);
    if (wide < 0.1 || wide > 8)
    {
        c.fault("expansion_ratio", three_digits(wide) + " is out of range", "use 0.1 to 8");
    }
    m.ffn = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::clamp(wide, 0.1, 8.0) * static_cast<double>(m.hidden)));
    m.kv_heads = m.heads;
    bool alibi = true;
    if (const nlohmann::json* object = c.object("attn_config"))
    {
        HfConfig attention(*object, "attn_config.");
        alibi = attention.flag("alibi", true);
        const bool one = attention.word("attn_type", "multihead_attention") == "multiquery_attention";
        m.kv_heads = one ? 1 : attention.maybe({"kv_n_heads"}, kHeads).value_or(m.heads);
        c.issues.insert(c.issues.end(), attention.issues.begin(), attention.issues.end());
    }
    const bool learned = c.flag("learned_pos_emb", true);
    m.positions = alibi ? Positions::alibi : learned ? Positions::learned : Positions::none;
    const bool plain = c.flag("no_bias", true); // which takes the norm's bias away too
    m.biases = !plain;
    m.norm = plain ? Norm::rmsnorm : Norm::layernorm;
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    m.dropout = c.number("resid_pdrop", 0) + c.number("emb_pdrop", 0) > 0;
}

constexpr std::array kFamilies{
    HfFamily{"gpt2", "GPT2LMHeadModel", "GPT-2", gpt2},
    HfFamily{"gpt_neox", "GPTNeoXForCausalLM", "GPT-NeoX", gpt_neox},
    HfFamily{"llama", "LlamaForCausalLM", "Llama", llama},
    HfFamily{"mistral", "MistralForCausalLM", "Mistral", mistral},
    HfFamily{"mixtral", "MixtralForCausalLM", "Mixtral", mixtral},
    HfFamily{"qwen2", "Qwen2ForCausalLM", "Qwen2", qwen2},
    HfFamily{"qwen2_moe", "Qwen2MoeForCausalLM", "Qwen2 MoE", qwen2_moe},
    HfFamily{"qwen3", "Qwen3ForCausalLM", "Qwen3", qwen3},
    HfFamily{"qwen3_moe", "Qwen3MoeForCausalLM", "Qwen3 MoE", qwen3_moe},
    HfFamily{"deepseek_v2", "DeepseekV2ForCausalLM", "DeepSeek-V2", deepseek_v2},
    HfFamily{"deepseek_v3", "DeepseekV3ForCausalLM", "DeepSeek-V3", deepseek_v3},
    HfFamily{"kimi_k2", "DeepseekV3ForCausalLM", "Kimi K2", deepseek_v3},
    HfFamily{"deepseek_v32", "DeepseekV32ForCausalLM", "DeepSeek-V3.2", deepseek_v32},
    HfFamily{"deepseek_v4", "DeepseekV4ForCausalLM", "DeepSeek-V4", deepseek_v4},
    HfFamily{"kimi_linear", "KimiLinearForCausalLM", "Kimi Linear", kimi_linear},
    HfFamily{"kimi_k3", "KimiK3ForConditionalGeneration", "Kimi K3", kimi_linear},
    HfFamily{"glm4_moe", "Glm4MoeForCausalLM", "GLM-4.5", glm4_moe},
    HfFamily{"llama4_text", "Llama4ForCausalLM", "Llama 4", llama4},
    HfFamily{"llama4", "Llama4ForConditionalGeneration", "Llama 4", llama4},
    HfFamily{"gemma", "GemmaForCausalLM", "Gemma", gemma},
    HfFamily{"gemma2", "Gemma2ForCausalLM", "Gemma 2", gemma2},
    HfFamily{"gemma3_text", "Gemma3ForCausalLM", "Gemma 3", gemma3},
    HfFamily{"gemma3", "Gemma3ForConditionalGeneration", "Gemma 3", gemma3},
    HfFamily{"gpt_oss", "GptOssForCausalLM", "gpt-oss", gpt_oss},
    HfFamily{"phi3", "Phi3ForCausalLM", "Phi-3", phi3},
    HfFamily{"falcon", "FalconForCausalLM", "Falcon", falcon},
    HfFamily{"olmo", "OlmoForCausalLM", "OLMo", olmo},
    HfFamily{"olmo2", "Olmo2ForCausalLM", "OLMo 2", olmo2},
    HfFamily{"olmoe", "OlmoeForCausalLM", "OLMoE", olmoe},
    HfFamily{"mpt", "MptForCausalLM", "MPT", mpt},
};

} // namespace

std::span<const HfFamily> hugging_face_families()
{
    return kFamilies;
}

} // namespace ringside
