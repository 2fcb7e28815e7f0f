// Ranks, memory and times of a shape, costs and a goal: chunk 0 of rank r is virtual stage r, chunk 1 of a V
// is stage 2p - 1 - r.
#include "core/pipeline/zero_bubble/problem.h"

#include <algorithm>

namespace ringside::zero_bubble
{

double Problem::work(std::int32_t rank) const
{
    const auto& c = cost[index(rank)];
    return micro_batches * (c[0] + c[1] + c[2] + c[3] + c[4] + c[5]);
}

double Problem::mean_weight() const
{
    double sum = 0;
    for (const auto& c : cost)
    {
        sum += c[kWeight] + c[kWeight + 1];
    }
    return sum / (ranks * chunks);
}

Problem make_problem(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal)
{
    Problem problem;
    problem.ranks = static_cast<std::int32_t>(shape.stages);
    problem.chunks = goal.placement == Placement::v ? 2 : 1;
    problem.micro_batches = static_cast<std::int32_t>(shape.micro_batches);
    problem.transfer = costs.transfer;
    const std::int64_t least = problem.chunks;                                       // to get through at all
    const std::int64_t most = std::max(shape.micro_batches * problem.chunks, least); // there are no more
    problem.capacity = static_cast<std::int32_t>(std::clamp(goal.limit, least, most));
    problem.cost.assign(index(problem.ranks), {});
    for (std::int32_t r = 0; r < problem.ranks; ++r)
    {
        auto& cost = problem.cost[index(r)];
        for (std::int32_t chunk = 0; chunk < problem.chunks; ++chunk)
        {
            const StageCost& c = costs.stages[index(chunk == 0 ? r : 2 * problem.ranks - 1 - r)];
            cost[index(kForward + chunk)] = c.forward;
            cost[index(kInput + chunk)] = c.backward_input;
            cost[index(kWeight + chunk)] = c.backward_weight;
        }
        problem.busiest = std::max(problem.busiest, problem.work(r));
        problem.first_pass += r + 1 < problem.ranks ? cost[kForward] + problem.transfer : 0;
    }
    return problem;
}

Problem with_micro_batches(Problem problem, std::int32_t micro_batches)
{
    problem.busiest *= static_cast<double>(micro_batches) / problem.micro_batches;
    problem.micro_batches = micro_batches;
    return problem;
}

} // namespace ringside::zero_bubble
