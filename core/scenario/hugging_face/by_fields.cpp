#include "core/scenario/hugging_face/by_fields.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

// The names of one thing in released models.
constexpr std::initializer_list<const char*> kExpertNames{"n_routed_experts", "num_experts",
                                                          "num_local_experts", "moe_num_experts"};
constexpr std::initializer_list<const char*> kVisitedNames{
    "num_experts_per_tok", "num_experts_per_token", "moe_top_k", "top_k_experts", "moe_k", "moe_topk",
    "experts_per_token"};
constexpr std::initializer_list<const char*> kExpertWidths{"moe_intermediate_size", "moe_ffn_hidden_size",
                                                           "expert_ffn_hidden_size", "ffn_dim_exp"};
constexpr std::initializer_list<const char*> kSharedWidths{"moe_shared_expert_intermediate_size",
                                                           "shared_expert_intermediate_size",
                                                           "shared_intermediate_size", "share_expert_dim"};

std::int64_t needed(HfConfig& c, HfConfig::Names names, HfRange range)
{
    const auto read = c.maybe(names, range);
    if (!read && c.issues.empty())
    {
        c.fault(*names.begin(), "is missing", fmt::format("use {} to {}", range.least, range.most));
    }
    return read.value_or(range.least);
}

void read_latents(HfConfig& c, Model& m)
{
    m.attention = Attention::mla;
    m.q_lora_rank = c.maybe({"q_lora_rank"}, kOrNone).value_or(0);
    m.qk_nope_head_dim = needed(c, {"qk_nope_head_dim"}, kHeads);
    m.qk_rope_head_dim = needed(c, {"qk_rope_head_dim"}, {0, 65536});
    m.v_head_dim = needed(c, {"v_head_dim"}, kHeads);
    c.pass_over({"head_dim", "qk_head_dim"}); // the sum of the two
    m.head_dim = m.qk_nope_head_dim + m.qk_rope_head_dim;
    m.kv_heads = m.heads; // every head has keys and values of its own, out of one latent
}

void read_attention(HfConfig& c, Model& m, const HfConventions& by)
{
    m.heads = needed(c, {"num_attention_heads", "num_heads"}, kHeads);
    m.kv_heads =
        c.maybe({"num_key_value_heads", "num_attention_groups", "num_kv_heads"}, kHeads).value_or(m.heads);
    m.kv_lora_rank = c.maybe({"kv_lora_rank"}, kOrNone).value_or(0);
    if (m.kv_lora_rank > 0)
    {
        read_latents(c, m);
    }
    else
    {
        m.head_dim = c.maybe({"head_dim", "attention_head_dim", "kv_channels"}, kHeads).value_or(0);
        m.v_head_dim = c.maybe({"v_head_dim"}, kHeads).value_or(0);
    }
    if (c.has("index_topk"))
    {
        read_indexer(c, m, 2048);
        m.attention_per_layer = {entry_of(LayerAttention::sparse)};
    }
    const bool bias =
        c.flag("attention_bias", false) || c.flag("use_qkv_bias", false) || c.flag("qkv_bias", false);
    c.pass_over({"attention_out_bias", "attention_output_bias"});
    m.qkv_bias = bias && m.kv_lora_rank == 0;
    if (bias && !by.qkv_bias)
    {
        c.note("attention_bias",
               fmt::format("the output projection's {} biases are not counted", m.layers * m.hidden));
    }
    m.qk_norm =
        c.flag("use_qk_norm", by.qk_norm != QkNorm::none) && m.kv_lora_rank == 0 ? by.qk_norm : QkNorm::none;
    if (by.qk_norm == QkNorm::none && m.kv_lora_rank == 0 && c.flag("use_qk_norm", false))
    {
        m.qk_norm = QkNorm::head;
    }
    c.pass_over({"qk_layernorm", "qk_norm_type", "att_impl_type", "use_moe", "sliding_window_size"});
    m.attention_sinks = c.flag("add_full_attention_sink_bias", false);
    if (c.flag("add_swa_attention_sink_bias", false) && !m.attention_sinks)
    {
        c.note("add_swa_attention_sink_bias",
               fmt::format("the sinks of layers with a window, {} numbers each, are not counted", m.heads));
    }
    m.attention_gate = c.flag("attn_output_gate", by.gate);
    m.head_gate = c.flag("use_head_wise_attn_gate", false);
}

