#include "core/model/compute.h"

#include "core/base/ranges.h"
#include "core/model/adapters.h"
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
    if (kind.window)
    {
        return alternate_share(with_window_heads(m), {kind.experts, kind.attention, false, kind.borrows});
    }
    if (kind.borrows && !borrows_keys(m, 0))
    {
        return alternate_share(with_borrowed_keys(m), kind);
    }
    const bool latent = m.attention == Attention::mla || m.attention == Attention::shared_kv;
    if (latent || kind.attention >= LayerAttention::linear)
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
        const HeadWidths w = head_widths(m);
        const double keys = kind.borrows ? 0 : h * w.kv_heads;
        products = {h * d(m.heads) * w.key, keys * w.key, keys * w.value, h * d(m.heads) * w.value};
    }
    const double gates = m.gated_mlp ? 2 : 1;
    double apart = 0; // products of experts, none of which is kept
    if (kind.experts)
    {
        products.push_back(h * d(m.experts));
        apart = (gates + 1) * d(m.expert_ffn) * d(expert_width(m) * m.experts_per_token) +
                (gates + 1) * h * d(shared_width(m));
    }
    else if (has_mlp(m, kind.attention))
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

bool covers(const Training& t, RecomputeModule module)
{
    return t.recompute_modules == RecomputeModules{}
               ? module == RecomputeModule::core_attn
               : t.recompute_modules.at(static_cast<std::size_t>(module));
}

bool made_again(const Training& t, const Weight& w, bool experts)
{
    const bool up = w.name == "query up" || w.name == "key/value up";
    return w.mlp ? experts ? covers(t, RecomputeModule::moe) ||
                                 (w.name.starts_with("MLP") && covers(t, RecomputeModule::shared_experts))
                           : covers(t, RecomputeModule::mlp)
                 : up && covers(t, RecomputeModule::mla_up_proj);
}

namespace
{

// FLOPs of one token in products that selective recomputation makes again.
double products_again(const Model& m, const Training& t)
{
    return sum_over(layers_by_kind(m, all_layers(m)),
                    [&](const LayersOfKind& alike)
                    {
                        return sum_over(layer_weights(m, Parallel{}, alike.kind),
                                        [&](const Weight& w)
                                        {
                                            return w.matrix() && made_again(t, w, alike.kind.experts)
                                                       ? 2 * static_cast<double>(w.rows * w.cols *
                                                                                 w.active_copies *
                                                                                 alike.layers)
                                                       : 0;
                                        });
                    });
}

// FLOPs of one token in the adapters' forward.
double adapters_forward(const Model& m, const Lora& lora)
{
    double flops = 0;
    for (const LayersOfKind& alike : layers_by_kind(m, all_layers(m)))
    {
        for (const Weight& w : layer_weights(m, Parallel{}, alike.kind))
        {
            for (const LoraPiece& piece : adapted_pieces(w, lora))
            {
                flops += 2 * static_cast<double>(piece.adapter(lora.rank) * w.active_copies * alike.layers);
            }
        }
    }
    return flops;
}

} // namespace

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
    const double streams = m.altup ? 2 * 2 * static_cast<double>(m.residual_streams - 1) * h * h : 0;
    const double head =
        (1 + further) * 2 * static_cast<double>(m.vocab) * h + further * 2 * (2 * h) * h + streams;
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
        again = covers(t, RecomputeModule::core_attn) ? attention : 0;
        again += products_again(m, t);
    }
    ComputeReport report;
    report.forward_token = Flops(forward);
    report.products_token = Flops(layers);
    report.attention_token = Flops(attention);
    report.head_token = Flops(head);
    report.again_token = Flops(again);
    // A frozen matrix has no weight gradient (Hu et al., LoRA, arXiv 2106.09685, section 4.2).
    const double passes =
        t.lora.rank > 0 ? 2 * forward + attention + 3 * adapters_forward(m, t.lora) : 3 * forward;
    report.model_step = Flops(passes * tokens);
    report.hardware_step = Flops((passes + again) * tokens);
    return report;
}

} // namespace ringside
