// What a lesson changes in a scenario, and what it lets a user change.
#pragma once

#include "core/base/json/json.h"
#include "core/scenario/presets.h"

namespace ringside
{

// The scenario with values set by path.
Result<Scenario> with_sets(const Scenario& scenario, const nlohmann::json& sets, const Presets& presets,
                           const std::string& path);

// The paths in which two scenarios differ, in the words of their JSON: "parallel.tensor", "model".
std::vector<std::string> changed_paths(const Scenario& from, const Scenario& to, const Presets& presets);
// Whether a user who may change `free` may make `to` of `from`: at least one of these fields, and beside
// them only what has to follow (a layout made to suit another model, stages cut anew).
bool may_change(const Scenario& from, const Scenario& to, const std::vector<std::string>& free,
                const Presets& presets);

} // namespace ringside
