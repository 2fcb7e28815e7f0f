// One number in every format: range against precision with the number's place in it, the numbers beside it,
// and its bits, each of which can be turned over.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/formats/state.h"

namespace ringside
{

void draw_format_range(const Painter& painter, Rect area, FormatsState& state, FormatId shown);
void draw_format_line(const Painter& painter, Rect area, FormatsState& state, FormatId shown);
void draw_format_bits(const Painter& painter, Rect area, FormatsState& state, FormatId shown);

// The whole page.
void draw_bits_page(const Painter& painter, Rect area, FormatsState& state, const Frame& frame);

} // namespace ringside
