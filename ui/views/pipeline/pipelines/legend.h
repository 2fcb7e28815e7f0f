// What the colours of the pipelines view mean.
#pragma once

#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

struct PipelineLegend
{
    bool counts_kept = false;                     // numbers beside the lanes
    std::optional<std::int32_t> micro_batch = {}; // whose path is lit
    bool chunks = false;                          // some stage holds more than one
};

// As many of its items as the row has room for, the most needed first.
void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend);

} // namespace ringside
