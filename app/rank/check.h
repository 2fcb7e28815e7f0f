// ringside-rank --check-communicator: whether ranks reach each other here, and get the bits that threads get.
#pragma once

#include "core/parallel/mpi/mpi_world.h"

namespace ringside
{

struct RankCheckOptions
{
    int ranks_expected = 0; // 0: any number
    int rounds = 1;
};

// By all ranks together; rank 0 says what was found. 0, or 1 where something is not as it should be.
int run_rank_check(parallel::MpiWorld& world, const RankCheckOptions& options);

} // namespace ringside
