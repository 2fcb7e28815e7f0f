#include "core/model/compute.h"

#include "core/base/ranges.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/scenario/stage_layers.h"

#include <vector>

namespace ringside
{

double alternate_share(const Model& m, LayerKind kind)
{
    const auto d = [](std::int64_t n) { return static_cast<double>(n); };
    const double h = d(m.hidden);
    std::vector<double> products;
    const bool latent = m.attention == Attention::mla || m.attention == Attention::shared_kv;
    if (latent || kind.attention == LayerAttention::linear)
    {
        for (const Weight& w : layer_weights(m, Parallel{}, kind))
        {
            if (w.matrix() && !w.mlp)
            {
                products.push_back(d(w.rows * w.cols));
            }
        }
    }
    else
    {
        const double kv = h * d(m.kv_heads * m.head_dim);
        const double q = h * d(m.heads * m.head_dim);
        products = {q, kv, kv, q};
    }
    const double gates = m.gated_mlp ? 2 : 1;
    double apart = 0; // products of experts, none of which is kept
    if (kind.experts)
    {
        products.push_back(h * d(m.experts));
        apart = (gates + 1) * d(m.expert_ffn) *
                (d(expert_width(m) * m.experts_per_token) + h * d(m.shared_experts));
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
            kind.experts || i + 1 < products.size(); // no backward reads what the MLP puts out
        all += products[i];
        again += i % 2 == 1 && needed ? products[i] : 0;
    }
    return all > 0 ? again / all : 0;
}

ComputeReport compute_report(const Scenario& scenario)
{
    const Model& m = scenario.model;
    const Training& t = scenario.training;
    const auto s = static_cast<double>(t.sequence_length);
    double alternate = 0; // of every second product of the blocks
    double layers = 0;    // forward FLOPs of one token through all blocks, without scores
    for (const LayersOfKind& alike : layers_by_kind(m, all_layers(m)))
    {
        const double kind = sum_over(
            layer_weights(m, Parallel{}, alike.kind),
            [&](const Weight& w) {
                return w.matrix() ? 2 * static_cast<double>(w.rows * w.cols * w.active_copies * alike.layers)
                                  : 0;
            });
        layers += kind;
        alternate += kind * alternate_share(m, alike.kind);
    }
    const double attention = sum_over(attention_layers(m, all_layers(m)), [&](const AttentionLayers& a)
                                      { return static_cast<double>(a.layers) * a.counted(s); });
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
