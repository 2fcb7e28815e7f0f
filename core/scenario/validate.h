// Whether the fields of a scenario agree: everything that must divide, every combination that cannot run.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace ringside
{

// Every problem, each with a fix that was tried (fit.h). Errors mean that nothing can be computed; warnings
// the user should know.
Issues validate(const Scenario& scenario);
// The errors alone, without trying what would help: for callers that ask about many scenarios.
Issues faults(const Scenario& scenario);

// The model with every derived field filled in: kv_heads, head_dim, ffn, expert_ffn.
Model resolved(Model model);

} // namespace ringside
