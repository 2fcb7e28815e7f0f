#include "core/planner/launch/megatron_model.h"

#include "core/model/sizes.h"

#include <algorithm>

namespace ringside
{

namespace
{

// "'([0]*3+[1]*58)'": a 1 for every layer that is one of those.
std::string layer_pattern(const Model& m, auto one_of_those)
{
    std::string list;
    std::int64_t run = 0;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        ++run;
        const bool now = one_of_those(layer);
        if (layer + 1 == m.layers || one_of_those(layer + 1) != now)
        {
            list += fmt::format("{}[{}]*{}", list.empty() ? "" : "+", now ? 1 : 0, run);
            run = 0;
        }
    }
    return "'(" + list + ")'";
}

std::string expert_layers(const Model& m)
{
    return m.dense_layers == 0 ? fmt::format("{}", m.moe_interval) // a layer if its place is a multiple
                               : layer_pattern(m, [&](std::int64_t layer) { return has_experts(m, layer); });
}

// Tokens that all layers with a window look back at; 0 without one, or where a layer has another.
std::int64_t window_of(const Model& m)
{
    std::int64_t window = 0;
    for (const std::int64_t entry : m.attention_per_layer)
    {
        if (entry < 0 || (entry > 0 && window > 0 && entry != window))
        {
            return 0;
        }
        window = std::max(window, entry);
    }
    return window;
}

// transformer_config.py: the token itself is not counted; every n-th layer attends to all, or a list.
void attention_windows(LaunchDraft& d, std::int64_t window)
{
    const Model& m = d.s.model;
    d.set("--window-size", fmt::format("{},0", window - 1), "tokens before this one, and behind it",
          "model.attention_per_layer");
    const auto& entries = m.attention_per_layer;
    const auto full = std::count(entries.begin(), entries.end(), 0);
    if (full > 0)
    {
        d.set("--window-attn-skip-freq",
              full == 1 && entries.back() == 0
                  ? fmt::format("{}", entries.size())
                  : layer_pattern(m, [&](std::int64_t layer) { return attention_entry(m, layer) != 0; }),
              "layers that attend to all: every n-th, or 0 in a list", "model.attention_per_layer");
    }
}

void attention(LaunchDraft& d)
{
    const Model& m = d.s.model;
    const std::int64_t window = window_of(m);
    no_special_blocks(d, window > 0);
    if (window > 0)
    {
        attention_windows(d, window);
    }
    d.set("--num-attention-heads", m.heads, "query heads", "model.heads");
    if (m.attention == Attention::mla)
    {
        d.set("--multi-latent-attention", "", "keys and values from one latent", "model.attention");
        if (m.q_lora_rank > 0)
        {
            d.set("--q-lora-rank", m.q_lora_rank, "latent width of queries", "model.q_lora_rank");
        }
        d.set("--kv-lora-rank", m.kv_lora_rank, "latent width of keys and values", "model.kv_lora_rank");
        d.set("--qk-head-dim", m.qk_nope_head_dim, "head width without positions", "model.qk_nope_head_dim");
        d.set("--qk-pos-emb-head-dim", m.qk_rope_head_dim, "head width with rotary positions",
              "model.qk_rope_head_dim");
        d.set("--v-head-dim", m.v_head_dim, "head width of values", "model.v_head_dim");
        d.set("--qk-layernorm", "", "norms on the latents", "model.attention");
        if (m.hidden % m.heads != 0)
        {
            d.set("--kv-channels", m.v_head_dim, "not used, but required where heads do not divide the width",
                  "model.v_head_dim");
        }
        return;
    }
    if (m.kv_heads != m.heads)
    {
        d.set("--group-query-attention", "", "query heads share key/value heads", "model.attention");
        d.set("--num-query-groups", m.kv_heads, "key/value heads", "model.kv_heads");
        if (m.kv_heads % d.s.parallel.tensor != 0)
        {
            d.not_expressed("model.kv_heads", fmt::format("{}", m.kv_heads),
                            fmt::format("must be a multiple of tensor, {}", d.s.parallel.tensor));
        }
    }
    if (m.head_dim * m.heads != m.hidden)
    {
        d.set("--kv-channels", m.head_dim, "head dimension", "model.head_dim");
    }
    if (m.qk_norm == QkNorm::head)
    {
        d.set("--qk-layernorm", "", "queries and keys are normalized", "model.qk_norm");
    }
    else if (m.qk_norm == QkNorm::full)
    {
        d.not_expressed("model.qk_norm", "full", "only norms of single heads exist; left out");
    }
    if (m.attention_sinks)
    {
        d.set("--softmax-type", "learnable", "a learned logit for each head", "model.attention_sinks");
    }
}

void positions(LaunchDraft& d)
{
    const Model& m = d.s.model;
    const Training& t = d.s.training;
    d.set("--seq-length", t.sequence_length, "tokens per sequence", "training.sequence_length");
    const bool learned = m.positions == Positions::learned;
    const std::int64_t rows =
        learned ? std::max(m.max_sequence_length, t.sequence_length) : t.sequence_length;
    d.set("--max-position-embeddings", rows, "at least the sequence",
          learned ? "model.max_sequence_length" : "training.sequence_length");
    if (learned && m.max_sequence_length < t.sequence_length)
    {
        d.not_expressed(
            "model.max_sequence_length", fmt::format("{}", m.max_sequence_length),
            fmt::format("a position table shorter than the sequence is refused; {} rows written", rows));
    }
    d.set("--position-embedding-type",
          learned                          ? "learned_absolute"
          : m.positions == Positions::rope ? "rope"
                                           : "none",
          "how positions enter", "model.positions");
    if (m.positions == Positions::alibi)
    {
        d.not_expressed("model.positions", "alibi", "there are no ALiBi slopes; no positions written");
    }
}

void experts(LaunchDraft& d)
{
    const Model& m = d.s.model;
    if (m.experts == 0)
    {
        return;
    }
    d.section("experts");
    d.set("--num-experts", m.experts, "routed experts per layer", "model.experts");
    d.set("--moe-router-topk", m.experts_per_token, "experts per token", "model.experts_per_token");
    d.set("--moe-ffn-hidden-size", m.expert_ffn, "width of an expert", "model.expert_ffn");
    if (m.shared_experts > 0)
    {
        d.set("--moe-shared-expert-intermediate-size", shared_width(m), "total width of the shared experts",
              "model.shared_experts");
    }
    if (m.dense_layers > 0 || m.moe_interval > 1)
    {
        d.set("--moe-layer-freq", expert_layers(m), "1: a layer with experts",
              m.dense_layers > 0 ? "model.dense_layers" : "model.moe_interval");
    }
    if (m.router_bias)
    {
        d.set("--moe-router-enable-expert-bias", "", "balances without a loss", "model.router_bias");
        d.set("--moe-router-score-function", "sigmoid", "required by that bias", "model.router_bias");
    }
    else if (m.experts_per_token == 1)
    {
        d.set("--moe-router-pre-softmax", "", "softmax before top-k, required with one expert per token",
              "model.experts_per_token");
    }
    d.set("--moe-token-dispatcher-type", "alltoall", "token dispatch by all-to-all", "parallel.expert");
    if (d.s.training.precision == Precision::bf16 || is_narrow(d.s.training.precision))
    {
        d.set("--moe-grouped-gemm", "", "grouped GEMM over local experts");
    }
}

} // namespace

