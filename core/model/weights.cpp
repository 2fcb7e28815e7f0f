// One file, since every matrix of every kind of layer is listed here, and counts and shards are sums over the
// lists.
#include "core/model/weights.h"

#include "core/base/ranges.h"
#include "core/model/adapters.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace ringside
{

namespace
{

// Collects the tensors of a block, knowing how each kind is cut.
class Collector
{
public:
    Collector(const Model& model, const Parallel& parallel) : m_(model), t_(parallel.tensor), p_(parallel) {}

    void whole(std::string_view name, std::int64_t rows, std::int64_t cols)
    {
        add({name, rows, cols, rows, cols});
    }
    void vector(std::string_view name, std::int64_t length) { add({name, length, 1, length, 1}); }
    void cut_vector(std::string_view name, std::int64_t length) { add({name, length, 1, length / t_, 1}); }
    void columns(std::string_view name, std::int64_t rows, std::int64_t cols)
    {
        add({name, rows, cols, rows, cols / t_});
    }
    void rows(std::string_view name, std::int64_t rows, std::int64_t cols)
    {
        add({name, rows, cols, rows / t_, cols});
    }
    void add(Weight weight)
    {
        weight.mlp = in_mlp_;
        list.push_back(weight);
    }

    void norms(std::int64_t count)
    {
        if (count > 0)
        {
            vector("norms", count * m_.hidden * (m_.norm == Norm::layernorm ? 2 : 1));
        }
    }

    // Adds the weights of `mixers` places where streams or earlier blocks are mixed. Streams: three mappings
    // of all of them at once, to n inputs, n outputs and n x n between them, each with an offset and a scale
    // (mHC, arXiv 2512.24880, section 4.2). Blocks: a query and a norm (Kimi K3, arXiv 2607.24653, section
    // 2.2).
    void residual(std::int64_t mixers, bool inputs_only = false)
    {
        const std::int64_t n = m_.residual_streams;
        const std::int64_t maps = inputs_only ? n : n * (n + 2);
        if (m_.altup)
        {
            inputs_only ? whole("stream outputs", m_.hidden, (n - 1) * m_.hidden) : altup(n);
        }
        else if (n > 0)
        {
            for (std::int64_t i = 0; i < mixers; ++i)
            {
                whole("stream mixing", n * m_.hidden, maps);
            }
            vector("stream offsets and scales", mixers * (maps + (inputs_only ? 1 : 3)));
        }
        if (m_.residual_block > 0)
        {
            vector("block queries and norms", mixers * 2 * m_.hidden);
        }
    }

    // Once around a layer: coefficients out of a router of the normed stream, and a scale of the active one
    // (transformers, modeling_gemma3n.py, Gemma3nTextAltUp).
    void altup(std::int64_t n)
    {
        whole("stream router", m_.hidden, n);
        whole("stream prediction", n, n * n);
        whole("stream correction", n, n);
        vector("stream norm and scale", 2 * m_.hidden);
    }

    // What each layer of Gemma 3n has beside attention and MLP, and the small ones of Gemma 4 in part: a
    // low-rank product, and a gate on the layer's own embedding, which a projection of the token's is added
    // to (transformers, modeling_gemma3n.py, Gemma3nTextLaurelBlock and Gemma3nTextDecoderLayer).
    void layer_inputs()
    {
        if (m_.laurel_rank > 0)
        {
            whole("low-rank down", m_.hidden, m_.laurel_rank);
            whole("low-rank up", m_.laurel_rank, m_.hidden);
            norms(1);
        }
        if (m_.layer_embedding > 0)
        {
            whole("layer input", m_.hidden, m_.layer_embedding);
            whole("layer gate", m_.hidden, m_.layer_embedding);
            whole("layer output", m_.layer_embedding, m_.hidden);
            norms(1);
        }
    }

    // Layers without keys, all of their attention.
    bool state_or_nothing(LayerAttention kind)
    {
        switch (kind)
        {
        case LayerAttention::none:
            return true;
        case LayerAttention::linear:
            linear_attention();
            return true;
        case LayerAttention::delta:
            delta_attention();
            return true;
        case LayerAttention::lightning:
            lightning_attention();
            return true;
        case LayerAttention::mamba:
            mamba();
            return true;
        case LayerAttention::mamba2:
            mamba2();
            return true;
        case LayerAttention::conv:
            columns("convolution input", m_.hidden, 3 * m_.hidden);
            cut_vector("convolutions", m_.conv_tokens * m_.hidden);
            rows("attention output", m_.hidden, m_.hidden);
            return true;
        default:
            return false;
        }
    }

    void attention(LayerAttention kind)
    {
        if (state_or_nothing(kind))
        {
            return;
        }
        if (kind == LayerAttention::hybrid)
        {
            mamba2();
        }
        if (m_.attention == Attention::mla)
        {
            latent_attention();
        }
        else if (m_.attention == Attention::shared_kv)
        {
            shared_attention();
        }
        else
        {
            head_attention();
        }
        if (kind == LayerAttention::csa || kind == LayerAttention::hca)
        {
            kind == LayerAttention::csa ? compressor(2, kCsaTokens, m_.head_dim)
                                        : compressor(1, kHcaTokens, m_.head_dim);
        }
        if (kind == LayerAttention::sparse)
        {
            whole("indexer key", m_.hidden, m_.index_head_dim);
            vector("indexer key norm", 2 * m_.index_head_dim);
            indexer();
        }
        if (kind == LayerAttention::csa)
        {
            compressor(2, kCsaTokens, m_.index_head_dim);
            indexer();
        }
        if (m_.attention_gate)
        {
            columns("attention gate", m_.hidden, static_cast<std::int64_t>(head_widths(m_).value) * m_.heads);
        }
    }

    void head_attention()
    {
        const std::int64_t d = m_.head_dim;
        const auto v = static_cast<std::int64_t>(head_widths(m_).value);
        const std::int64_t kv = d + (m_.values_are_keys ? 0 : v); // of one key and its value
        // Key and value heads fewer than the group are copied to every GPU that needs them.
        const bool borrows = borrows_keys(m_, 0);
        const std::int64_t kv_heads = borrows ? 0 : m_.kv_heads;
        const std::int64_t local_kv = borrows ? 0 : std::max<std::int64_t>(1, m_.kv_heads / t_);
        const std::int64_t out = m_.heads * d + kv_heads * kv;
        const std::int64_t local_out = m_.heads / t_ * d + local_kv * kv;
        Weight fused{borrows ? "query" : "query, key, value", m_.hidden, out, m_.hidden, local_out};
        fused.queries = m_.heads / t_ * d;
        fused.keys = local_kv * d;
        add(fused);
        rows("attention output", m_.heads * v, m_.hidden);
        if (m_.head_gate)
        {
            columns("head gate", m_.hidden, m_.heads);
        }
        if (m_.biases || m_.qkv_bias)
        {
            add({"query, key, value bias", out, 1, local_out, 1});
        }
        if (m_.biases)
        {
            vector("attention output bias", m_.hidden);
        }
        if (m_.qk_norm == QkNorm::head)
        {
            vector("query and key norms", borrows ? d : 2 * d);
        }
        else if (m_.qk_norm == QkNorm::full)
        {
            add({"query and key norms", (m_.heads + kv_heads) * d, 1, (m_.heads / t_ + local_kv) * d, 1});
        }
        if (m_.attention_sinks)
        {
            cut_vector("attention sinks", m_.heads);
        }
    }

    // DeepSeek-V2, arXiv 2405.04434, equations 9 to 19: down to a latent, norm, up to heads.
    void latent_attention()
    {
        const std::int64_t q = m_.heads * (m_.qk_nope_head_dim + m_.qk_rope_head_dim);
        if (m_.q_lora_rank > 0)
        {
            whole("query down", m_.hidden, m_.q_lora_rank);
            vector("query latent norm", m_.q_lora_rank);
            columns("query up", m_.q_lora_rank, q);
        }
        else
        {
            columns("query", m_.hidden, q);
        }
        whole("key/value down", m_.hidden, m_.kv_lora_rank + m_.qk_rope_head_dim);
        vector("key/value latent norm", m_.kv_lora_rank);
        columns("key/value up", m_.kv_lora_rank, m_.heads * (m_.qk_nope_head_dim + m_.v_head_dim));
        rows("attention output", m_.heads * m_.v_head_dim, m_.hidden);
    }

    // DeepSeek-V4's: a low-rank query, one key that is the value too, and heads projected to the output in
    // groups.
    void shared_attention()
    {
        const std::int64_t out = m_.heads * m_.head_dim;
        if (m_.q_lora_rank > 0)
        {
            whole("query down", m_.hidden, m_.q_lora_rank);
            vector("query latent norm", m_.q_lora_rank);
        }
        columns(m_.q_lora_rank > 0 ? "query up" : "query", m_.q_lora_rank > 0 ? m_.q_lora_rank : m_.hidden,
                out);
        whole("shared key and value", m_.hidden, m_.head_dim);
        vector("key norm", m_.head_dim);
        if (m_.output_groups > 0)
        {
            const std::int64_t width = m_.output_groups * m_.output_lora_rank;
            columns("output down", out / m_.output_groups, width);
            rows("attention output", width, m_.hidden);
        }
        else
        {
            rows("attention output", out, m_.hidden);
        }
        if (m_.attention_sinks)
        {
            cut_vector("attention sinks", m_.heads);
        }
    }

    // Keys and their gates, `overlap` windows of `tokens` wide, an offset for each place and a norm
    // (DeepSeek-V4, sections 2.3.1 and 2.3.2).
    void compressor(std::int64_t overlap, std::int64_t tokens, std::int64_t width)
    {
        whole("key compression", m_.hidden, 2 * overlap * width);
        vector("compression offsets and norm", overlap * tokens * width + width);
    }

    // Queries from the query's latent, and a weight of each head (DeepSeek-V3.2, section 2.1). Every GPU of a
    // tensor group has all of it.
    void indexer()
    {
        whole("indexer query", m_.q_lora_rank > 0 ? m_.q_lora_rank : m_.hidden,
              m_.index_heads * m_.index_head_dim);
        whole("indexer head weights", m_.hidden, m_.index_heads);
    }

    // Kimi Linear, arXiv 2510.26692, section 3: convolutions over 4 tokens behind each projection, a decay of
    // each channel out of a bottleneck, a step size of each head, and a gated norm. Kimi K3's gate has full
    // rank, Kimi Linear's another bottleneck.
    void linear_attention()
    {
        const std::int64_t d = m_.linear_head_dim;
        const std::int64_t out = linear_width(m_);
        columns("query", m_.hidden, out);
        columns("key", m_.hidden, out);
        columns("value", m_.hidden, out);
        cut_vector("convolutions", 3 * m_.conv_tokens * out);
        whole("decay down", m_.hidden, d);
        columns("decay up", d, out);
        columns("step size", m_.hidden, linear_heads(m_));
        cut_vector("decay offsets and scales", out + linear_heads(m_));
        if (m_.attention_gate)
        {
            columns("attention gate", m_.hidden, out);
        }
        else
        {
            whole("gate down", m_.hidden, d);
            columns("gate up", d, out);
        }
        vector("output norm", d);
        rows("attention output", out, m_.hidden);
    }

    // Gated DeltaNet, arXiv 2412.06464, section 3.4, as Qwen3-Next has it (transformers,
    // modeling_qwen3_next.py): one convolution behind all three, one decay and one step size of a head.
    void delta_attention()
    {
        const std::int64_t keys = linear_key_heads(m_) * linear_key_dim(m_);
        const std::int64_t out = linear_width(m_);
        columns("query", m_.hidden, keys);
        columns("key", m_.hidden, keys);
        columns("value", m_.hidden, out);
        columns("linear gate", m_.hidden, out);
        columns("decay and step size", m_.hidden, 2 * linear_heads(m_));
        cut_vector("convolutions", m_.conv_tokens * (2 * keys + out));
        cut_vector("decay offsets and scales", 2 * linear_heads(m_));
        vector("output norm", m_.linear_head_dim);
        rows("attention output", out, m_.hidden);
    }

    // MiniMax-01, arXiv 2501.08313, section 2.2: the gate and a norm over all heads.
    void lightning_attention()
    {
        const std::int64_t out = linear_width(m_);
        Weight fused{"query, key, value", m_.hidden, 3 * out, m_.hidden, 3 * out / t_};
        fused.queries = fused.keys = out / t_;
        add(fused);
        columns("linear gate", m_.hidden, out);
        cut_vector("output norm", out);
        rows("attention output", out, m_.hidden);
    }

    // Mamba, arXiv 2312.00752, section 3.4 and algorithm 2 (mamba_ssm, mamba_simple.py): step size, key and
    // query of a token come out of its channels; each channel has a decay for each number of its state.
    void mamba()
    {
        const std::int64_t out = linear_width(m_);
        const std::int64_t state = linear_key_dim(m_);
        columns("Mamba gate and value", m_.hidden, 2 * out);
        cut_vector("convolutions", (m_.conv_tokens + 1) * out);
        rows("Mamba step, key, query", out, m_.linear_rank + 2 * state);
        if (m_.linear_norm)
        {
            vector("norms of step, key, query", m_.linear_rank + 2 * state);
        }
        columns("Mamba step up", m_.linear_rank, out);
        cut_vector("step offsets, decays, skips", out * (state + 2));
        rows("attention output", out, m_.hidden);
    }

    // Mamba-2, arXiv 2405.21060, section 7.1 (mamba_ssm, mamba2.py): all projections at once, one
    // convolution with a bias, one decay of a head.
    void mamba2()
    {
        const std::int64_t keys = linear_key_heads(m_) * linear_key_dim(m_);
        const std::int64_t out = linear_width(m_);
        columns("Mamba gate and value", m_.hidden, 2 * out);
        columns("Mamba key and query", m_.hidden, 2 * keys);
        columns("Mamba step", m_.hidden, linear_heads(m_));
        cut_vector("convolutions", (m_.conv_tokens + 1) * (out + 2 * keys));
        cut_vector("step offsets, decays, skips", 3 * linear_heads(m_));
        if (m_.linear_norm)
        {
            cut_vector("output norm", out);
        }
        rows("attention output", out, m_.hidden);
    }

    void dense_mlp(std::int64_t width)
    {
        in_mlp_ = true;
        const std::int64_t in = m_.gated_mlp ? 2 * width : width;
        columns(m_.gated_mlp ? "MLP gate and up" : "MLP up", m_.hidden, in);
        rows("MLP down", width, m_.hidden);
        if (m_.biases)
        {
            cut_vector("MLP up bias", in);
            vector("MLP down bias", m_.hidden);
        }
    }

    void experts()
    {
        in_mlp_ = true;
        const std::int64_t e = m_.experts;
        const std::int64_t in = m_.gated_mlp ? 2 * m_.expert_ffn : m_.expert_ffn;
        const std::int64_t cut = p_.expert_tensor;
        const std::int64_t h = expert_width(m_);
        const auto expert = [&](std::string_view name, std::int64_t rows, std::int64_t cols,
                                std::int64_t local_rows, std::int64_t local_cols) {
            add({name, rows, cols, local_rows, local_cols, e, e / p_.expert, m_.experts_per_token, true});
        };
        whole("router", m_.hidden, e);
        if (h != m_.hidden) // experts work on a latent (Kimi K3, arXiv 2607.24653; Nemotron 3 Super)
        {
            whole("latent down", m_.hidden, h);
            whole("latent up", h, m_.hidden);
        }
        if (h != m_.hidden && m_.latent_norm)
        {
            vector("latent norm", h);
        }
        expert(m_.gated_mlp ? "expert gate and up" : "expert up", h, in, h, in / cut);
        expert("expert down", m_.expert_ffn, h, m_.expert_ffn / cut, h);
        if (m_.biases || m_.router_bias)
        {
            vector("router bias", e);
        }
        if (m_.biases)
        {
            expert("expert up bias", in, 1, in / cut, 1);
            expert("expert down bias", h, 1, h, 1);
        }
        if (m_.shared_experts > 0)
        {
            dense_mlp(shared_width(m_));
        }
        if (m_.shared_experts > 0 && m_.shared_gate)
        {
            vector("shared-expert gate", m_.hidden);
        }
    }

    std::vector<Weight> list;

private:
    const Model& m_;
    std::int64_t t_;
    const Parallel& p_;
    bool in_mlp_ = false;
};

using Shapes = std::set<std::pair<std::int64_t, std::int64_t>>; // rows and columns

// Sums of one group of tensors (a block, the embedding, the head).
struct Sums
{
    StageWeights w;
    Shapes shapes;
};

// What LoRA makes of a hidden matrix.
void add_adapters(StageWeights& stage, const std::vector<LoraPiece>& pieces, const Weight& weight,
                  const Lora& lora)
{
    for (const LoraPiece& piece : pieces)
    {
        const bool adapted = lora.targets.at(static_cast<std::size_t>(piece.module));
        const std::int64_t adapter = adapted ? piece.adapter(lora.rank) * weight.local_copies : 0;
        (weight.expert ? stage.linear_expert : stage.linear_dense) += piece.elements() * weight.local_copies;
        (weight.expert ? stage.adapters_expert : stage.adapters_dense) += adapter;
    }
}

Sums sum(const std::vector<Weight>& weights, bool hidden)
{
    Sums s;
    for (const Weight& weight : weights)
    {
        const std::int64_t local = weight.local_elements();
        const std::int64_t factored =
            weight.matrix() ? (weight.local_rows + weight.local_cols) * weight.local_copies : local;
        (weight.expert ? s.w.expert : s.w.dense) += local;
        (weight.expert ? s.w.factored_expert : s.w.factored_dense) += factored;
        if (weight.matrix())
        {
            s.shapes.emplace(weight.local_rows, weight.local_cols);
            if (hidden)
            {
                (weight.expert ? s.w.matrices_expert : s.w.matrices_dense) += local;
                std::int64_t& largest = weight.expert ? s.w.matrix_expert : s.w.matrix_dense;
                largest = std::max(largest, weight.local_rows * weight.local_cols);
            }
        }
    }
    return s;
}

void add(StageWeights& stage, const StageWeights& part, std::int64_t times)
{
    stage.dense += part.dense * times;
    stage.expert += part.expert * times;
    stage.matrices_dense += part.matrices_dense * times;
    stage.matrices_expert += part.matrices_expert * times;
    stage.factored_dense += part.factored_dense * times;
    stage.factored_expert += part.factored_expert * times;
    stage.linear_dense += part.linear_dense * times;
    stage.linear_expert += part.linear_expert * times;
    stage.adapters_dense += part.adapters_dense * times;
    stage.adapters_expert += part.adapters_expert * times;
}

// `times` layers of one kind, with the matrix shapes they bring.
void add_layers(StageWeights& stage, Shapes& shapes, const Sums& layer, std::int64_t times)
{
    if (times > 0)
    {
        add(stage, layer.w, times);
        stage.largest_layer = std::max(stage.largest_layer, layer.w.total());
        stage.matrix_dense = std::max(stage.matrix_dense, layer.w.matrix_dense);
        stage.matrix_expert = std::max(stage.matrix_expert, layer.w.matrix_expert);
        shapes.insert(layer.shapes.begin(), layer.shapes.end());
    }
}

} // namespace

LayerKind layer_kind(const Model& model, std::int64_t layer)
{
    const std::int64_t entry = attention_entry(model, layer);
    return {has_experts(model, layer), layer_attention(entry), entry > 0 && has_window_heads(model),
            borrows_keys(model, layer)};
}

std::vector<LayersOfKind> layers_by_kind(const Model& model, std::int64_t count)
{
    std::vector<LayersOfKind> kinds;
    for (std::int64_t layer = 0; layer < count; ++layer)
    {
        const LayerKind kind = layer_kind(model, layer);
        const auto at = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const LayersOfKind& known) { return known.kind == kind; });
        (at == kinds.end() ? kinds.emplace_back(LayersOfKind{kind, 0}) : *at).layers += 1;
    }
    return kinds;
}

