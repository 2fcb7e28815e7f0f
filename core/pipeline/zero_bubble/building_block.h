// Building blocks of arXiv 2405.15362 for two chunks placed as a V: the four passes of a micro-batch through
// a rank repeat with a fixed period, and the offsets between neighbouring ranks decide how long a micro-batch
// is kept. Counted in passes, as if all took equally long.
#pragma once

#include "core/pipeline/zero_bubble/problem.h"

namespace ringside::zero_bubble
{

struct BuildingBlock
{
    // Between neighbouring ranks: F of chunk 0 and 1, I of chunk 1 and 0, in the order of a micro-batch's
    // way.
    std::array<std::int32_t, 4> step{1, 1, 1, 1};
    std::int32_t turn = 0;   // extra wait between the last forward and the first gradient
    std::int32_t period = 6; // F, I and W of two chunks; a longer one keeps less
    bool weights = false;    // W in the first free places of the period, or only where gaps turn out to be

    // When micro-batch 0 passes a rank. [kind]
    std::array<std::int32_t, kWeight> offsets(std::int32_t ranks, std::int32_t r) const;
    // Ranks on which two kinds want the same place of the period. One of them then comes late, every time.
    std::int32_t collisions(std::int32_t ranks) const;
    // Whether what is between its F and its I in the middle of a step fits into memory.
    bool fits(const Problem& problem) const;
    Steps skeleton(const Problem& problem) const;

private:
    std::int32_t active(std::int32_t ranks, std::int32_t r) const;
    std::vector<Step> rank_skeleton(const Problem& problem, std::int32_t r) const;
};

} // namespace ringside::zero_bubble
