// One step of an offloaded GPU on lanes: compute, PCIe both ways, the host's optimizer, the disks.
#pragma once

#include "core/base/names.h"
#include "core/performance/offload.h"
#include "ui/widgets/timeline.h"

namespace ringside
{

struct ShelfLanesStyle
{
    float label = 0; // left of the lanes [px]
    float pitch = 0; // height of a lane, gap included [px]
    double clock = 0;
    std::optional<std::size_t> lit; // the task under the mouse, and what it waited for
};

// The lanes that have something to do; compute always.
std::vector<OffloadLane> lanes_of(const OffloadReport& report);
// Draws them from the top of `area`. Returns the task under the mouse.
std::optional<std::size_t> draw_shelf_lanes(const Painter& painter, Rect area, const OffloadReport& report,
                                            TimeWindow window, const ShelfLanesStyle& style);
void shelf_tip(const Painter& painter, Rect bounds, const OffloadReport& report, std::size_t task);
template <>
inline constexpr auto kNamesOf<OffloadLane> = names<OffloadLane>("compute", "PCIe D2H", "PCIe H2D",
                                                                 "host update", "NVMe");

} // namespace ringside