std::vector<Weight> layer_weights(const Model& model, const Parallel& parallel, LayerKind kind)
{
    if (kind.window)
    {
        return layer_weights(with_window_heads(model), parallel,
                             {kind.experts, kind.attention, false, kind.borrows});
    }
    if (kind.borrows && !borrows_keys(model, 0)) // one of the model's last layers
    {
        return layer_weights(with_borrowed_keys(model), parallel, kind);
    }
    Collector c(model, parallel);
    c.norms(model.norms_per_layer);
    c.residual(model.split_blocks ? 1 : 2);
    c.layer_inputs();
    c.attention(kind.attention);
    if (kind.experts)
    {
        c.experts();
    }
    else if (has_mlp(model, kind.attention))
    {
        c.dense_mlp(model.ffn);
    }
    return c.list;
}

std::vector<Weight> layer_weights(const Model& model, const Parallel& parallel, bool with_experts)
{
    LayerKind kind = layer_kind(model, 0);
    kind.experts = with_experts;
    kind.attention = with_experts && model.split_blocks ? LayerAttention::none : kind.attention;
    return layer_weights(model, parallel, kind);
}

std::vector<Weight> embedding_weights(const Model& model, const Parallel& parallel)
{
    Collector c(model, parallel);
    // Vocabulary rows that do not divide are padded up, as Megatron-LM pads them.
    const std::int64_t t = parallel.tensor;
    c.add({"token embedding", model.vocab, model.hidden, (model.vocab + t - 1) / t, model.hidden});
    if (model.positions == Positions::learned)
    {
        c.whole("position embedding", model.max_sequence_length, model.hidden);
    }
    if (const std::int64_t width = model.layer_embedding; width > 0)
    {
        const std::int64_t rows = model.layer_vocab > 0 ? model.layer_vocab : model.vocab;
        c.add({"embeddings of layers", rows, model.layers * width, (rows + t - 1) / t, model.layers * width});
        c.vector("norm of layers' embeddings", width);
    }
    if (model.altup)
    {
        c.whole("stream inputs", model.hidden, (model.residual_streams - 1) * model.hidden);
    }
    return c.list;
}

