// How far computed step times are from measured ones, before and after fitting; what a person can paste where
// there are none.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/shell/measured_frame.h"

namespace ringside
{

void draw_measured_chart(const Painter& painter, Rect area, const MeasuredFrame& measured);
// A table to start from, in the columns that are read.
std::string measured_example(const Scenario& scenario);
void draw_measured_empty(const Painter& painter, Rect area, const Scenario& scenario, Out& out);

} // namespace ringside
