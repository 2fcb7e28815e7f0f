#include "core/parallelism/context/plan.h"

#include <fmt/format.h>

#include "core/base/whole.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/network/rank_grid.h"
#include "core/network/traffic.h"
#include "core/scenario/choices.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Widths
{
    double heads;    // of queries, on one tensor rank
    double keys;     // of one head
    double values;   // of one head
    double kv_heads; // on one tensor rank, as attention sees them
};

Widths widths_of(const Scenario& s)
{
    const HeadWidths w = head_widths(s.model);
    const auto t = static_cast<double>(s.parallel.tensor);
    return {static_cast<double>(s.model.heads) / t, w.key, w.value, std::max(1.0, w.kv_heads / t)};
}

double pair_flops(const Widths& w)
{
    return 2 * (w.keys + w.values) * w.heads;
}

void add_rates(ContextPlan& plan)
{
    const Cluster& c = plan.scenario.cluster;
    const Calibration k = with_software(c.gpu.calibration, plan.scenario.software);
    plan.leaves = RankGrid(plan.scenario, kMegatronOrder).leaves_domain(Group::context);
    const auto tokens = static_cast<double>(plan.scenario.training.sequence_length);
    plan.flops_per_s = c.gpu.bf16_tflops * 1e12 * attention_share(k, tokens);
    plan.bytes_per_s = plan.leaves ? c.network_gb_per_s * 1e9 * k.network_efficiency
                                   : node_link(c) * 1e9 * k.link_efficiency;
}

} // namespace

double least_block(double kv_bytes_per_token, double flops_per_pair, double flops_per_s, double bytes_per_s)
{
    return bytes_per_s > 0 && flops_per_pair > 0
               ? kv_bytes_per_token * flops_per_s / (flops_per_pair * bytes_per_s)
               : 0;
}

ContextPlan context_plan(const Scenario& given)
{
    ContextPlan plan;
    plan.supposed = given.parallel.context == 1;
    plan.scenario = plan.supposed ? with_some(given, Knob::context) : given;
    const Scenario& s = plan.scenario;
    const auto cp = static_cast<double>(s.parallel.context);
    const auto b = static_cast<double>(s.training.micro_batch);
    const Widths w = widths_of(s);
    plan.ranks = s.parallel.context;
    plan.tokens = static_cast<double>(s.training.sequence_length) / cp;
    plan.message = context_message(s);
    plan.ring = plan.message * (cp - 1);
    plan.exchange = whole_bytes((cp - 1) / cp * element_bytes(s.training) * b * plan.tokens *
                                (w.keys + w.values) * (w.heads + w.kv_heads));
    plan.most = static_cast<std::int64_t>(w.kv_heads);
    plan.tile_flops = pair_flops(w) * b * plan.tokens * plan.tokens;
    add_rates(plan);
    plan.least_tokens = least_block(plan.message.value / (b * plan.tokens), pair_flops(w), plan.flops_per_s,
                                    plan.bytes_per_s);
    return plan;
}

Term explain_hop(const ContextPlan& p)
{
    const Scenario& s = p.scenario;
    Term term;
    term.label = "one hop";
    term.value = p.message.value;
    term.unit = "B";
    term.source =
        "Liu et al. 2023 (Ring Attention), arXiv 2310.01889, section 3: keys and values of a block.";
    if (s.model.attention == Attention::mla)
    {
        term.formula = "bytes \u00d7 b (s/cp) (latent + rotary)";
        term.working = fmt::format("{} \u00d7 {} \u00d7 {} \u00d7 ({} + {})", element_bytes(s.training),
                                   s.training.micro_batch, figure(p.tokens), s.model.kv_lora_rank,
                                   s.model.qk_rope_head_dim);
        return term;
    }
    term.formula = "2 \u00d7 bytes \u00d7 b (s/cp) h_kv";
    term.working = fmt::format("2 \u00d7 {} \u00d7 {} \u00d7 {} \u00d7 {}", element_bytes(s.training),
                               s.training.micro_batch, figure(p.tokens), rank_kv_heads(s) * s.model.head_dim);
    return term;
}

Term explain_least_block(const ContextPlan& p)
{
    const Widths w = widths_of(p.scenario);
    Term term;
    term.label = "tokens to overlap a hop";
    term.value = p.least_tokens;
    term.formula = "KV bytes per token \u00d7 F / (FLOPs per score \u00d7 B)";
    term.working = fmt::format(
        "{} \u00d7 {} / ({} \u00d7 {})",
        figure(p.message.value / (static_cast<double>(p.scenario.training.micro_batch) * p.tokens)),
        figure(p.flops_per_s), figure(pair_flops(w)), figure(p.bytes_per_s));
    term.source =
        "Liu et al. 2023, arXiv 2310.01889, section 3: c \u2265 F / B for as many key/value heads as "
        "query heads. F, B: what attention and the link reach. Nothing masked; causal and even: twice.";
    return term;
}

Term explain_exchange(const ContextPlan& p)
{
    const Widths w = widths_of(p.scenario);
    return {
        .label = "all-to-all of heads",
        .value = p.exchange.value,
        .unit = "B",
        .formula = "(cp \u2212 1)/cp \u00d7 bytes \u00d7 b (s/cp) (d_k + d_v) (a + a_kv)",
        .working =
            fmt::format("({} \u2212 1) / {} \u00d7 {} \u00d7 {} \u00d7 {} \u00d7 ({} + {}) \u00d7 ({} + {})",
                        p.ranks, p.ranks, element_bytes(p.scenario.training), p.scenario.training.micro_batch,
                        figure(p.tokens), w.keys, w.values, w.heads, w.kv_heads),
        .source =
            "Jacobs et al. 2023 (DeepSpeed-Ulysses), arXiv 2309.14509, section 3.2: queries, keys and values "
            "out, outputs back. At most as many GPUs as there are key/value heads."};
}

} // namespace ringside
