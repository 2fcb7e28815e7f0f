// What a pipeline's timeline sounds like: each rank a pitch of its own while it computes, the backward a
// third above the forward, a weight gradient by itself an octave below that, and silence for exactly its
// bubble.
#pragma once

#include "core/base/sound/score.h"
#include "core/pipeline/simulate.h"

namespace ringside
{

// `voice` is what a rank is called: "stage".
Score score_of(const Timeline& timeline, std::string voice);

} // namespace ringside
