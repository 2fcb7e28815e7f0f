// Values over steps, each line named with its last value, and the step on show, which is moved by dragging.
#pragma once

#include "ui/widgets/charts/plot.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

struct PlotSeries
{
    std::string name;
    std::vector<double> values; // at steps 0, 1, 2 ...
    PlotStroke stroke;
    bool chosen = false; // named boldly
};

// The step that is pressed, where it is another.
std::optional<double> draw_series(const Painter& painter, Rect area, const PlotFrame& frame, const char* id,
                                  PlotAxis values, std::size_t step, std::span<const PlotSeries> all);

} // namespace ringside
