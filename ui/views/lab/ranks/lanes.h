// The lanes of the ranks: as the last step ran, with its messages below each lane, and below that the
// prediction, on the same axis.
#pragma once

#include "ui/views/lab/ranks/moment.h"

namespace ringside
{

void draw_rank_lanes(const Painter& painter, Rect area, const RankMoment& moment);

} // namespace ringside
