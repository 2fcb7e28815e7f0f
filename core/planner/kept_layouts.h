// Which of the layouts looked at a search keeps: the best, the best of each cut, the frontier, the sample.
#pragma once

#include "core/planner/search/layout_search.h"

namespace ringside
{

// The best of each cut.
using Cuts = std::map<std::array<std::int64_t, 7>, Candidate>;

// The layout of a scenario with the memory that it takes, not yet with its time.
Candidate sized(const Scenario& scenario, const SearchLimits& limits);
void fill(Candidate& candidate, const StepTime& step);
// The range of its step; `scenario` is laid out so.
void add_band(Candidate& candidate, const Scenario& scenario);
std::array<std::int64_t, 7> cut_of(const Layout& layout);
std::vector<Candidate> listed(const Cuts& cuts, Objective objective);
// Where it is among the best of its kind; the best of its cut then, if it fits.
const Candidate* keep(SearchResult& result, Cuts& cuts, Objective objective, const Candidate& candidate);
// At most kMostSampled of them, the one with the largest draw at the end.
void keep_smallest_draws(std::vector<Candidate>& sample);

} // namespace ringside
