// Batch against latency, and below it against throughput: rooflines of reading and multiplying, what fits,
// and the person's own point, which can be dragged.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/serving/serving/desk.h"

namespace ringside
{

// The batch that it was dragged to.
std::optional<std::int64_t> draw_serving_curves(const Painter& painter, Rect area, const ServingDesk& desk);

} // namespace ringside
