// The options of a step in the panel: those the strategy on show has.
#pragma once

#include "core/performance/step_life.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

// True when something was changed in `options`.
bool draw_step_panel(PanelColumn& column, StepOptions& options, const StepLife& life);

} // namespace ringside
