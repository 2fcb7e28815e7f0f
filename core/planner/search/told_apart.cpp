#include "core/planner/search/told_apart.h"

#include <algorithm>
#include <tuple>

namespace ringside
{

bool equals_best(const Candidate& candidate, const Candidate& best, Objective objective)
{
    const bool cost = objective == Objective::cost;
    const double value = cost ? candidate.gpu_seconds() : candidate.pace();
    const double least = cost ? best.gpu_seconds() : best.pace();
    return candidate.layout == best.layout ||
           (objective != Objective::memory && candidate.tight == best.tight &&
            value <= least * (1 + kToldApart));
}

int kinds_of_parallelism(const Layout& l)
{
    return (l.tensor > 1) + (l.context > 1) + (l.pipeline > 1) + (l.expert > 1) + (l.zero > 1);
}

int departures(const Layout& l, const Scenario& s)
{
    const std::int64_t tokens = l.sequence_length > 0 ? l.sequence_length : s.training.sequence_length;
    const bool plain_order = l.schedule == schedule("1f1b") || l.schedule == schedule("interleaved");
    return (l.tensor > s.cluster.gpus_per_node) + (l.context > 1 && tokens < kContextFrom) +
           (l.pipeline > 1 && !plain_order) + (l.pipeline > 1 && l.zero > 1) +
           (l.expert > 1 && l.expert_tensor > 1);
}

const Candidate* simplest_equal(std::span<const Candidate> best_first, Objective objective, const Scenario& s)
{
    const auto key = [&](const Layout& l)
    {
        return std::tuple(departures(l, s), l.pipeline, l.tensor * l.context * l.pipeline,
                          kinds_of_parallelism(l));
    };
    const Candidate* simplest = nullptr;
    for (const Candidate& c : best_first)
    {
        const bool simpler = simplest == nullptr || key(c.layout) < key(simplest->layout);
        if (simpler && equals_best(c, best_first.front(), objective))
        {
            simplest = &c;
        }
    }
    return simplest;
}

bool one_family(const Layout& a, const Layout& b)
{
    Layout same = a;
    same.context = b.context;
    same.micro_batch = b.micro_batch;
    return same == b && a.micro_batch * b.context == b.micro_batch * a.context;
}

std::vector<Candidate> one_per_family(std::span<const Candidate> best_first)
{
    std::vector<Candidate> kept;
    for (const Candidate& c : best_first)
    {
        if (std::ranges::none_of(kept, [&](const Candidate& k) { return one_family(k.layout, c.layout); }))
        {
            kept.push_back(c);
        }
    }
    return kept;
}

} // namespace ringside
