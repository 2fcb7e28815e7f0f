// One file, since a layer is the list of its tensors, in the order in which its forward makes them.
#include "core/memory/activations/tensors.h"

#include "core/base/ranges.h"
#include "core/memory/memory.h"
#include "core/model/adapters.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr unsigned bit_of(RecomputeModule module)
{
    return 1U << static_cast<unsigned>(module);
}

// What selective recomputation covers: attention's core where nothing is named.
unsigned chosen_modules(const Training& training)
{
    unsigned bits = 0;
    for (std::size_t i = 0; i < training.recompute_modules.size(); ++i)
    {
        bits |= training.recompute_modules[i] ? 1U << i : 0U;
    }
    return bits == 0 ? bit_of(RecomputeModule::core_attn) : bits;
}

} // namespace

Keeping keeping(const ActivationTensor& tensor, const Training& training, Recompute recompute)
{
    if (tensor.scores && training.flash_attention)
    {
        return Keeping::never;
    }
    if (tensor.unread)
    {
        return recompute == Recompute::alternate ? Keeping::kept : Keeping::never;
    }
    const bool dropped =
        recompute == Recompute::full ? !tensor.input
        : recompute == Recompute::alternate
            ? !tensor.input && !tensor.saved
            : recompute == Recompute::selective && (tensor.modules & chosen_modules(training)) != 0;
    return dropped ? Keeping::again : Keeping::kept;
}

namespace
{

// Inputs of matrix products are kept in the products' own format.
double input_bytes(const Training& t)
{
    return operand_bytes(t.precision);
}

// Adds what is kept up as it is listed, without writing a list.
class Sum
{
public:
    Sum(const Training& training, Recompute recompute) : training_(training), recompute_(recompute) {}

    void add(const ActivationTensor& tensor)
    {
        if (keeping(tensor, training_, recompute_) == Keeping::kept)
        {
            (tensor.scores        ? cost.scores
             : tensor.by_sequence ? cost.sequence
                                  : cost.tensor) += std::max(0.0, tensor.per_token());
        }
    }

    ActivationCost cost;

private:
    const Training& training_;
    Recompute recompute_;
};

// Hands every tensor to `list_.add()`, one that the model does not have with no width. The symbols are
// Korthikanti's, and d for the width of a head, k for key/value heads.
template <class List>
class Lister
{
public:
    Lister(const Model& model, const Training& training, const Parallel& parallel, List& list)
        : m_(model), p_(parallel), e_(element_bytes(training)), in_(input_bytes(training)),
          s_(static_cast<double>(training.sequence_length)), h_(static_cast<double>(model.hidden)),
          a_(static_cast<double>(model.heads)), dropout_(model.dropout), lora_(training.lora), list_(list)
    {
    }

    void list(bool with_experts)
    {
        half_ = LayerHalf::attention;
        const auto residual = static_cast<double>(residual_width(m_));
        const std::string_view streams = m_.residual_streams > 0 ? "n h" : "h";
        list_.add({"layer input", streams, half_, e_, residual, true, false, true});
        if (m_.residual_block > 0) // once for so many layers
        {
            sequence("sums of earlier blocks", "h / n", e_, h_ / static_cast<double>(m_.residual_block));
        }
        again(RecomputeModule::layernorm);
        sequence("attention input", "h", in_, h_);
        again_ = 0;
        if (attends_alike(m_))
        {
            add_attention(layer_attention(attention_entry(m_, 0)));
        }
        else
        {
            add_parts(with_experts);
        }
        projected_ = next_product(); // what leaves attention
        dropped("attention dropout mask");
        half_ = LayerHalf::mlp;
        // A parallel block feeds both halves from one norm. Its input follows from the layer's own and from
        // what leaves attention.
        if (m_.norms_per_layer > 1)
        {
            sequence("MLP norm input", m_.altup ? "h" : streams, e_, m_.altup ? h_ : residual, projected_);
            again(RecomputeModule::layernorm);
            sequence(with_experts ? "router input" : "MLP input", "h", in_, h_);
        }
        again(with_experts ? RecomputeModule::moe : RecomputeModule::mlp);
        share_ = mlps_;
        with_experts ? add_experts() : add_mlp();
        share_ = 1;
        again_ = 0;
        add_adapters(with_experts);
        add_layer_inputs();
        dropped("MLP dropout mask");
        const auto more = static_cast<double>(m_.norms_per_layer - 2);
        sequence("post-norm inputs", more > 1 ? "2 h" : "h", e_, more * h_);
    }

private:
    // The layers of each kind by their share. Where a layer is one half only, those with experts are apart
    // and attend to nothing; without experts a mean layer has a share of the MLPs.
    void add_parts(bool with_experts)
    {
        const std::vector<ModelPart> parts = attention_parts(m_);
        double attending = 1;
        if (m_.split_blocks)
        {
            const double idle = sum_over(parts, [](const ModelPart& part)
                                         { return kind_of(part) == LayerAttention::none ? part.share : 0; });
            const bool apart = m_.experts > 0;
            mlps_ = !apart ? idle : with_experts ? 1 : 0;
            attending = !apart ? 1 : with_experts ? 0 : 1 - idle;
        }
        for (const ModelPart& part : parts)
        {
            share_ = attending > 0 ? part.share / attending : 0;
            own_ = &part.model;
            a_ = static_cast<double>(own_->heads);
            add_attention(kind_of(part));
        }
        own_ = &m_;
        share_ = 1;
    }
    static LayerAttention kind_of(const ModelPart& part)
    {
        return layer_attention(attention_entry(part.model, 0));
    }

