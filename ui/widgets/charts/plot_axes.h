// What the parts of a chart share of its axes.
#pragma once

#include "ui/widgets/charts/plot.h"

namespace ringside
{

inline constexpr float kBesideAxis = 12; // [design px] beside the area, for x's last number

// At most about so many numbers have room.
int ticks_along_x(const Painter& painter, float wide);
int ticks_along_y(const Painter& painter, float high);
// A value as the axis writes it, with the digits that it leaves out where it writes coarsely.
std::string value_words(const PlotAxis& axis, double value);
// The rules of a chart again, without words, where something was laid over them.
void draw_grid(const Painter& painter, const Plot& plot);

} // namespace ringside
