// The serving view's part of the panel: requests, bits, pages, and what they lead to.
#pragma once

#include "ui/views/serving/desk.h"
#include "ui/widgets/controls.h"

namespace ringside
{

// True when it changed the wish.
bool draw_serving_panel(const Painter& painter, Rect area, const ServingReport& report, ServingWish& wish,
                        TypedEntry& entry);

} // namespace ringside
