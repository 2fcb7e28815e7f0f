#include "core/planner/search/told_apart.h"

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

const Candidate* simplest_equal(std::span<const Candidate> best_first, Objective objective)
{
    const Candidate* simplest = nullptr;
    for (const Candidate& c : best_first)
    {
        const bool simpler =
            simplest == nullptr || kinds_of_parallelism(c.layout) < kinds_of_parallelism(simplest->layout);
        if (simpler && equals_best(c, best_first.front(), objective))
        {
            simplest = &c;
        }
    }
    return simplest;
}

} // namespace ringside
