// The families of schedules, one file each, every one with a table at its bottom.
#pragma once

#include "core/pipeline/schedule.h"

namespace ringside
{

std::span<const ScheduleInfo> classic_schedules(); // classic.cpp: the backward is one operation
std::span<const ScheduleInfo> split_schedules();   // split.cpp: input and weight gradients apart
std::span<const ScheduleInfo> dual_schedules();    // dual.cpp: forwards and backwards run together

// Micro-batches that go through one chunk before the next has its turn, in the runtimes that interleave: as
// many as there are stages, or a few more so that rounds are equal. 0: no such number.
std::int64_t micro_batches_per_round(const ScheduleShape& shape);
Issues check_rounds(const ScheduleShape& shape);

inline Operation op(Pass pass, std::int64_t stage, std::int64_t micro_batch)
{
    return {pass, false, static_cast<std::int32_t>(stage), static_cast<std::int32_t>(micro_batch)};
}

// p - 1.
inline double other_stages(const ScheduleShape& shape)
{
    return static_cast<double>(shape.stages - 1);
}

} // namespace ringside
