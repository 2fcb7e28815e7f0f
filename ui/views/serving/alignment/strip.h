// The lower picture of alignment, one of three: DPO's loss over the two log-ratios, a reward pushed until it
// breaks, the advantages of a group. What is drawn is dragged or pressed.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/serving/alignment/desk.h"

namespace ringside
{

// The wish where something was moved.
std::optional<AlignmentWish> draw_alignment_strip(const Painter& painter, Rect area,
                                                  const AlignmentDesk& desk);

} // namespace ringside
