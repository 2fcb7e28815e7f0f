// `ringside search --serving`: layouts that serve a scenario's requests, ranked by goodput.
#pragma once

#include "app/commands/search/search_limits.h"

namespace ringside
{

// Exit status: 1 where no layout holds the objective.
int run_serving_search(const SearchOptions& options, const Presets& presets, Scenario scenario);

} // namespace ringside
