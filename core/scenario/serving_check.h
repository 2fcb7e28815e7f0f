// What of a scenario's `serving` cannot be: layouts that do not cut the model, more GPUs than there are.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace ringside
{

// Nothing where the scenario describes no serving. Whether it fits is a result, no fault.
Issues serving_issues(const Scenario& scenario);

} // namespace ringside
