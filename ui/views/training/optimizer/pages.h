// The four pictures of the optimizer view: the rate over the run, a gradient against its largest norm, paths
// down a valley, and what a larger batch still buys.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/optimizer/state.h"

namespace ringside
{

void draw_rate_page(const Painter& painter, Rect area, OptimizerState& state, const Frame& frame, Out& out);
void draw_clip_page(const Painter& painter, Rect area, OptimizerState& state);
void draw_descent_page(const Painter& painter, Rect area, OptimizerState& state, const Frame& frame);
void draw_batch_page(const Painter& painter, Rect area, OptimizerState& state, const Frame& frame, Out& out);

// "12 000", "3.5 M": steps on an axis.
std::string step_number_words(double count);
// 0.0003 -> "3e-4"
std::string learning_rate_words(double rate);

} // namespace ringside
