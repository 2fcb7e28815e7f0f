// A layout search from beginning to end, with a bar of its progress.
#pragma once

#include "core/planner/search/layout_search.h"

namespace ringside
{

// On so many threads; 0: on this one. A fault ends the command.
SearchResult search_all(const Scenario& scenario, const SearchLimits& limits, std::size_t threads);

} // namespace ringside
