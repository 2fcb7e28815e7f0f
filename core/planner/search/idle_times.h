// Idle time of the schedules that are found by searching for an order, so that no formula gives it: for every
// shape the order for equal times is simulated with a few ratios of times, and others lie between.
//
// For schedules without a closed form, while a search chooses what to keep; what is kept is timed by
// step_time().
#pragma once

#include "core/pipeline/schedule.h"

#include <map>
#include <tuple>

namespace ringside
{

class IdleTimes
{
public:
    // The idle time of a rank in a step of equal stages, in the unit of the times; without transfers. With
    // more than four micro-batches per stage the rest is taken to go on as the last stages' worth of them
    // did. The shape must be legal. An order made for the very times may idle a little less.
    double idle(ScheduleKind kind, const ScheduleShape& shape, const StageTimes& times);

private:
    // In forwards: with equal times, and what every further forward of input or weight gradient adds.
    struct Plane
    {
        double equal = 0;
        double input = 0;
        double weight = 0;

        double at(double input_ratio, double weight_ratio) const
        {
            return equal + input * (input_ratio - 1) + weight * (weight_ratio - 1);
        }
    };
    using Key = std::tuple<ScheduleKind, std::int64_t, std::int64_t, std::int64_t>;

    const Plane& plane(ScheduleKind kind, const ScheduleShape& shape);

    std::map<Key, Plane> known_;
};

} // namespace ringside
