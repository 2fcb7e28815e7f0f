// The serving view's part of the panel: requests, bits, pages, and what they lead to.
#pragma once

#include "ui/views/serving/serving/desk.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

// Changes the wish in place.
void draw_serving_panel(PanelColumn& column, const ServingReport& report, ServingWish& wish, ByteUnit unit);

} // namespace ringside
