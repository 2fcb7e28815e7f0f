// A report as tables for others to go on with: Markdown to read, CSV to compute with.
#pragma once

#include "core/engine/report.h"

#include <string>

namespace ringside
{

// What it is about, memory with a row a stage, the step's parts, and every metric with its unit.
std::string report_markdown(const Scenario& scenario, const Report& report);
// One table of `metric,stage,value,unit`: every metric, whose stage is empty, then what each stage holds.
// Numbers in full.
std::string report_csv(const Scenario& scenario, const Report& report);

} // namespace ringside
