// Long steps repeat the same thing in the middle: they are searched with fewer micro-batches, and what was
// found is then laid out in full.
#pragma once

#include "core/pipeline/zero_bubble/board.h"

namespace ringside::zero_bubble
{

// Operations placed to try one building block, per operation of the problem: filling it, squeezing it, which
// takes about as long as five fillings, and filling it twice again.
constexpr std::int64_t kBlockEffort = 8;

// A step long enough to show every phase, and short enough for that many tries; the whole step if it is.
std::int32_t sample_micro_batches(const Problem& problem, std::int32_t tries);

// The plan of `sample` made longer for `problem`, where the middle costs least. Invalid when nothing can be
// repeated.
Attempt lengthen(const Problem& problem, const Problem& sample, const Steps& plan);

} // namespace ringside::zero_bubble
