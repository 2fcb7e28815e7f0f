// What a collective's steps sound like: a rank has its pitch in every step in which it receives a chunk, a
// third higher where the chunk replaces what was there. Chunk 0 is louder, so that it is heard on its way.
#pragma once

#include "core/base/sound/score.h"
#include "core/network/collective/collective.h"

namespace ringside
{

// A unit of time is a step.
Score score_of(const Collective& collective);

} // namespace ringside
