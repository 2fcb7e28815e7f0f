// What both readers of traces do last.
#pragma once

#include "core/runs/trace.h"

#include <utility>

namespace ringside
{

// Fills in what follows from the events, which are in order; `bytes` has in and out of each collective.
void sum_up_trace(GpuTrace& trace, std::span<const std::pair<std::int64_t, std::int64_t>> bytes);

} // namespace ringside
