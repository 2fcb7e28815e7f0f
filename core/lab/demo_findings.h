// What came of a demonstration: which of its three answers it was, and why, with the numbers that were
// measured.
#pragma once

#include "core/lab/demos.h"

namespace ringside
{

using LabRuns = std::span<const TrainingSnapshot>;

// Whether so many runs have made steps, and what is said where they have not.
bool all_ran(LabRuns runs, std::size_t wanted);
DemoFinding not_run(LabRuns runs);
// What is found of runs that are all there.
template <DemoFinding (*Find)(LabRuns), std::size_t Wanted = 2>
DemoFinding found(LabRuns runs)
{
    return all_ran(runs, Wanted) ? Find(runs) : not_run(runs);
}

DemoFinding find_no_master(LabRuns runs);
DemoFinding find_overflow(LabRuns runs);
DemoFinding find_no_warmup(LabRuns runs);
DemoFinding find_poisoned(LabRuns runs);
DemoFinding find_nan(LabRuns runs);
DemoFinding find_no_optimizer(LabRuns runs);
DemoFinding find_no_rng(LabRuns runs);
DemoFinding find_out_of_memory(LabRuns runs);

} // namespace ringside
