// One file, since it is one table: a row and its reader for each family of config.json.
#include "core/scenario/hugging_face/families.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/hugging_face/by_fields.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

void gpt2(HfConfig& c, Model& m)
{
    m.vocab = c.count({"vocab_size"}, 50257, kRows);
    m.hidden = c.count({"n_embd", "hidden_size"}, 768);
    m.layers = c.count({"n_layer", "num_hidden_layers"}, 12, kLayers);
    m.heads = m.kv_heads = c.count({"n_head", "num_attention_heads"}, 12, kHeads);
    m.ffn = c.maybe({"n_inner"}, kWidth).value_or(4 * m.hidden);
    m.max_sequence_length = c.count({"n_positions", "max_position_embeddings"}, 1024, kTokens);
    c.pass_over({"n_ctx"}); // the same number
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
    m.experts = c.experts({"num_local_experts", "num_experts"}, 8);
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
    c.pass_over({"use_qk_norm"}); // always
    m.experts = c.experts({"num_experts", "num_local_experts"}, 128);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 8, kHeads);
    m.expert_ffn = c.count({"moe_intermediate_size"}, 768, kWidth);
    read_dense_layers(c, m);
}

void qwen2_moe(HfConfig& c, Model& m)
{
    read_gated(c, m, {151936, 2048, 5632, 24, 16, 16, 0, 32768});
    m.qkv_bias = c.flag("qkv_bias", true);
    m.experts = c.experts({"num_experts", "num_local_experts"}, 60);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 4, kHeads);
    m.expert_ffn = c.count({"moe_intermediate_size"}, 1408, kWidth);
    read_dense_layers(c, m);
    m.shared_ffn = c.count({"shared_expert_intermediate_size"}, 5632, kWidth);
    m.shared_experts = 1;
    m.shared_gate = true;
    if (m.shared_ffn % m.expert_ffn == 0) // as so many routed ones
    {
        m.shared_experts = m.shared_ffn / m.expert_ffn;
        m.shared_ffn = 0;
    }
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

void deepseek_v32(HfConfig& c, Model& m)
{
    deepseek_v3(c, m);
    m.attention_per_layer = {entry_of(LayerAttention::sparse)};
    read_indexer(c, m, 2048);
    c.pass_over({"layer_types", "index_topk_freq", "index_skip_topk_offset", "index_topk_pattern"});
    const std::vector<std::string> indexers = c.words("indexer_types"); // GLM-5.2
    if (const auto shared = std::ranges::count(indexers, "shared"); shared > 0)
    {
        const std::int64_t query = (m.q_lora_rank > 0 ? m.q_lora_rank : m.hidden) * m.index_heads;
        const std::int64_t one =
            query * m.index_head_dim + m.hidden * (m.index_heads + m.index_head_dim) + 2 * m.index_head_dim;
        c.note(
            "indexer_types",
            fmt::format("{} layers attend to what an earlier one's indexer picked; indexers of their own, {} "
                        "parameters, are counted all the same",
                        shared, shared * one));
    }
}

// Blocks of keys that an indexer without weights of its heads picks (MiniMax-M3, arXiv 2606.13392).
void minimax_m3(HfConfig& c, Model& m)
{
    read_by_fields(c, m, {.qk_norm = QkNorm::head, .router_bias = true});
    m.ffn = c.maybe({"dense_intermediate_size"}, kWidth).value_or(m.ffn);
    c.pass_over({"first_k_dense_replace", "attention_output_gate"});
    const nlohmann::json* sparse = c.object("sparse_attention_config");
    if (sparse == nullptr)
    {
        return;
    }
    HfConfig own(*sparse, "sparse_attention_config.");
    m.index_heads = own.count({"sparse_num_index_heads"}, 4, kHeads);
    m.index_head_dim = own.count({"sparse_index_dim"}, 128, kHeads);
    m.index_top_k =
        own.count({"sparse_topk_blocks"}, 16, kTokens) * own.count({"sparse_block_size"}, 128, kTokens);
    for (const std::int64_t layer : own.indices("sparse_attention_freq"))
    {
        m.attention_per_layer.push_back(layer != 0 ? entry_of(LayerAttention::sparse) : 0);
    }
    own.pass_over(
        {"sparse_disable_index_value", "use_sparse_attention", "sparse_init_block", "sparse_local_block"});
    own.note("sparse_num_index_heads",
             fmt::format("weights of the indexer's heads, {} in a layer, are counted "
                         "all the same",
                         m.hidden * m.index_heads));
    c.take(own);
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
    m.experts = c.experts({"n_routed_experts"}, 256);
    m.experts_per_token = c.count({"num_experts_per_tok"}, 6, kHeads);
    m.shared_experts = c.count({"n_shared_experts"}, 1, HfRange{0, 1024});
    m.expert_ffn = m.ffn = c.count({"moe_intermediate_size"}, 2048, kWidth);
    c.pass_over({"num_hash_layers"}); // the first layers route by the token
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
    m.latent_norm = c.flag("latent_moe_use_norm", m.expert_hidden > 0);
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
    own.pass_over({"full_attn_layers", "short_conv_kernel_size", "use_full_rank_gate"});
    c.take(own);
}

