// Launches by the rules of a framework's file, and layouts read back from launches.
//
// A rule's field is one of a layout ("parallel.tensor", "training.schedule") or a count that follows from it:
// "layers per chunk"; "stages", whose list is counted; "micro-batches" of a step, the same only "without
// stages" or "with stages"; "sequences per GPU" that travel
// together; "training.sequence_length"; "within" or "across" with "tensor", "tensor and sequence", "context",
// "expert", "replicas", "shards" or "pipeline": the part of that group that stays in a node, and the rest.
#pragma once

#include "core/planner/launch/launch.h"
#include "core/planner/layout.h"
#include "core/scenario/framework.h"

namespace ringside
{

// Rules whose field is none of these: they would write nothing.
Issues launch_rule_faults(const Framework& framework);
// By the framework's own writer (launch_tools()), or by its rules. Empty where it has neither.
Launch write_launch(const Framework& framework, const Scenario& scenario);
// The layout that a launch of this framework says, for the model, GPUs and batch of the scenario. What the
// launch leaves to code is taken from what it says of that.
Layout read_launch(const Framework& framework, const Launch& launch, const Scenario& scenario);

} // namespace ringside
