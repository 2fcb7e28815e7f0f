// In which order a step runs forward and backward through its units, and when the weights of each must be
// gathered and may be let go. For step_life.h only.
#pragma once

#include "core/performance/step_life.h"
#include "core/performance/step_units.h"

namespace ringside
{

// One forward or backward of one unit.
struct StepPosition
{
    std::int32_t micro_batch = 0;
    bool backward = false;
    std::size_t unit = 0;
    std::vector<std::size_t> gathers; // units that must be gathered for it
    std::vector<std::size_t> frees;   // units let go after it
    std::int64_t freed = -1;          // the position after which those it gathers were last let go
};

std::vector<StepPosition> step_order(std::span<const StepUnit> units, const StepOptions& options);

} // namespace ringside
