#include "core/planner/search/idle_times.h"

#include "core/pipeline/simulate.h"

#include <algorithm>

namespace ringside
{

namespace
{

double simulated(const Order& order, ScheduleKind kind, const ScheduleShape& shape, double input,
                 double weight)
{
    StageTimes times;
    times.backward_input = input;
    times.backward_weight = weight;
    const auto timeline = simulate(order, equal_costs(kind, shape, times));
    const double work = (1 + input + weight) * static_cast<double>(shape.micro_batches);
    return timeline ? std::max(0.0, timeline->makespan - work) : 0;
}

} // namespace

const IdleTimes::Plane& IdleTimes::plane(ScheduleKind kind, const ScheduleShape& shape)
{
    const Key key{kind, shape.stages, shape.micro_batches, shape.chunks};
    const auto found = known_.find(key);
    if (found != known_.end())
    {
        return found->second;
    }
    Plane plane;
    if (const auto order = make_order(kind, shape, equal_costs(kind, shape, {})))
    {
        constexpr double kInput = 1.75; // what is computed again is in the input gradient
        constexpr double kWeight = 0.75;
        plane.equal = simulated(*order, kind, shape, 1, 1);
        plane.input = (simulated(*order, kind, shape, kInput, 1) - plane.equal) / (kInput - 1);
        plane.weight = (simulated(*order, kind, shape, 1, kWeight) - plane.equal) / (kWeight - 1);
    }
    return known_.emplace(key, plane).first->second;
}

double IdleTimes::idle(ScheduleKind kind, const ScheduleShape& shape, const StageTimes& times)
{
    if (times.forward <= 0)
    {
        return 0;
    }
    const auto of = [&](std::int64_t micro_batches)
    {
        return plane(kind, {shape.stages, micro_batches, shape.chunks})
            .at(times.backward_input / times.forward, times.backward_weight / times.forward);
    };
    const std::int64_t most = 4 * shape.stages;
    if (shape.micro_batches <= most)
    {
        return times.forward * std::max(0.0, of(shape.micro_batches));
    }
    const std::int64_t some = 3 * shape.stages;
    const double each = (of(most) - of(some)) / static_cast<double>(most - some);
    return times.forward * std::max(0.0, of(most) + each * static_cast<double>(shape.micro_batches - most));
}

} // namespace ringside
