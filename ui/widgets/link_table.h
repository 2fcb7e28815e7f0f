// What every kind of link carries in a step: a row each, with its bytes, how long it is busy, and with what.
#pragma once

#include "core/network/topology.h"
#include "ui/draw/painter.h"

namespace ringside
{

float link_table_height(const Painter& painter);
// Bars are as long as the link is busy, the hottest the longest. `domain` is what a domain is called.
void draw_link_table(const Painter& painter, Rect area, const Topology& topology, const Scenario& scenario,
                     std::string_view domain);

} // namespace ringside