void glm4_moe(HfConfig& c, Model& m)
{
    read_gated(c, m, {151552, 4096, 10944, 46, 96, 8, 128, 131072});
    m.qkv_bias = c.flag("attention_bias", false); // and not on the output
    m.qk_norm = c.flag("use_qk_norm", false) ? QkNorm::head : QkNorm::none;
    m.experts = c.experts({"n_routed_experts"}, 128);
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
    c.pass_over({"use_qk_norm"}); // norms without parameters
    m.ffn = c.count({"intermediate_size_mlp"}, 16384, kWidth);
    m.experts = c.experts({"num_local_experts"}, 16);
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
    c.pass_over({"attention_bias"});
    m.attention_sinks = true;
    m.experts = c.experts({"num_local_experts", "num_experts"}, 128);
    m.experts_per_token = c.count({"num_experts_per_tok", "experts_per_token"}, 4, kHeads);
    m.expert_ffn = m.ffn;
    c.has("layer_types") ? read_layer_kinds(c, m) : read_windows(c, m, 128, 2);
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
    m.experts = c.experts({"num_experts", "num_local_experts"}, 64);
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
        c.take(attention);
    }
    const bool learned = c.flag("learned_pos_emb", true);
    m.positions = alibi ? Positions::alibi : learned ? Positions::learned : Positions::none;
    const bool plain = c.flag("no_bias", true); // which takes the norm's bias away too
    m.biases = !plain;
    m.norm = plain ? Norm::rmsnorm : Norm::layernorm;
    m.tied_embeddings = c.flag("tie_word_embeddings", true);
    m.dropout = c.number("resid_pdrop", 0) + c.number("emb_pdrop", 0) > 0;
}

void read_layer_embedding(HfConfig& c, Model& m)
{
    m.layer_embedding = c.maybe({"hidden_size_per_layer_input"}, kOrNone).value_or(0);
    const std::int64_t rows = c.maybe({"vocab_size_per_layer_input"}, {1, 1 << 24}).value_or(262144);
    m.layer_vocab = m.layer_embedding > 0 && rows != m.vocab ? rows : 0;
}

// Two widths of heads, values that are keys, and experts beside an MLP of every layer, which is a shared
// expert (transformers, modeling_gemma4.py). A layer with experts has seven norms, and its router the gains
// of an eighth; expert scales are as many as a router's bias.
void gemma4(HfConfig& c, Model& m)
{
    read_by_fields(c, m, {.qk_norm = QkNorm::head, .norms = 4, .tied = true});
    c.pass_over({"enable_moe_block"});
    read_layer_embedding(c, m);
    m.shared_kv_layers = c.maybe({"num_kv_shared_layers"}, kOrNone).value_or(0);
    m.shared_kv_ffn = c.flag("use_double_wide_mlp", false) && m.shared_kv_layers > 0 ? 2 * m.ffn : 0;
    if (m.experts > 0)
    {
        m.norms_per_layer = 8;
        m.router_bias = true;
        m.shared_experts = 1;
        m.shared_ffn = c.count({"intermediate_size"}, 9216, kWidth);
        m.ffn = m.expert_ffn;
    }
}