std::vector<Weight> head_weights(const Model& model, const Parallel& parallel, bool shares_embedding)
{
    Collector c(model, parallel);
    // A prediction layer has norms of the hidden state, the next token's embedding and its own output.
    c.norms(1 + 3 * model.mtp_layers);
    c.residual(1, true);
    for (std::int64_t i = 0; i < model.mtp_layers; ++i)
    {
        c.columns("prediction input", 2 * model.hidden, model.hidden);
    }
    if (!shares_embedding)
    {
        const std::int64_t t = parallel.tensor;
        c.add({"output projection", model.vocab, model.hidden, (model.vocab + t - 1) / t, model.hidden});
    }
    return c.list;
}

ParameterCount count_parameters(const Model& model)
{
    const Parallel one;
    ParameterCount count;
    for (const Weight& weight : embedding_weights(model, one))
    {
        count.embedding += weight.elements();
    }
    std::int64_t head = 0;
    for (const Weight& weight : head_weights(model, one, model.tied_embeddings))
    {
        head += weight.elements();
        count.head += weight.name == "output projection" ? weight.elements() : 0;
    }
    std::int64_t idle = 0; // experts a token does not visit
    for (const LayersOfKind& alike : layers_by_kind(model, all_layers(model)))
    {
        for (const Weight& weight : layer_weights(model, one, alike.kind))
        {
            count.layers += weight.elements() * alike.layers;
            idle += weight.rows * weight.cols * (weight.copies - weight.active_copies) * alike.layers;
        }
    }
    count.total = count.embedding + head + count.layers;
    count.active = count.total - idle;
    assert(idle >= 0 && count.active > 0 && count.active <= count.total);
    return count;
}

