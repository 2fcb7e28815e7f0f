// From a goal to an order. Every rank has a skeleton, its forwards and input gradients in a fixed order; few
// are worth trying, and the weight gradients are then poured into the gaps that a skeleton leaves. A handful
// of skeletons and ways of filling are timed, and the best is kept: see the files of zero_bubble/.
#include "core/pipeline/zero_bubble.h"

#include "core/pipeline/families.h"
#include "core/pipeline/zero_bubble/search.h"

#include <cassert>

namespace ringside
{

namespace
{

Order to_order(const zero_bubble::Problem& problem, const zero_bubble::Steps& plan)
{
    constexpr std::array<Pass, 3> kThreePasses = {Pass::forward, Pass::input, Pass::weight};
    Order order(plan.size());
    for (std::int32_t r = 0; r < problem.ranks; ++r)
    {
        const auto& steps = plan[zero_bubble::index(r)];
        auto& operations = order[zero_bubble::index(r)];
        operations.reserve(steps.size());
        for (const zero_bubble::Step step : steps)
        {
            const zero_bubble::Kind kind = zero_bubble::kind_of(step);
            const std::int32_t stage = zero_bubble::chunk_of(kind) == 0 ? r : 2 * problem.ranks - 1 - r;
            operations.push_back(
                op(kThreePasses[zero_bubble::index(kind / 2)], stage, zero_bubble::micro_batch_of(step)));
        }
    }
    return order;
}

} // namespace

std::int64_t zb_h1_limit(std::int64_t ranks)
{
    return ranks;
}

std::int64_t zb_h2_limit(std::int64_t ranks)
{
    return 2 * ranks;
}

std::int64_t v_min_limit(std::int64_t ranks)
{
    return 2 * ((ranks + 4) / 3);
}

std::int64_t v_half_limit(std::int64_t ranks)
{
    return 2 * ((ranks + 2) / 2);
}

std::int64_t zb_v_limit(std::int64_t ranks)
{
    return 2 * ranks;
}

Order zero_bubble_order(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal)
{
    assert(shape.chunks == (goal.placement == Placement::v ? 2 : 1));
    assert(costs.stages.size() >= static_cast<std::size_t>(shape.stages * shape.chunks));
    const zero_bubble::Problem problem = zero_bubble::make_problem(shape, costs, goal);
    const bool v = goal.placement == Placement::v;
    return to_order(problem, (v ? zero_bubble::best_v(problem) : zero_bubble::best_loop(problem)).plan);
}

} // namespace ringside