// The projections of keys and values that the last layers do not use are in the released weights.
void gemma3n(HfConfig& c, Model& m)
{
    read_by_fields(c, m, {.qk_norm = QkNorm::head, .norms = 4, .tied = true});
    read_layer_embedding(c, m);
    m.laurel_rank = c.count({"laurel_rank"}, 64, kHeads);
    m.residual_streams = c.count({"altup_num_inputs"}, 4, {2, 64});
    m.altup = true;
    c.pass_over(
        {"altup_active_idx", "altup_coef_clip", "altup_correct_scale", "activation_sparsity_pattern"});
    if (const auto shared = c.maybe({"num_kv_shared_layers"}, kOrNone); shared.value_or(0) > 0)
    {
        c.note("num_kv_shared_layers",
               fmt::format("{} layers compute no keys and values, whose products are counted all the same",
                           *shared));
    }
}

// Attention and Mamba-2 of every layer beside each other.
void falcon_h1(HfConfig& c, Model& m)
{
    read_by_fields(c, m, {});
    m.linear_norm = c.flag("mamba_rms_norm", false);
    m.attention_per_layer = {entry_of(LayerAttention::hybrid)};
}

// "intermediate_size" is an expert's; the MLP that every token passes through has a width of its own.
void granite_hybrid(HfConfig& c, Model& m)
{
    const bool rotated = c.word("position_embedding_type", "nope") == "rope";
    read_by_fields(c, m, {.positions = rotated ? Positions::rope : Positions::none});
    if (m.experts == 0)
    {
        m.ffn = c.count({"shared_intermediate_size"}, 1024, kWidth);
    }
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

    // What follows is read by its fields; the row says what those do not tell.
    HfFamily{"qwen2_vl", "Qwen2VLForConditionalGeneration", "Qwen2-VL", qwen2},
    HfFamily{"qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", "Qwen2.5-VL", qwen2},
    HfFamily{"qwen2_5_vl_text", "", "Qwen2.5-VL", qwen2},
    HfFamily{"qwen3_vl_text", "", "Qwen3-VL", qwen3},
    HfFamily{"qwen3_vl_moe_text", "", "Qwen3-VL MoE", qwen3_moe},
    HfFamily{"qwen3_omni_moe_text", "", "Qwen3-Omni", qwen3_moe},
    HfFamily{"glm_moe_dsa", "GlmMoeDsaForCausalLM", "GLM-5", deepseek_v32},
    HfFamily{"glm4v_moe_text", "", "GLM-4.5V", glm4_moe},
    HfFamily{"solar_open", "SolarOpenForCausalLM", "Solar Open", glm4_moe},
    HfFamily{
        "qwen3_next", "Qwen3NextForCausalLM", "Qwen3-Next", nullptr, {.qk_norm = QkNorm::head, .gate = true}},
    HfFamily{
        "qwen3_5_text", "Qwen3_5ForCausalLM", "Qwen3.5", nullptr, {.qk_norm = QkNorm::head, .gate = true}},
    HfFamily{"qwen3_5_moe_text",
             "Qwen3_5MoeForCausalLM",
             "Qwen3.5 MoE",
             nullptr,
             {.qk_norm = QkNorm::head, .gate = true}},
    HfFamily{"gemma4_text", "Gemma4ForCausalLM", "Gemma 4", gemma4},
    HfFamily{"gemma4", "Gemma4ForConditionalGeneration", "Gemma 4", gemma4},
    HfFamily{"gemma3n_text", "Gemma3nForCausalLM", "Gemma 3n", gemma3n},
    HfFamily{"gemma3n", "Gemma3nForConditionalGeneration", "Gemma 3n", gemma3n},
    HfFamily{"nemotron_h",
             "NemotronHForCausalLM",
             "Nemotron-H",
             nullptr,
             {.norms = 1, .gated = false, .router_bias = true, .positions = Positions::none}},
    HfFamily{"jamba", "JambaForCausalLM", "Jamba", nullptr, {.positions = Positions::none}},
    HfFamily{"granitemoehybrid", "GraniteMoeHybridForCausalLM", "Granite 4", granite_hybrid},
    HfFamily{"bamba", "BambaForCausalLM", "Bamba", nullptr, {}},
    HfFamily{"falcon_h1", "FalconH1ForCausalLM", "Falcon-H1", falcon_h1},
    HfFamily{"lfm2", "Lfm2ForCausalLM", "LFM2", nullptr, {.qk_norm = QkNorm::head, .tied = true}},
    HfFamily{"lfm2_moe", "Lfm2MoeForCausalLM", "LFM2 MoE", nullptr, {.qk_norm = QkNorm::head, .tied = true}},
    HfFamily{"minimax_m2", "MiniMaxM2ForCausalLM", "MiniMax-M2", nullptr, {.qk_norm = QkNorm::full}},
    HfFamily{"minimax_m3", "MiniMaxM3ForCausalLM", "MiniMax-M3", minimax_m3},
    HfFamily{"minimax_m3_vl", "MiniMaxM3SparseForCausalLM", "MiniMax-M3", minimax_m3},
    HfFamily{"mistral4", "Mistral4ForCausalLM", "Mistral Small 4", nullptr, {}},
    HfFamily{"hy_v3", "HYV3ForCausalLM", "Hy3", nullptr, {.qk_norm = QkNorm::head, .router_bias = true}},
    HfFamily{"olmo_hybrid", "OlmoHybridForCausalLM", "OLMo Hybrid", nullptr, {.qk_norm = QkNorm::full}},
    HfFamily{"glm4_moe_lite", "Glm4MoeLiteForCausalLM", "GLM-4.7 Flash", nullptr, {.router_bias = true}},
    HfFamily{"ernie4_5", "Ernie4_5ForCausalLM", "ERNIE 4.5", nullptr, {.tied = true}},
    HfFamily{
        "ernie4_5_moe", "Ernie4_5_MoeForCausalLM", "ERNIE 4.5", nullptr, {.tied = true, .router_bias = true}},
    HfFamily{
        "dots1", "Dots1ForCausalLM", "dots.llm1", nullptr, {.qk_norm = QkNorm::head, .router_bias = true}},
    HfFamily{"bailing_moe_v2", "BailingMoeV2ForCausalLM", "Ling 2", nullptr, {.qk_norm = QkNorm::head}},
    HfFamily{"step3p5", "Step3p5ForCausalLM", "Step 3.5", nullptr, {.qk_norm = QkNorm::head}},
    HfFamily{"mimo_v2_flash", "MiMoV2FlashForCausalLM", "MiMo-V2", nullptr, {}},
    HfFamily{"afmoe",
             "AfmoeForCausalLM",
             "Trinity",
             nullptr,
             {.qk_norm = QkNorm::head, .norms = 4, .router_bias = true, .gate = true}},
    HfFamily{"exaone_moe",
             "ExaoneMoEForCausalLM",
             "K-EXAONE",
             nullptr,
             {.qk_norm = QkNorm::head, .router_bias = true}},
    HfFamily{"exaone4", "Exaone4ForCausalLM", "EXAONE 4", nullptr, {.qk_norm = QkNorm::head}},
    HfFamily{"seed_oss", "SeedOssForCausalLM", "Seed-OSS", nullptr, {.qkv_bias = true}},
    HfFamily{"smollm3", "SmolLM3ForCausalLM", "SmolLM3", nullptr, {.tied = true}},
    HfFamily{"olmo3", "Olmo3ForCausalLM", "Olmo 3", nullptr, {.qk_norm = QkNorm::full}},
    HfFamily{"ministral3", "Ministral3ForCausalLM", "Ministral 3", nullptr, {}},
    HfFamily{"granite", "GraniteForCausalLM", "Granite", nullptr, {}},
    HfFamily{"hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM", "Hunyuan", nullptr, {.qk_norm = QkNorm::head}},
    HfFamily{"arcee", "ArceeForCausalLM", "Arcee", nullptr, {.gated = false}},
    HfFamily{"apertus", "ApertusForCausalLM", "Apertus", nullptr, {.qk_norm = QkNorm::head, .gated = false}},
    HfFamily{"youtu_llm", "YoutuForCausalLM", "Youtu-LLM", nullptr, {.tied = true}},
};

} // namespace

std::span<const HfFamily> hugging_face_families()
{
    return kFamilies;
}

} // namespace ringside
