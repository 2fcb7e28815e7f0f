#include "core/model/compute.h"

#include "core/model/weights.h"

namespace ringside
{

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

    double layers = 0; // forward FLOPs of one token through all blocks, without scores
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        // All layers of a kind are alike, so each kind is summed once.
        if (layer > 0 && has_experts(m, layer) == has_experts(m, layer - 1))
        {
            continue;
        }
        std::int64_t alike = 0;
        bool seen = false;
        for (std::int64_t other = 0; other < m.layers; ++other)
        {
            const bool same = has_experts(m, other) == has_experts(m, layer);
            seen = seen || (same && other < layer);
            alike += same ? 1 : 0;
        }
        for (const Weight& w : layer_weights(m, one, has_experts(m, layer)))
        {
            layers +=
                seen || !w.matrix() ? 0 : 2 * static_cast<double>(w.rows * w.cols * w.active_copies * alike);
        }
    }
    const double attention = scores * static_cast<double>(m.layers);
    const double head = 2 * static_cast<double>(m.vocab) * static_cast<double>(m.hidden);
    const double tokens = s * static_cast<double>(t.global_batch);
    const double forward = layers + attention + head;
    double again = 0;
    if (t.recompute == Recompute::full)
    {
        again = layers + attention;
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
