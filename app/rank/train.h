// ringside-rank --train FILE: a training goes on across processes from a file that `ringside train --save`
// wrote.
#pragma once

#include "core/lab/ranks/mpi/mpi_world.h"

namespace ringside
{

struct RankTrainOptions
{
    std::string from;
    std::string strategy = "ddp";
    std::string compress = "none";
    bool no_feedback = false;
    std::int64_t steps = 100;
    std::string save;
    std::string live;     // where a window finds what is going on; empty: nowhere
    std::string snapshot; // of the memory of the last step, one of each rank on its own host
    std::string trace;    // of the last step, likewise
    bool json_lines = false;
};

// By all ranks together; rank 0 reads, says and writes. Throws what went wrong.
int run_rank_train(parallel::MpiWorld& world, const RankTrainOptions& options);

} // namespace ringside