    void sequence(std::string_view name, std::string_view shape, double element, double width,
                  bool saved = false)
    {
        list_.add({name, shape, half_, element, share_ * width, true, false, false, saved, false, again_});
    }
    void tensor(std::string_view name, std::string_view shape, double element, double width,
                bool saved = false)
    {
        list_.add({name, shape, half_, element, share_ * width, false, false, false, saved, false, again_});
    }
    void again(RecomputeModule module) { again_ = bit_of(module); }
    // Whether alternate recomputation keeps the next product's output.
    bool next_product() { return ++products_ % 2 == 1; }
    void scores(std::string_view name, double element)
    {
        list_.add({name, "a s", half_, element, element > 0 ? share_ * a_ : 0, false, true, false, false,
                   false, bit_of(RecomputeModule::core_attn)});
    }
    void dropped(std::string_view name) { sequence(name, "h", 1, dropout_ ? h_ : 0); }

    // Layers without keys, all of their attention.
    bool add_state_or_nothing(LayerAttention kind)
    {
        switch (kind)
        {
        case LayerAttention::none:
            return true;
        case LayerAttention::linear:
            add_linear();
            return true;
        case LayerAttention::delta:
        case LayerAttention::lightning:
            add_delta(kind);
            return true;
        case LayerAttention::mamba:
            add_mamba();
            return true;
        case LayerAttention::mamba2:
            add_mamba2();
            add_output("a d");
            return true;
        case LayerAttention::conv:
            tensor("inputs of convolutions", "3 h", e_, 3 * h_, next_product());
            output_ = h_;
            add_output("h");
            return true;
        default:
            return false;
        }
    }

    void add_attention(LayerAttention kind)
    {
        if (add_state_or_nothing(kind))
        {
            return;
        }
        if (kind == LayerAttention::hybrid)
        {
            add_mamba2();
            tensor("Mamba output", "a d", e_, output_, true);
        }
        m_.attention == Attention::mla         ? add_latent()
        : m_.attention == Attention::shared_kv ? add_shared()
                                               : add_heads();
        if (kind == LayerAttention::csa || kind == LayerAttention::hca)
        {
            const auto d = static_cast<double>(m_.head_dim);
            sequence("keys and gates before compression", "2 d", e_,
                     (kind == LayerAttention::csa ? 4 : 2) * d, next_product());
            sequence("compressed keys", "d", e_,
                     d / static_cast<double>(kind == LayerAttention::csa ? kCsaTokens : kHcaTokens));
        }
        if (kind == LayerAttention::csa || kind == LayerAttention::sparse)
        {
            const auto d = static_cast<double>(m_.index_head_dim);
            sequence("indexer queries", "a_i d_i", 1, static_cast<double>(m_.index_heads) * d,
                     next_product());
            sequence("indexer keys", "d_i", 1,
                     kind == LayerAttention::csa ? d / static_cast<double>(kCsaTokens) : d);
            const double keys = kind == LayerAttention::csa ? s_ / static_cast<double>(kCsaTokens) : s_;
            sequence("picked keys", "k_i", 4, std::min(keys, static_cast<double>(m_.index_top_k)));
        }
        // Only full attention has a form that stores all scores.
        if (kind == LayerAttention::full)
        {
            scores("attention softmax", e_);
            scores("softmax dropout mask", dropout_ ? 1 : 0);
            scores("softmax after dropout", dropout_ ? e_ : 0);
        }
        add_output(m_.attention == Attention::mla ? "a d_v" : "a d");
    }

