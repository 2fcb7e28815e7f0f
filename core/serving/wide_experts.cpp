#include "core/serving/wide_experts.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/units.h"
#include "core/model/sizes.h"

#include <algorithm>

namespace ringside
{

namespace
{

DispatchWay way_of(bool prompts)
{
    return prompts ? DispatchWay::nodes : DispatchWay::experts;
}

} // namespace

std::int64_t expert_slots(const Model& m, const ServingSetup& setup)
{
    const std::int64_t gpus = setup.engine_gpus();
    return (m.experts + setup.redundant + gpus - 1) / gpus;
}

DispatchSetup serving_dispatch(const Scenario& s, const ServingSetup& setup, double tokens)
{
    const Calibration& reached = s.cluster.gpu.calibration;
    const std::int64_t gpus = setup.engine_gpus();
    DispatchSetup d;
    d.per_node = std::min(gpus, std::max<std::int64_t>(1, s.cluster.gpus_per_node));
    d.nodes = (gpus + d.per_node - 1) / d.per_node;
    d.experts = s.model.experts;
    d.chosen = s.model.experts_per_token;
    d.limit = d.nodes;
    d.eight_bit = setup.eight_bit;
    d.four_bit = setup.four_bit;
    d.hidden = real(expert_width(s.model));
    d.tokens = tokens / real(setup.gpus);
    d.node_gb_per_s = node_link(s.cluster) * reached.link_efficiency;
    d.network_gb_per_s = s.cluster.network_gb_per_s * reached.network_efficiency;
    return d;
}

double exchange_seconds(const Scenario& s, const ServingSetup& setup, double tokens, bool prompts,
                        bool overlapped)
{
    if (setup.ranks <= 1)
    {
        return 0;
    }
    DispatchSetup d = serving_dispatch(s, setup, tokens);
    const Calibration& c = s.cluster.gpu.calibration;
    const double start = (c.collective_us + (d.nodes > 1 ? c.network_hop_us : 0)) * 1e-6;
    if (prompts && d.nodes == 1)
    {
        // Inside one domain a GPU is what a node is elsewhere: one copy for all of a token's experts on it.
        d.nodes = d.per_node;
        d.per_node = 1;
        d.network_gb_per_s = d.node_gb_per_s;
    }
    const double alone = setup.imbalance * dispatch_cost(d, way_of(prompts)).time().value;
    return overlapped ? 4 * start + kOverlappedTransfer * alone : 2 * start + alone;
}

double small_kernels_seconds(const Scenario& s, bool overlapped)
{
    const double gaps = kLayerKernels * s.cluster.gpu.calibration.kernel_us;
    const double layer = (gaps + kSmallKernels * kSmallKernelMicroseconds) * 1e-6;
    return (overlapped ? 2 : 1) * real(s.model.layers) * layer;
}

Term explain_exchange(const Scenario& s, const ServingReport& r)
{
    const DispatchSetup d = serving_dispatch(s, r.setup, real(r.setup.batch));
    const DispatchCost cost = dispatch_cost(d, way_of(false));
    const bool leaves = d.nodes > 1;
    const std::int64_t over = leaves ? d.nodes : d.per_node;
    Term term;
    term.label = "dispatch and combine of a decoding step, one layer";
    term.value = (leaves ? cost.network : cost.inside).value;
    term.unit = "B";
    term.formula = leaves ? "b k (N \u2212 1)/N \u00d7 bytes" : "b k (EP \u2212 1)/EP \u00d7 bytes";
    term.working = fmt::format("{} \u00d7 {} \u00d7 ({} \u2212 1) / {} \u00d7 {}", figure(d.tokens), d.chosen,
                               over, over, figure(copy_bytes(d)));
    term.source = "DeepSeek-V3, arXiv 2412.19437, sections 3.3.3 and 3.4; deepseek-ai/DeepEP, low-latency "
                  "kernels: one copy per expert. N: nodes; bytes: of a copy, dispatch and combine.";
    return term;
}

} // namespace ringside
