// What can be wrong with a file of cases before anything is computed, the same for `validate` and
// `calibrate`: a check that is mistyped must not pass because it checks nothing.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

namespace ringside
{

// Steps outside these were mistyped, and errors relative to them say nothing: a nanosecond to thirty years.
inline constexpr double kLeastStepSeconds = 1e-9;
inline constexpr double kMostStepSeconds = 1e9;

constexpr bool is_step_time(double seconds)
{
    return seconds >= kLeastStepSeconds && seconds <= kMostStepSeconds;
}

// Faults of the document but for its cases: schema, list of cases, set and weight.
Issues check_cases_document(const nlohmann::json& document);
// Faults of one case but for its scenario; `path` is "cases[3]".
Issues check_case(const nlohmann::json& entry, const std::string& path);
// Adds the errors of what stands at `path`, without warnings.
void add_errors(const std::string& path, const Issues& found, Issues& issues);

} // namespace ringside