    // What alternate recomputation keeps of it too is read by the output projection and by the gate.
    void add_output(std::string_view shape)
    {
        if (own_->head_gate)
        {
            tensor("head gates", "a", e_, a_, next_product());
        }
        if (m_.attention_gate)
        {
            tensor("attention gate", shape, e_, output_, next_product());
            tensor("gated output", shape, in_, output_);
        }
        tensor("attention output", shape, e_, output_, true);
    }

    // What flash-linear-attention's kernels of Kimi Delta Attention keep: normalized queries and keys,
    // values, decays as they were projected, and for each token of a chunk of 64 two rows of the chunk's
    // products. Convolutions keep their inputs.
    void add_linear()
    {
        const auto d = static_cast<double>(m_.linear_head_dim);
        const auto heads = static_cast<double>(linear_heads(m_));
        output_ = heads * d;
        tensor("inputs of convolutions", "3 a d", e_, 3 * output_, next_product());
        tensor("KDA queries, keys, values", "3 a d", e_, 3 * output_);
        sequence("decay latent", "d", in_, d, next_product());
        tensor("KDA decays", "a d", e_, output_, next_product());
        tensor("KDA products in chunks", "2 C a", e_, 2 * static_cast<double>(kLinearChunk) * heads);
        if (!m_.attention_gate)
        {
            sequence("gate latent", "d", in_, d, next_product());
            tensor("attention gate", "a d", e_, output_, next_product());
        }
        tensor("output before norm", "a d", e_, output_);
        add_output("a d");
    }

    // What flash-linear-attention's kernel of gated DeltaNet keeps: queries, keys and values, decay and step
    // size in 32 bits, and for each token of a chunk of 64 a row of the chunk's triangle. Lightning attention
    // keeps the first three and has no convolution.
    void add_delta(LayerAttention kind)
    {
        const auto heads = static_cast<double>(linear_heads(m_));
        const double keys = static_cast<double>(linear_key_heads(m_) * linear_key_dim(m_));
        output_ = static_cast<double>(linear_width(m_));
        const double all = 2 * keys + output_;
        const bool delta = kind == LayerAttention::delta;
        const bool first = next_product();
        tensor("inputs of convolutions", "2 a_k d_k + a d", e_, delta ? all : 0, first);
        tensor("linear queries, keys, values", "2 a_k d_k + a d", e_, all, !delta && first);
        tensor("linear gate", "a d", e_, output_, next_product());
        tensor("decays and step sizes", "2 a", 4, delta ? 2 * heads : 0, delta && next_product());
        tensor("linear products in chunks", "C a", e_, delta ? static_cast<double>(kLinearChunk) * heads : 0);
        tensor("output before norm", "a d", e_, output_);
        tensor("attention output", "a d", e_, output_, true);
    }

    // What mamba_ssm's fused kernel keeps (selective_scan_interface.py, MambaInnerFn): projections, what
    // comes out of the channels, every 2048th state in 32 bits, and the scan's output.
    void add_mamba()
    {
        const auto state = static_cast<double>(linear_key_dim(m_));
        output_ = static_cast<double>(linear_width(m_));
        tensor("Mamba projections", "2 d", e_, 2 * output_, next_product());
        sequence("Mamba step, key, query", "r + 2 N", e_, static_cast<double>(m_.linear_rank) + 2 * state,
                 next_product());
        tensor("Mamba states", "2 N d / 2048", 4, 2 * state * output_ / 2048);
        tensor("output before norm", "a d", e_, output_);
        add_output("a d");
    }

