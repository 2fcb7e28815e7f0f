// Follows a skeleton, but a rank whose next step cannot start yet pulls a later one forward that can: the
// squeezing of arXiv 2405.15362. While the pipeline fills and drains, a building block leaves long gaps, and
// they close that way. Runs in the order of time.
#pragma once

#include "core/pipeline/zero_bubble/board.h"

namespace ringside::zero_bubble
{

struct Squeezing
{
    double patience = 0;    // a pulled step may hold up the next by this share of its own time
    std::int32_t spare = 0; // micro-batches of memory that pulled forwards leave alone
};

// `expected` is when inputs come at the latest: `ready` of an attempt without pulling. Invalid when what was
// pulled has taken the memory of what must come first.
Attempt squeeze(const Problem& problem, const Steps& skeleton, const std::vector<double>& expected,
                const Filling& filling, const Squeezing& squeezing);

} // namespace ringside::zero_bubble
