// Measured steps as people keep them: a table of separated values, a run a row. Columns are fields of the
// scenario by path ("parallel.tensor") or, where that is unique, by their last name ("tensor"); one column
// says how long the step took. What a row does not say is as in the scenario it starts from.
#pragma once

#include "core/evaluate/calibrate.h"

#include <string_view>

namespace ringside
{

inline constexpr std::size_t kMostMeasuredRows = 500;

// Whether the first row names a time column: "step_time_s", "step_time_ms" or "tokens_per_s".
bool is_measured_csv(std::string_view text);

// Commas, semicolons or tabs; "name" and "group" (rows that are left out together) may be columns too.
// Numbers as people type them ("16k"); a comma in one is decimal where columns are separated by something
// else, and else stands between thousands. Empty cells say nothing. Every fault by line and column, at
// most 20.
Result<MeasuredSet> measured_from_csv(std::string_view text, const Scenario& base, const Presets& presets);

} // namespace ringside
