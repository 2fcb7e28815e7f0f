// What to do about a measured run, each with what it can buy at most: from what its files show, not from the
// engine, whose moves are core/evaluate/sensitivity.h's and core/evaluate/levers.h's.
#pragma once

#include "core/runs/compare.h"

namespace ringside
{

struct RunAdvice
{
    std::string name;       // "Capture the step in a CUDA graph"
    std::string why;        // a sentence with what was measured
    double seconds = 0;     // of a step, at most; 0: it buys bytes
    std::int64_t bytes = 0; // of a GPU, at most
    std::string place;      // the view that explains it
};

// What buys most time first. The number of GPUs of a node tells a late rank from a late node.
std::vector<RunAdvice> advice_on(const RunReading& run, const RunComparison& compared,
                                 std::int64_t gpus_per_node);

} // namespace ringside
