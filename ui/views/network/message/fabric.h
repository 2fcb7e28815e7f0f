// The page of the fabric between nodes: rails, leaf and spine switches, the way of a message, and how many
// GPUs switches join.
#pragma once

#include "core/network/scale_out.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

struct FabricLook
{
    FabricPlace from{0, 1};
    FabricPlace to{2, 5};
    bool forwarding = false; // PXN
    std::int64_t ports = kSwitchPorts;
    std::int64_t planes = 8;
};

void draw_fabric(const Painter& painter, Rect area, FabricLook& look, Out& out);
void panel_fabric(PanelColumn& column, FabricLook& look);
Caption fabric_caption(const FabricLook& look);

} // namespace ringside
