// Ranks on a circle with a switch in their middle, or in the trees that the collective runs on: what each
// holds as a doughnut of chunks, what moves as packets with the set of summands round them.
#pragma once

#include "core/network/collective/collective.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

struct RingStyle
{
    std::optional<std::size_t> selected;
    bool letters = true; // chunk names in the sectors
    bool dots = true;    // summands round each packet
};

// [px] How far from its middle a ring of `ranks` in the area leaves room between ranks and packets.
float room_in_ring(const Painter& painter, Rect area, std::size_t ranks);

// The collective at `t` steps (0 to steps.size(), fractions between). Returns the rank under the mouse.
std::optional<std::size_t> draw_ring(const Painter& painter, Rect area, const Collective& collective,
                                     double t, const RingStyle& style);

// "a" to "p".
std::string chunk_name(std::size_t chunk);

// What is drawn of a rank: its chunks; of an all-to-all the blocks for it, one a sender.
std::vector<Contributors> shown_of(const Collective& collective, const Holdings& held, std::size_t rank);

// Rows of chunks, squares of contributors: solid held, outlined arriving.
void draw_holdings(const Painter& painter, Rect area, const Collective& collective, double t,
                   std::size_t rank);

} // namespace ringside
