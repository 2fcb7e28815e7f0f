// What a GPU sends against the number of ranks: flat where sums travel, growing where everything is gathered.
#pragma once

#include "core/performance/compression/wire.h"
#include "ui/draw/painter.h"

namespace ringside
{

// Both axes logarithmic, from 2 to 16 384 ranks, beside a dense BF16 ring; marks where they cross and the
// scenario's N.
void draw_growth(const Painter& painter, Rect area, const GradientProjection& projection,
                 const CompressionOptions& options);

} // namespace ringside
