// The three pages of the roofline view, their panel and their words.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/performance/roofline/state.h"
#include "ui/widgets/controls.h"

namespace ringside
{

// Rate against intensity, both logarithmic: the roofs, what kernels reach of them, and every kernel beneath.
void draw_roof(const Frame& frame, const Painter& painter, Rect area, RooflineState& state,
               const RooflineSheet& sheet, Out& out);
// One product in tiles, its tiles in waves over the multiprocessors, and its rate over the number of rows.
// `t` counts waves.
void draw_product(const Painter& painter, Rect area, RooflineState& state, const RooflineSheet& sheet,
                  double t, Out& out);
void draw_saw(const Painter& painter, Rect area, RooflineState& state, const RooflineSheet& sheet, Out& out);
// What blocks of a kernel take of one multiprocessor, and the occupancy over registers a thread.
void draw_occupancy(const Painter& painter, Rect area, RooflineState& state, const Scenario& scenario,
                    Out& out);

void draw_roofline_panel(const Painter& painter, Rect area, RooflineState& state, const RooflineSheet& sheet,
                         Out& out);

Caption roofline_caption(const RooflineState& state, const RooflineSheet& sheet);

// "989 TFLOP/s", "3.35 TB/s"
std::string flop_rate_words(double rate);
std::string byte_rate_words(double rate);
// "2490 FLOP/B"
std::string intensity_words(double intensity);
// Of a kernel, for a tooltip: what it does, moves, could reach and takes.
std::string kernel_words(const RooflineSheet& sheet, const RoofPoint& point, ByteUnit unit);
// "backward, weights"
std::string_view pass_words(KernelPass pass);

} // namespace ringside
