#include "core/parallelism/experts/replicas.h"

#include "core/base/ranges.h"
#include "core/base/units.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ringside
{

namespace
{

using Packs = std::vector<std::vector<std::size_t>>;

// As many in each: the heaviest first, to the lightest pack that has room.
Packs packed(const std::vector<double>& weights, std::size_t packs)
{
    const std::size_t room = weights.size() / packs;
    Packs all(packs);
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0);
    if (room > 1)
    {
        std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return weights[i]; });
    }
    std::vector<double> sums(packs);
    for (const std::size_t item : order)
    {
        std::size_t best = packs;
        for (std::size_t p = 0; p < packs; ++p)
        {
            const bool free = all[p].size() < room;
            best = free && (best == packs || (room > 1 && sums[p] < sums[best])) ? p : best;
        }
        all[best].push_back(item);
        sums[best] += weights[item];
    }
    return all;
}

// One of each, then again and again of that whose replicas have most to do.
std::vector<std::size_t> replicated(const std::vector<double>& weights, std::size_t slots,
                                    std::vector<std::int64_t>& counts)
{
    std::vector<std::size_t> all(weights.size());
    std::iota(all.begin(), all.end(), 0);
    counts.assign(weights.size(), 1);
    while (all.size() < slots)
    {
        std::size_t most = 0;
        for (std::size_t e = 1; e < weights.size(); ++e)
        {
            most = weights[e] / real(counts[e]) > weights[most] / real(counts[most]) ? e : most;
        }
        ++counts[most];
        all.push_back(most);
    }
    return all;
}

} // namespace

double ExpertPlacement::imbalance() const
{
    const double sum = sum_over(load);
    return sum > 0 ? largest_over(load) * static_cast<double>(load.size()) / sum : 1;
}

ExpertPlacement placed_in_order(std::span<const double> load, std::int64_t gpus)
{
    ExpertPlacement placed;
    placed.replicas.assign(load.size(), 1);
    const std::size_t held = load.size() / static_cast<std::size_t>(gpus);
    for (std::size_t e = 0; e < load.size(); ++e)
    {
        if (e % held == 0)
        {
            placed.held.emplace_back();
            placed.load.push_back(0);
        }
        placed.held.back().push_back(static_cast<std::int64_t>(e));
        placed.load.back() += load[e];
    }
    return placed;
}

ExpertPlacement balanced_placement(std::span<const double> load, const ReplicaOptions& o)
{
    const bool by_node = o.groups % o.nodes == 0;
    const auto nodes = static_cast<std::size_t>(by_node ? o.nodes : 1);
    const auto groups = static_cast<std::size_t>(by_node ? o.groups : 1);
    const std::size_t size = load.size() / groups;
    const auto slots = (load.size() + static_cast<std::size_t>(o.redundant)) / nodes;
    std::vector<double> of_groups(groups);
    for (std::size_t e = 0; e < load.size(); ++e)
    {
        of_groups[e / size] += load[e];
    }
    ExpertPlacement placed;
    placed.replicas.assign(load.size(), 1);
    for (const std::vector<std::size_t>& of_node : packed(of_groups, nodes))
    {
        std::vector<std::size_t> experts;
        for (const std::size_t group : of_node)
        {
            for (std::size_t i = 0; i < size; ++i)
            {
                experts.push_back(group * size + i);
            }
        }
        const auto weights = list_of<double>(experts, [&](std::size_t e) { return load[e]; });
        std::vector<std::int64_t> counts;
        const auto replicas = replicated(weights, slots, counts);
        const auto parts =
            list_of<double>(replicas, [&](std::size_t i) { return weights[i] / real(counts[i]); });
        for (std::size_t i = 0; i < experts.size(); ++i)
        {
            placed.replicas[experts[i]] = counts[i];
        }
        for (const auto& of_gpu : packed(parts, static_cast<std::size_t>(o.gpus) / nodes))
        {
            placed.held.push_back(list_of<std::int64_t>(
                of_gpu, [&](std::size_t i) { return static_cast<std::int64_t>(experts[replicas[i]]); }));
            placed.load.push_back(sum_over(of_gpu, [&](std::size_t i) { return parts[i]; }));
        }
    }
    return placed;
}

} // namespace ringside