void megatron_model(LaunchDraft& d)
{
    const Model& m = d.s.model;
    d.section("model");
    d.set("--num-layers", m.layers, "transformer blocks", "model.layers");
    if (m.mtp_layers > 0)
    {
        d.set("--mtp-num-layers", m.mtp_layers, "layers that predict further tokens", "model.mtp_layers");
    }
    d.set("--hidden-size", m.hidden, "width of the residual stream", "model.hidden");
    d.set("--ffn-hidden-size", m.ffn, "inner width of the MLP", "model.ffn");
    attention(d);
    positions(d);
    if (m.gated_mlp)
    {
        d.set("--swiglu", "", "gated MLP of three matrices", "model.gated_mlp");
    }
    d.set("--normalization", m.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm", "kind of norm", "model.norm");
    if (!m.tied_embeddings)
    {
        d.set("--untie-embeddings-and-output-weights", "", "the output has a matrix of its own",
              "model.tied_embeddings");
    }
    if (!m.biases)
    {
        d.set("--disable-bias-linear", "", "no biases", "model.biases");
        if (m.qkv_bias)
        {
            d.set("--add-qkv-bias", "", "but on queries, keys, values", "model.qkv_bias");
        }
    }
    d.set("--hidden-dropout", m.dropout ? "0.1" : "0.0", "dropout", "model.dropout");
    d.set("--attention-dropout", m.dropout ? "0.1" : "0.0", "dropout", "model.dropout");
    if (m.norms_per_layer != 2)
    {
        d.not_expressed("model.norms_per_layer", fmt::format("{}", m.norms_per_layer),
                        "a layer has two norms, before attention and MLP");
    }
    experts(d);
}

} // namespace ringside
