// Closed forms of the pipeline bubble, for when a simulation would be too slow or only has to be explained.
// Equal stages and no transfer time; simulate.h knows the rest.
#pragma once

#include "core/schedule/schedule.h"

namespace ringside
{

// Idle time over ideal time: (p-1)/m (Narayanan et al., arXiv 2104.04473, section 2.2.1), (p-1)/(m v)
// interleaved (section 2.2.2), p-1 when only one stage works at a time.
inline double closed_bubble_over_ideal(ScheduleKind kind, const ScheduleShape& shape)
{
    const auto others = static_cast<double>(shape.stages - 1);
    switch (kind)
    {
    case ScheduleKind::naive:
        return others;
    case ScheduleKind::interleaved:
        return others / static_cast<double>(shape.micro_batches * shape.chunks);
    case ScheduleKind::gpipe:
    case ScheduleKind::one_f_one_b:
        break;
    }
    return others / static_cast<double>(shape.micro_batches);
}

// Idle time over all time: (p-1)/(m v + p - 1) (Huang et al., arXiv 1811.06965, section 2.3); (p-1)/p one
// stage at a time.
inline double closed_bubble_of_total(ScheduleKind kind, const ScheduleShape& shape)
{
    const double over_ideal = closed_bubble_over_ideal(kind, shape);
    return over_ideal / (1 + over_ideal);
}

} // namespace ringside