void read_shared(HfConfig& c, Model& m)
{
    const auto shared = c.maybe(
        {"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}, {0, 1024});
    const auto width = c.maybe(kSharedWidths, {0, 8 << 20});
    m.shared_experts = shared.value_or(width.value_or(0) > 0 ? 1 : 0);
    m.shared_ffn = m.shared_experts > 0 && width.value_or(0) > 0 ? *width : 0;
    if (m.shared_ffn == m.shared_experts * m.expert_ffn)
    {
        m.shared_ffn = 0; // as wide as routed ones
    }
}

// The layers with experts, of which a list says so: leading ones without, then every n-th.
void read_places(HfConfig& c, Model& m, const std::vector<bool>& with)
{
    const auto first = std::ranges::find(with, true);
    m.dense_layers = first - with.begin();
    const auto second = first == with.end() ? first : std::find(first + 1, with.end(), true);
    m.moe_interval = second == with.end() ? 1 : second - first;
    for (std::int64_t layer = 0; layer < std::ssize(with); ++layer)
    {
        if (has_experts(m, layer) != with[static_cast<std::size_t>(layer)])
        {
            c.fault("moe_layer_freq", fmt::format("layer {} breaks the pattern of experts", layer),
                    "leading layers can be dense, and then every n-th has experts");
            return;
        }
    }
}

void read_expert_layers(HfConfig& c, Model& m)
{
    std::vector<bool> with;
    if (c.is_list("moe_layer_freq"))
    {
        for (const std::int64_t experts : c.indices("moe_layer_freq"))
        {
            with.push_back(experts != 0);
        }
    }
    else if (c.has("moe_layers_enum")) // "3,4,5"
    {
        with.assign(static_cast<std::size_t>(m.layers), false);
        const std::string all = c.word("moe_layers_enum", "") + ",";
        for (std::size_t at = 0, end = all.find(','); end != std::string::npos;
             at = end + 1, end = all.find(',', at))
        {
            const auto layer = parse_number(all.substr(at, end - at));
            if (layer && *layer >= 0 && *layer < static_cast<double>(m.layers))
            {
                with[static_cast<std::size_t>(*layer)] = true;
            }
        }
    }
    if (!with.empty())
    {
        read_places(c, m, with);
        return;
    }
    const std::vector<std::string> kinds = c.words("mlp_layer_types");
    for (const std::string& kind : kinds)
    {
        with.push_back(kind == "sparse" || kind == "moe");
    }
    if (!with.empty())
    {
        read_places(c, m, with);
        return;
    }
    m.dense_layers = c.maybe({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index",
                              "moe_num_first_k_dense", "first_moe_layer"},
                             {0, 10000})
                         .value_or(0);
    m.moe_interval =
        c.maybe({"moe_layer_freq", "moe_layer_interval", "expert_layer_period", "interleave_moe_layer_step"},
                kLayers)
            .value_or(1);
    if (const auto offset = c.maybe({"expert_layer_offset"}, {0, 10000}))
    {
        m.dense_layers = *offset;
    }
    if (c.has("decoder_sparse_step") || c.has("mlp_only_layers"))
    {
        read_dense_layers(c, m);
    }
    c.pass_over({"moe_layer_end_index", "moe_layers", "attn_layer_indices"});
}

void read_experts(HfConfig& c, Model& m, const HfConventions& by)
{
    m.experts = c.maybe(kExpertNames, {0, 65536}).value_or(0);
    if (m.experts == 0)
    {
        return;
    }
    m.experts_per_token = needed(c, kVisitedNames, kHeads);
    m.expert_ffn = c.maybe(kExpertWidths, kWidth).value_or(m.ffn);
    m.expert_hidden = c.maybe({"moe_latent_size", "routed_expert_hidden_size"}, kOrNone).value_or(0);
    read_shared(c, m);
    m.shared_gate = c.has("shared_expert_intermediate_size");
    const bool balanced = c.word("topk_method", "") == "noaux_tc" || c.flag("use_routing_bias", false) ||
                          c.flag("use_expert_bias", false) ||
                          c.flag("moe_router_enable_expert_bias", false) ||
                          c.flag("use_moe_router_bias", false) || c.flag("moe_use_aux_free", false);
    m.router_bias = by.router_bias || balanced;
    read_expert_layers(c, m);
    if (m.ffn == 0 || (m.dense_layers == 0 && m.moe_interval == 1))
    {
        m.ffn = m.expert_ffn; // no layer has a dense MLP, so its width is nobody's
    }
}

} // namespace

void read_by_fields(HfConfig& c, Model& m, const HfConventions& by)
{
    m.vocab = needed(c, {"vocab_size"}, kRows);
    m.hidden = needed(c, {"hidden_size", "d_model"}, {1, 1 << 20});
    m.layers = c.has("hybrid_override_pattern") || c.has("layers_block_type")
                   ? c.maybe({"num_hidden_layers", "num_layers"}, kLayers).value_or(1)
                   : needed(c, {"num_hidden_layers", "num_layers"}, kLayers);
    m.ffn = c.maybe({"intermediate_size", "ffn_hidden_size", "block_ff_dim"}, kWidth).value_or(0);
    if (c.flag("block_auto_adjust_ff_dim", false)) // LFM2: two thirds of it, rounded up
    {
        const std::int64_t step = c.maybe({"block_multiple_of"}, kWidth).value_or(256);
        m.ffn = (2 * m.ffn / 3 + step - 1) / step * step;
    }
    c.pass_over({"block_dim", "block_ff_dim", "block_multiple_of", "block_ffn_dim_multiplier",
                 "block_use_swiglu", "conv_dim", "conv_dim_out", "conv_bias", "num_heads", "mamba_use_mlp",
                 "num_limited_groups", "attn_type_list"});
    m.max_sequence_length = c.count({"max_position_embeddings"}, 2048, kTokens);
    m.gated_mlp = by.gated;
    m.norm = Norm::rmsnorm;
    m.norms_per_layer = by.norms;
    m.positions = by.positions;
    m.biases = false;
    m.tied_embeddings = c.flag("tie_word_embeddings", by.tied);
    m.dropout = c.number("attention_dropout", 0) > 0;
    read_attention(c, m, by);
    read_state(c, m);
    read_experts(c, m, by);
    read_layer_kinds(c, m);
    if (m.ffn == 0 && c.issues.empty())
    {
        c.fault("intermediate_size", "is missing", "give the width of the MLP");
    }
}

namespace
{

struct Feature
{
    const char* field;
    const char* name;
    const char* like;
};

// The rarest first: the first that a config has says what it is like.
constexpr std::array kFeatures{
    Feature{"index_topk", "an indexer", "deepseek_v32"},
    Feature{"compress_ratios", "compressed keys", "deepseek_v4"},
    Feature{"linear_attn_config", "linear attention", "kimi_linear"},
    Feature{"linear_num_value_heads", "gated delta layers", "qwen3_next"},
    Feature{"hybrid_override_pattern", "a pattern of Mamba, attention and MLP layers", "nemotron_h"},
    Feature{"mamba_d_ssm", "Mamba beside attention", "falcon_h1"},
    Feature{"n_mamba_heads", "Mamba-2 layers", "bamba"},
    Feature{"mamba_dt_rank", "Mamba layers", "jamba"},
    Feature{"mamba_n_heads", "Mamba-2 layers", "granitemoehybrid"},
    Feature{"mamba_num_heads", "Mamba-2 layers", "nemotron_h"},
    Feature{"conv_L_cache", "convolutions", "lfm2"},
    Feature{"global_head_dim", "heads of two widths", "gemma4_text"},
    Feature{"swa_head_dim", "heads of two widths", "mimo_v2_flash"},
    Feature{"kv_lora_rank", "latent attention", "deepseek_v3"},
    Feature{"n_shared_experts", "shared experts", "glm4_moe"},
    Feature{"shared_expert_intermediate_size", "shared experts", "qwen2_moe"},
    Feature{"n_routed_experts", "experts", "glm4_moe"},
    Feature{"num_experts", "experts", "qwen3_moe"},
    Feature{"num_local_experts", "experts", "mixtral"},
    Feature{"sliding_window", "windows", "mistral"},
};

} // namespace

HfLikeness likeness_of(const json& text)
{
    HfLikeness likeness;
    std::vector<std::string> names;
    for (const Feature& feature : kFeatures)
    {
        const auto field = text.find(feature.field);
        if (field == text.end() || field->is_null() || *field == 0 ||
            std::ranges::find(names, feature.name) != names.end())
        {
            continue;
        }
        names.emplace_back(feature.name);
        likeness.like = likeness.like.empty() ? feature.like : likeness.like;
    }
    if (names.empty())
    {
        return {"plain attention", "llama"};
    }
    const std::string last = names.back();
    names.pop_back();
    likeness.has = names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
    return likeness;
}

namespace
{

// What no Model says, by the field that gives it away: read as something like it, its parameters would be
// wrong.
struct HfRefused
{
    const char* field; // refused where it is true, or a number above 0
    const char* has;
    const char* works;
};
constexpr std::array kRefused{
    HfRefused{
        "num_mem_blocks", // Zamba and Zamba2: arXiv 2411.15242, modeling_zamba2.py of transformers
        "blocks of attention and MLP that are held once and run in several layers, with adapters for each",
        "give its Mamba layers alone as nemotron_h with a hybrid_override_pattern of M, or take a hybrid "
        "that shares nothing: bamba, granitemoehybrid or falcon_h1"},
    HfRefused{"is_encoder_decoder", "an encoder beside its decoder",
              "give the decoder alone, such as a config.json of llama or gpt2"},
    HfRefused{"type_vocab_size", "an encoder without a decoder, as BERT",
              "give a decoder of the same shape, such as a config.json of gpt2"}};

} // namespace

Issues refusals_of(const json& text, const std::string& prefix)
{
    Issues issues;
    for (const HfRefused& refused : kRefused)
    {
        const json value = text.value(refused.field, json());
        if (value == true || (value.is_number() && value > 0))
        {
            issues.push_back({prefix + refused.field,
                              fmt::format("the model has {}, which is not modeled", refused.has),
                              refused.works});
        }
    }
    return issues;
}

} // namespace ringside