    // Mamba-2 (ssd_combined.py, MambaSplitConv1dScanCombinedFn): convolution, states and scan are
    // computed again.
    void add_mamba2()
    {
        const double keys = static_cast<double>(linear_key_heads(m_) * linear_key_dim(m_));
        output_ = static_cast<double>(linear_width(m_));
        tensor("Mamba-2 projections", "2 a d + 2 g N + a", e_,
               2 * output_ + 2 * keys + static_cast<double>(linear_heads(m_)), next_product());
        tensor("output before norm", "a d", e_, output_);
    }

    void add_shared()
    {
        const auto query = static_cast<double>(m_.q_lora_rank);
        const auto d = static_cast<double>(m_.head_dim);
        sequence("query latent before norm", "r_q", e_, query, query > 0 && next_product());
        sequence("query latent", "r_q", in_, query);
        tensor("queries", "a d", e_, a_ * d, next_product());
        sequence("shared keys and values before norm", "d", e_, d, next_product());
        sequence("shared keys and values", "d", e_, d);
        output_ = a_ * d;
        if (m_.output_groups > 0)
        {
            tensor("grouped output", "g r_o", in_,
                   static_cast<double>(m_.output_groups * m_.output_lora_rank), next_product());
        }
    }

    void add_heads()
    {
        const HeadWidths w = head_widths(*own_);
        // Copied where there are fewer than GPUs.
        const bool owns = !borrows_keys(*own_, 0);
        const double kv = owns ? std::max(w.kv_heads, static_cast<double>(p_.tensor)) : 0;
        const bool plain = m_.qk_norm == QkNorm::none;
        tensor("queries before QK norm", "a d", e_, plain ? 0 : a_ * w.key, !plain && next_product());
        tensor("keys before QK norm", "k d", e_, plain ? 0 : kv * w.key, owns && !plain && next_product());
        tensor("queries", "a d", e_, a_ * w.key, plain && next_product());
        tensor("keys", "k d", e_, kv * w.key, owns && plain && next_product());
        tensor("values", "k d", e_, kv * w.value, owns && !own_->values_are_keys && next_product());
        output_ = a_ * w.value;
    }

    // DeepSeek-V2, arXiv 2405.04434, section 2.1: latents with their norms' inputs, whole on every GPU; heads
    // as attention reads them.
    void add_latent()
    {
        const auto query = static_cast<double>(m_.q_lora_rank);
        const auto latent = static_cast<double>(m_.kv_lora_rank);
        const auto qk = static_cast<double>(m_.qk_nope_head_dim + m_.qk_rope_head_dim);
        const auto v = static_cast<double>(m_.v_head_dim);
        sequence("query latent before norm", "r_q", e_, query, query > 0 && next_product());
        const bool queries = next_product();
        const bool compressed = next_product();
        sequence("key/value latent before norm", "r_kv", e_, latent, compressed);
        sequence("RoPE key", "d_r", e_, static_cast<double>(m_.qk_rope_head_dim), compressed);
        again(RecomputeModule::mla_up_proj);
        sequence("query latent", "r_q", in_, query);
        sequence("key/value latent", "r_kv", in_, latent);
        tensor("queries", "a d", e_, a_ * qk, queries);
        const bool expanded = next_product();
        tensor("keys", "a d", e_, a_ * qk, expanded);
        tensor("values", "a d_v", e_, a_ * v, expanded);
        again_ = 0;
        output_ = a_ * v;
    }

    // A low-rank product, and the gate on the layer's own embedding (transformers, modeling_gemma3n.py).
    void add_layer_inputs()
    {
        const auto r = static_cast<double>(m_.laurel_rank);
        const auto p = static_cast<double>(m_.layer_embedding);
        sequence("low-rank product", "r", in_, r, r > 0 && next_product());
        sequence("low-rank product before norm", "h", e_, r > 0 ? h_ : 0, r > 0 && next_product());
        sequence("layer embedding", "p", e_, p, p > 0 && next_product());
        sequence("layer gate input", "h", in_, p > 0 ? h_ : 0);
        sequence("layer gate", "p", e_, p, p > 0 && next_product());
        sequence("gated layer embedding", "p", in_, p);
        sequence("layer output before norm", "h", e_, p > 0 ? h_ : 0, p > 0 && next_product());
    }

