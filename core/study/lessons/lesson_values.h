// Numbers a lesson may ask for: every metric of a report and every number of its scenario, by name, and
// arithmetic over them.
#pragma once

#include "core/evaluate/report.h"

#include <map>
#include <string>
#include <string_view>

namespace ringside
{

// By name: "step.time_s", "parallel.tensor", "cluster.gpu.memory_gb". Switches are 0 or 1, choices the place
// of their word in the field's list.
using LessonValues = std::map<std::string, double, std::less<>>;

LessonValues lesson_values(const Scenario& scenario, const Report& report);

// Arithmetic and comparisons in muParser's notation, for example "step.bubble_of_total < 0.1 && memory.fits".
// Names are those of `now`, or of `before` with "before." in front. Issues: what does not parse, unknown
// names, a result that is not finite; their path is `path`.
Result<double> calculate(const std::string& expression, const LessonValues& now, const LessonValues& before,
                         const std::string& path);

} // namespace ringside
