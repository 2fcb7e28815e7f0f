// The lower picture of serving, one of three: requests on slots (held back or let in), the pages of the
// cache, drafts of speculative decoding.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/serving/serving/desk.h"

namespace ringside
{

// `clock` in decoding steps. Returns the wish where something was pressed.
std::optional<ServingWish> draw_serving_strip(const Painter& painter, Rect area, const ServingDesk& desk,
                                              double clock);

} // namespace ringside
