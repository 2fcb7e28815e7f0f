// The search for layouts beside the window: what may be asked of it. What it found is a LayoutAnswer.
#pragma once

#include "core/planner/search/layout_search.h"
#include "ui/shell/frame/frame.h"

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

// Looks for every layout of the scenario, beside the window; Frame::layouts tells how far it is. Asking for
// the same again changes nothing.
struct SearchLayouts
{
    SearchLimits limits;
    bool as_it_stands = false; // of the scenario with its faults, which are those of its layout
};
inline Action to_action(SearchLayouts action)
{
    return std::make_shared<const SearchLayouts>(std::move(action));
}

} // namespace ringside