namespace
{

// The number of layers with experts among `count` layers from `first` on.
std::int64_t layers_with_experts(const Model& model, std::int64_t first, std::int64_t count)
{
    std::int64_t with_experts = 0;
    for (std::int64_t layer = first; model.experts > 0 && layer < first + count; ++layer)
    {
        with_experts += has_experts(model, layer) ? 1 : 0;
    }
    return with_experts;
}

std::int64_t layers_alike(const Model& model, const LayerRange& range, LayerKind kind)
{
    return sum_over<std::int64_t>(range.count, [&](std::int64_t i)
                                  { return layer_kind(model, range.first + i) == kind ? 1 : 0; });
}

} // namespace

std::vector<StagePart> stage_parts(const Model& model, const Parallel& parallel, Placement placement)
{
    const std::int64_t p = parallel.pipeline;
    const std::int64_t all = placement == Placement::two_way ? p : p * parallel.chunks;
    std::vector<LayerRange> ranges;
    std::int64_t next = 0;
    for (std::int64_t k = 0; k < all; ++k)
    {
        const std::int64_t count = layers_of_stage(model, parallel, all, k);
        ranges.push_back({next, count, k, layers_with_experts(model, next, count)});
        next += count;
    }
    assert(next == all_layers(model)); // the stages hold every layer once
    std::vector<StagePart> parts(static_cast<std::size_t>(p));
    for (std::int64_t rank = 0; rank < p; ++rank)
    {
        StagePart& part = parts[static_cast<std::size_t>(rank)];
        for (const std::int64_t stage : stages_of(placement, p, parallel.chunks, rank))
        {
            assert(stage >= 0 && stage < all);
            part.ranges.push_back(ranges[static_cast<std::size_t>(stage)]);
            part.embedding = part.embedding || stage == 0;
            part.head = part.head || stage + 1 == all;
        }
        part.embeds_again = part.head && embeds_again(model, parallel, placement);
    }
    return parts;
}

