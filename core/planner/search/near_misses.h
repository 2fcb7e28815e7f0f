// What a layout would gain by more memory: the layouts one setting away from it that are faster and do not
// fit.
#pragma once

#include "core/planner/search/layout_search.h"

#include <string>
#include <vector>

namespace ringside
{

struct NearMiss
{
    std::string change; // "TP 4", "ZeRO-1"
    Candidate candidate;
};

// Faster than `row` and beyond the headroom of `limits`, the least memory first. `row` is one of a search of
// this scenario under these limits. Only settings that hold more are tried: less recomputation, a lower ZeRO
// stage, the next larger micro-batch, the next smaller tensor, context and pipeline group.
std::vector<NearMiss> near_misses(const Scenario& scenario, const Candidate& row, const SearchLimits& limits);

} // namespace ringside
