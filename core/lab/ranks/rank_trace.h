// What one rank's step looked like from outside: its operations, its messages and what it sent.
#pragma once

#include "core/lab/ranks/rank_trainer.h"

namespace ringside::parallel
{

// `before` and `now` are the rank's log around the step. Times count from `start` [s, of the log]; calls that
// began before it, and axes that no training sends on, are left out.
RankTrace trace_of(const RankStep& step, const Coordinates& place, const CallRecord& before,
                   const CallRecord& now, double start);

} // namespace ringside::parallel