std::vector<StageWeights> stage_weights(const Model& model, const Parallel& parallel, Placement placement,
                                        const Lora& lora)
{
    return stage_weights(model, parallel, stage_parts(model, parallel, placement), lora);
}

std::vector<StageWeights> stage_weights(const Model& model, const Parallel& parallel,
                                        std::span<const StagePart> parts, const Lora& lora)
{
    std::vector<std::pair<LayerKind, Sums>> kinds;
    for (const LayersOfKind& alike : layers_by_kind(model, all_layers(model)))
    {
        const std::vector<Weight> weights = layer_weights(model, parallel, alike.kind);
        Sums& layer = kinds.emplace_back(alike.kind, sum(weights, true)).second;
        for (const Weight& weight : weights)
        {
            if (lora.rank > 0)
            {
                add_adapters(layer.w, lora_pieces(weight), weight, lora);
            }
        }
    }
    const bool uniform = attends_alike(model); // then a range knows how many layers are of each kind
    const Sums embedding = sum(embedding_weights(model, parallel), false);

    std::vector<StageWeights> stages(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        StageWeights& stage = stages[i];
        Shapes shapes;
        for (const LayerRange& range : parts[i].ranges)
        {
            for (const auto& [kind, layer] : kinds)
            {
                const std::int64_t same = uniform ? (kind.experts ? range.experts : range.dense())
                                                  : layers_alike(model, range, kind);
                add_layers(stage, shapes, layer, same);
            }
        }
        if (parts[i].embedding || parts[i].embeds_again)
        {
            add(stage, embedding.w, 1);
            stage.root += embedding.w.total();
        }
        if (parts[i].head)
        {
            const bool shared = model.tied_embeddings && (parts[i].embedding || parts[i].embeds_again);
            const Sums head = sum(head_weights(model, parallel, shared), false);
            add(stage, head.w, 1);
            stage.root += head.w.total();
            // The embedding only scatters its gradient; the projection multiplies, so its gradient has a
            // workspace.
            shapes.emplace((model.vocab + parallel.tensor - 1) / parallel.tensor, model.hidden);
        }
        for (const auto& [rows, cols] : shapes)
        {
            stage.distinct += rows * cols;
        }
    }
    return stages;
}

} // namespace ringside
