#include "core/parallelism/experts/dispatch.h"

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/model/sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ringside
{

namespace
{

constexpr std::int64_t kSupposedNodes = 8;

std::int64_t node_of(const DispatchSetup& s, std::int64_t expert)
{
    return expert * s.nodes / s.experts;
}

// The nodes whose k/M best experts add up to most.
std::vector<bool> nodes_within(const DispatchSetup& s, const std::vector<double>& affinity)
{
    std::vector<std::vector<double>> on(static_cast<std::size_t>(s.nodes));
    for (std::int64_t e = 0; e < s.experts; ++e)
    {
        on[static_cast<std::size_t>(node_of(s, e))].push_back(affinity[static_cast<std::size_t>(e)]);
    }
    const std::int64_t best = std::max<std::int64_t>(1, s.chosen / s.limit);
    std::vector<std::pair<double, std::size_t>> scores;
    for (std::size_t n = 0; n < on.size(); ++n)
    {
        std::ranges::sort(on[n], std::greater());
        on[n].resize(std::min(on[n].size(), static_cast<std::size_t>(best)));
        scores.emplace_back(sum_over(on[n]), n);
    }
    std::ranges::sort(scores, std::greater());
    std::vector<bool> taken(on.size());
    for (std::size_t i = 0; i < std::min(scores.size(), static_cast<std::size_t>(s.limit)); ++i)
    {
        taken[scores[i].second] = true;
    }
    return taken;
}

// The k experts that a token chooses.
std::vector<std::int64_t> chosen_experts(const DispatchSetup& s, DispatchWay way, std::uint64_t token)
{
    const auto affinity = list_of<double>(s.experts, [key = mixed(token)](std::int64_t e)
                                          { return random_unit(key, static_cast<std::uint64_t>(e)); });
    const std::vector<bool> within = way == DispatchWay::limited
                                         ? nodes_within(s, affinity)
                                         : std::vector<bool>(static_cast<std::size_t>(s.nodes), true);
    auto order = list_where<std::int64_t>(s.experts, [&](std::int64_t e)
                                          { return within[static_cast<std::size_t>(node_of(s, e))]; });
    std::ranges::sort(order, std::greater(),
                      [&](std::int64_t e) { return affinity[static_cast<std::size_t>(e)]; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(s.chosen)));
    std::ranges::sort(order);
    return order;
}

} // namespace

DispatchSetup dispatch_setup(const ExpertPlan& plan)
{
    const Cluster& c = plan.scenario.cluster;
    DispatchSetup s;
    const std::int64_t domain = std::max<std::int64_t>(1, c.gpus_per_node);
    const std::int64_t nodes = plan.leaves ? plan.ranks * plan.cut / domain : 1;
    s.nodes = std::min(nodes > 1 ? nodes : kSupposedNodes, plan.experts);
    s.per_node = nodes > 1 ? domain : std::min<std::int64_t>(domain, 8);
    s.experts = plan.experts;
    s.chosen = plan.chosen;
    s.limit = std::min<std::int64_t>(4, s.nodes);
    s.hidden = static_cast<double>(expert_width(plan.scenario.model));
    s.tokens = plan.tokens;
    s.node_gb_per_s = c.node_link_gb_per_s > 0 ? c.node_link_gb_per_s : c.gpu.link_gb_per_s;
    s.network_gb_per_s = c.network_gb_per_s;
    return s;
}

double network_copies(const DispatchSetup& s, DispatchWay way)
{
    const auto n = static_cast<double>(s.nodes);
    const auto k = static_cast<double>(s.chosen);
    if (way == DispatchWay::experts)
    {
        return k * (n - 1) / n;
    }
    const double merged = (n - 1) * (1 - std::pow(1 - 1 / n, k));
    return way == DispatchWay::nodes ? merged : std::min(merged, static_cast<double>(s.limit) * (n - 1) / n);
}

double copy_bytes(const DispatchSetup& s)
{
    const double there = s.four_bit ? kNvfp4Bytes : s.eight_bit ? 1 + 4.0 / 128 : 2;
    return s.hidden * there + 2 * s.hidden;
}

DispatchCost dispatch_cost(const DispatchSetup& s, DispatchWay way)
{
    DispatchCost cost;
    cost.copies = network_copies(s, way);
    const auto per_node = static_cast<double>(s.per_node);
    const auto k = static_cast<double>(s.chosen);
    // A copy for one expert goes straight to its GPU; what is sent once for a node is passed on inside it.
    const double own = way == DispatchWay::experts ? k / static_cast<double>(s.nodes) : k;
    const double each = copy_bytes(s) * s.tokens;
    cost.network = Bytes(cost.copies * each);
    cost.inside = Bytes(own * (per_node - 1) / per_node * each);
    cost.network_time = cost.network / BytesPerSecond(std::max(1e-3, s.network_gb_per_s) * 1e9);
    cost.inside_time = cost.inside / BytesPerSecond(std::max(1e-3, s.node_gb_per_s) * 1e9);
    return cost;
}

std::vector<TokenPacket> token_packets(const DispatchSetup& s, DispatchWay way, std::uint64_t token)
{
    std::vector<TokenPacket> packets;
    for (const std::int64_t expert : chosen_experts(s, way, token))
    {
        const std::int64_t node = node_of(s, expert);
        const std::int64_t first = (node * s.experts + s.nodes - 1) / s.nodes;
        const std::int64_t held = std::max<std::int64_t>(1, s.experts / s.nodes);
        const std::int64_t gpu = std::min(s.per_node - 1, (expert - first) * s.per_node / held);
        const bool joins =
            !packets.empty() && packets.back().node == node && (way != DispatchWay::experts || node == 0);
        if (!joins)
        {
            packets.push_back({node, {}});
        }
        auto& gpus = packets.back().gpus;
        if (gpus.empty() || gpus.back() != gpu)
        {
            gpus.push_back(gpu);
        }
    }
    return packets;
}

} // namespace ringside
