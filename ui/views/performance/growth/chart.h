// Strong and weak scaling against the number of GPUs on a logarithmic axis: lines, sizes, the scenario's own,
// what lies out of reach at either end.
#pragma once

#include "core/performance/scaling_curve.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame.h"

namespace ringside
{

enum class GrowthShows : std::uint8_t
{
    mfu,
    per_gpu, // tokens a second and GPU
    all      // tokens a second
};

double growth_value(const ScalingPoint& point, GrowthShows shows);

void draw_growth_chart(const Painter& painter, Rect area, const ScalingSweep& sweep, GrowthShows shows,
                       Out& out);

} // namespace ringside
