// Where a search starts from: the scenario's own layout as one row beside those found, also where it is
// invalid; then with the reason and the nearest one that is valid.
#pragma once

#include "core/planner/search/layout_search.h"

#include <string>

namespace ringside
{

struct CurrentLayout
{
    Issues faults;        // why the scenario's own layout cannot run; none: it can
    Layout layout;        // as it stands
    Scenario scenario;    // itself, or the nearest valid one
    Candidate candidate;  // what that takes; no time where none is valid
    std::string changes;  // to that: "Tensor parallelism 7 → 4 (...)"
    std::string settings; // the same as --set reads them

    bool valid() const { return faults.empty(); }
    bool runs() const { return candidate.seconds > 0; }
};

// The layout of a scenario without search_faults().
CurrentLayout current_layout(const Scenario& scenario, const SearchLimits& limits);

} // namespace ringside
