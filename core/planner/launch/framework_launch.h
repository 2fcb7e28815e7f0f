// Launches by the rules of a framework's file, and scenarios read back from them.
#pragma once

#include "core/planner/launch/launch.h"
#include "core/planner/layout.h"
#include "core/scenario/framework.h"

namespace ringside
{

// Rules that are no formulas, or whose field is none.
Issues launch_rule_faults(const Framework& framework);
// By the framework's own writer (launch_tools()), or by its rules. `version` is one of framework.versions,
// named in each file; others are the newest.
Launch write_launch(const Framework& framework, const Scenario& scenario, std::string_view version = {});
// What a launch of this framework comes to. What it says nothing of and no framework would, its cluster for
// one, is as in `about`; what it leaves to code is taken from what it says of that.
Scenario read_scenario(const Framework& framework, std::string_view version, const Launch& launch,
                       const Scenario& about);
Layout read_launch(const Framework& framework, const Launch& launch, const Scenario& scenario);
// The fields that a launch of this framework is compared in: those of its rules and of the whole layout.
std::vector<std::string> launch_fields(const Framework& framework);
// With fields that mean nothing in it as if they were not set: chunks without a pipeline.
Scenario without_idle_fields(Scenario scenario);

} // namespace ringside
