// Gives a skeleton its weight gradients: a gap as long as a W gets one, a shorter gap stays idle as long as
// the rank can afford it, for a W there would hold up the ranks that wait; and a forward that finds the
// memory full lets a W go first.
#pragma once

#include "core/pipeline/zero_bubble/board.h"

namespace ringside::zero_bubble
{

// A W in the skeleton says that one may run there. Invalid when the skeleton waits for itself or does not fit
// into memory.
Attempt fill(const Problem& problem, const Steps& skeleton, const Filling& filling);

Steps without_weights(const Steps& plan);

} // namespace ringside::zero_bubble
