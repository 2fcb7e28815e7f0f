#include "core/model/compute.h"

#include "core/model/weights.h"
#include "core/scenario/stage_layers.h"

#include <vector>

namespace ringside
{

double scores_share(const Model& m, double tokens)
{
    double sum = 0;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        const auto window = static_cast<double>(window_of(m, layer));
        const double r = window > 0 && window < tokens ? window / tokens : 1;
        sum += 2 * r - r * r;
    }
    return m.attention_per_layer.empty() || m.layers < 1 ? 1 : sum / static_cast<double>(m.layers);
}

double alternate_share(const Model& m, bool with_experts)
{
    const auto d = [](std::int64_t n) { return static_cast<double>(n); };
    const double h = d(m.hidden);
    std::vector<double> products;
    if (m.attention == Attention::mla)
    {
        const double q = d(m.heads * (m.qk_nope_head_dim + m.qk_rope_head_dim));
        const double latent = d(m.kv_lora_rank);
        if (m.q_lora_rank > 0)
        {
            products.push_back(h * d(m.q_lora_rank));
        }
        products.push_back((m.q_lora_rank > 0 ? d(m.q_lora_rank) : h) * q);
        products.push_back(h * (latent + d(m.qk_rope_head_dim)));
        products.push_back(latent * d(m.heads * (m.qk_nope_head_dim + m.v_head_dim)));
        products.push_back(d(m.heads * m.v_head_dim) * h);
    }
    else
    {
        const double kv = h * d(m.kv_heads * m.head_dim);
        const double q = h * d(m.heads * m.head_dim);
        products = {q, kv, kv, q};
    }
    const double gates = m.gated_mlp ? 2 : 1;
    double apart = 0; // products of experts, none of which is kept
    if (with_experts)
    {
        products.push_back(h * d(m.experts));
        apart = (gates + 1) * h * d(m.expert_ffn * (m.experts_per_token + m.shared_experts));
    }
    else
    {
        products.insert(products.end(), m.gated_mlp ? 3 : 2, h * d(m.ffn));
    }
    double all = apart;
    double again = apart;
    for (std::size_t i = 0; i < products.size(); ++i)
    {
        const bool needed =
            with_experts || i + 1 < products.size(); // no backward reads what the MLP puts out
        all += products[i];
        again += i % 2 == 1 && needed ? products[i] : 0;
    }
    return all > 0 ? again / all : 0;
}

ComputeReport compute_report(const Scenario& scenario)
{
    const Model& m = scenario.model;
    const Training& t = scenario.training;
    const Parallel one;
    const auto s = static_cast<double>(t.sequence_length);
    const bool latent = m.attention == Attention::mla;
    const auto qk = static_cast<double>(latent ? m.qk_nope_head_dim + m.qk_rope_head_dim : m.head_dim);
    const auto v = static_cast<double>(latent ? m.v_head_dim : m.head_dim);
    const double scores = 2 * s * static_cast<double>(m.heads) * (qk + v); // per token and layer: QK^T and PV

    double alternate = 0; // of every second product of the blocks
    double layers = 0;    // forward FLOPs of one token through all blocks, without scores
    for (std::int64_t layer = 0; layer < all_layers(m); ++layer)
    {
        // All layers of a kind are alike, so each kind is summed once.
        if (layer > 0 && has_experts(m, layer) == has_experts(m, layer - 1))
        {
            continue;
        }
        std::int64_t alike = 0;
        bool seen = false;
        for (std::int64_t other = 0; other < all_layers(m); ++other)
        {
            const bool same = has_experts(m, other) == has_experts(m, layer);
            seen = seen || (same && other < layer);
            alike += same ? 1 : 0;
        }
        double kind = 0;
        for (const Weight& w : layer_weights(m, one, has_experts(m, layer)))
        {
            kind +=
                seen || !w.matrix() ? 0 : 2 * static_cast<double>(w.rows * w.cols * w.active_copies * alike);
        }
        layers += kind;
        alternate += kind * alternate_share(m, has_experts(m, layer));
    }
    const double attention = scores * static_cast<double>(all_layers(m)) * scores_share(m, s);
    const auto further = static_cast<double>(m.mtp_layers);
    const auto h = static_cast<double>(m.hidden);
    const double head = (1 + further) * 2 * static_cast<double>(m.vocab) * h + further * 2 * (2 * h) * h;
    const double tokens = s * static_cast<double>(t.global_batch);
    const double forward = layers + attention + head;
    double again = 0;
    if (t.recompute == Recompute::full)
    {
        again = (layers + attention) * recomputed_share(scenario);
    }
    else if (t.recompute == Recompute::alternate)
    {
        again = alternate;
    }
    else if (t.recompute == Recompute::selective)
    {
        again = attention;
    }
    ComputeReport report;
    report.forward_token = Flops(forward);
    report.products_token = Flops(layers);
    report.attention_token = Flops(attention);
    report.head_token = Flops(head);
    report.again_token = Flops(again);
    report.model_step = Flops(3 * forward * tokens);
    report.hardware_step = Flops((3 * forward + again) * tokens);
    return report;
}

} // namespace ringside
