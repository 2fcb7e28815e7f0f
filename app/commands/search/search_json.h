// What `ringside search --json` prints.
#pragma once

#include "core/planner/changes.h"
#include "core/planner/search/layout_search.h"
#include "core/scenario/presets.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace ringside
{

// US dollars per million tokens, or per step.
inline double usd_of(const Scenario& s, const Candidate& c)
{
    return c.gpu_seconds() / 3600 * s.cluster.usd_per_gpu_hour;
}
// The verdict on a candidate that may not fit: `capacity` in bytes.
inline MemoryVerdict verdict_of(const Candidate& c, double capacity)
{
    return c.bytes > capacity ? MemoryVerdict::no : c.tight ? MemoryVerdict::tight : MemoryVerdict::fits;
}

// The counts, the scenario's own layout and the first `top` rows.
nlohmann::json search_json(const Scenario& scenario, const SearchLimits& limits, const SearchResult& result,
                           std::size_t top, const Presets& presets);
nlohmann::json changes_json(const std::vector<Change>& changes, const Presets& presets);

} // namespace ringside
