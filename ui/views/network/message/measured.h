// The page of measured bus bandwidth: a ring and reduction in the switch on one system, as alpha-beta, as
// fitted, and as published.
#pragma once

#include "core/network/collective/measured.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

struct MeasuredLook
{
    std::size_t system = 1; // of measured_systems()
    double bytes = 1e9;     // of the message that is looked at
    bool bus = true;        // else algorithm bandwidth
};

void draw_measured_bus(const Painter& painter, Rect area, MeasuredLook& look, Out& out);
void panel_measured_bus(PanelColumn& column, MeasuredLook& look);
Caption measured_bus_caption(const MeasuredLook& look);

} // namespace ringside