    void add_mlp()
    {
        const double f = mean_ffn(m_);
        if (m_.gated_mlp)
        {
            tensor("gate", "f", e_, f, next_product());
            tensor("up", "f", e_, f, next_product());
        }
        else
        {
            tensor("activation input", "f", e_, f, next_product());
        }
        tensor("down input", "f", in_, f);
        list_.add({"MLP output", "h", half_, e_, next_product() ? share_ * h_ : 0, true, false, false, true,
                   true, 0});
    }

    // Balanced routing: every GPU works on as many token copies as it sent out. Router probabilities stay in
    // fp32.
    void add_experts()
    {
        const auto k = static_cast<double>(m_.experts_per_token);
        const auto f = static_cast<double>(m_.expert_ffn);
        const auto shared = static_cast<double>(shared_width(m_));
        const double gates = m_.gated_mlp ? 2 : 1;
        sequence("router probabilities", "E", 4, static_cast<double>(m_.experts), next_product());
        const auto read = static_cast<double>(expert_width(m_));
        sequence("expert latents", "h_e", in_, read < h_ ? 2 * read : 0, read < h_ && next_product());
        // Alternate recomputation keeps what an all-to-all brought (torchtitan, _get_default_save_ops).
        tensor("tokens dispatched to experts", read < h_ ? "k h_e" : "k h", in_,
               k * read * static_cast<double>(p_.expert_tensor), p_.expert > 1);
        tensor(m_.gated_mlp ? "expert gate and up" : "expert activation input",
               m_.gated_mlp ? "2 k f" : "k f", e_, gates * k * f);
        again_ |= bit_of(RecomputeModule::moe_act);
        tensor("expert down input", "k f", in_, k * f);
        again_ = bit_of(RecomputeModule::moe) | bit_of(RecomputeModule::shared_experts);
        tensor(m_.gated_mlp ? "shared-expert gate and up" : "shared-expert activation input",
               m_.gated_mlp ? "2 n f" : "n f", e_, gates * shared);
        tensor("shared-expert down input", "n f", in_, shared);
    }

    // What passes between an adapter's two matrices, r numbers for each that a token visits.
    void add_adapters(bool with_experts)
    {
        double visits = 0;
        for (const Weight& w : lora_.rank > 0 ? layer_weights(m_, p_, with_experts) : std::vector<Weight>())
        {
            visits +=
                static_cast<double>(adapted_pieces(w, lora_).size()) * static_cast<double>(w.active_copies);
        }
        sequence("adapter latents", "r", e_, static_cast<double>(lora_.rank) * visits);
    }

    const Model& m_;
    const Model* own_ = &m_; // with the heads of the layers that are listed
    const Parallel& p_;
    double e_;
    double in_;
    double s_;
    double h_;
    double a_;
    bool dropout_;
    const Lora& lora_;
    unsigned again_ = 0; // modules that compute again what is listed
    double output_ = 0;  // width of attention's output
    double share_ = 1;   // of the layers that a tensor is in
    double mlps_ = 1;    // of the layers that have an MLP
    std::int64_t products_ = 0;
    bool projected_ = false;
    LayerHalf half_ = LayerHalf::attention;
    List& list_;
};

} // namespace

ActivationTensors activation_tensors(const Model& model, const Training& training, const Parallel& parallel,
                                     bool with_experts)
{
    ActivationTensors tensors;
    Lister(model, training, parallel, tensors).list(with_experts);
    return tensors;
}

ActivationCost activation_cost(const Model& model, const Training& training, const Parallel& parallel,
                               bool with_experts, Recompute recompute)
{
    Sum sum(training, recompute);
    Lister(model, training, parallel, sum).list(with_experts);
    return sum.cost;
}

double tensor_bytes(const ActivationTensor& tensor, const Training& training, const Parallel& parallel)
{
    const auto s = static_cast<double>(training.sequence_length);
    const double tokens =
        static_cast<double>(training.micro_batch) * s / static_cast<double>(parallel.context);
    const double cut =
        tensor.by_sequence && !parallel.sequence_parallel ? 1 : static_cast<double>(parallel.tensor);
    return tokens * tensor.per_token() * (tensor.scores ? s : 1) / cut;
}

} // namespace ringside
