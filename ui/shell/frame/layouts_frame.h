// Searches for layouts that ended. One that is under way is LayoutWork.
#pragma once

#include "core/planner/search/layout_search.h"

#include <string>

namespace ringside
{

// A search that ended, to go back to.
struct KeptSearch
{
    std::string words;     // "Llama 3.1 70B, 256 GPUs, any framework: 3.90 s"
    std::string link;      // to the scenario in the planner
    std::string framework; // id; empty: any
    Objective objective = Objective::step_time;
    Freed freed;

    bool operator==(const KeptSearch&) const = default;
};
inline constexpr std::size_t kMostKeptSearches = 8;

} // namespace ringside
