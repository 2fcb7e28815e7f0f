// What the optimizer view says in its caption, page by page.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/training/optimizer/state.h"

namespace ringside
{

// The rate of a step with the numbers put in.
std::string rate_formula(const RateSchedule& schedule, std::int64_t step);

Caption optimizer_caption(const OptimizerState& state, const Frame& frame);

} // namespace ringside
