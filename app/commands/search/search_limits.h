// The options of `ringside search`, and the limits of a search that they say.
#pragma once

#include "app/commands/console/options.h"
#include "core/planner/search/layout_search.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct SearchOptions : CommonOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
    std::int64_t top = 10;
    std::string objective; // empty: step_time, or cost where GPUs are freed
    std::string framework; // empty: what the scenario's software is
    std::vector<std::string> forbid;
    std::vector<std::string> allow;
    std::vector<std::string> fix;
    std::vector<std::string> free;
    double headroom = SearchLimits().headroom;
    bool changes = false;
    bool csv = false;
    bool all_rows = false;
    bool serving = false;       // layouts that serve, not those that train
    std::optional<double> ttft; // [s] objective; nothing: the scenario's
    std::optional<double> tpot; // [s]
    std::optional<double> percentile;
};

// Ends the program with every fault of the options.
SearchLimits limits_of(const SearchOptions& options, const Scenario& scenario, const Presets& presets);

} // namespace ringside
