// The plan's own controls: which fleet fails how often, the interval, detection, restart, spares, where
// checkpoints go.
#pragma once

#include "ui/views/reliability/goodput/desk.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

// The desk's plan is changed in place.
void draw_goodput_panel(PanelColumn& column, RunDesk& desk);

} // namespace ringside
