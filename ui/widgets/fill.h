// How data is filled: plain, in two halves, hatched. A block on a lane, a part of a bar and their entry in a
// legend look alike because all three draw the same Fill.
#pragma once

#include "ui/draw/painter.h"

#include <functional>
#include <span>
#include <string>

namespace ringside
{

struct Fill
{
    Ink ink = {};       // of the ground; its edge goes round everything
    Colour half = 0;    // of the second half; 0: none
    bool under = false; // the second half lies below the first, else beside it
    float share = 0.5F; // of the first half
    Colour lines = 0;   // of the hatch over the ground; 0: none
    Hatch hatch = kIdleHatch;
};

Fill plain_fill(Colour colour);
Fill idle_fill(const Theme& theme);
// Time that is waited for communication.
Fill waiting_fill(const Theme& theme);
// Over what lies beyond a limit and keeps its colours.
Fill overflow_fill(const Theme& theme);

void draw_fill(const Painter& painter, Rect r, const Fill& fill);
// A small square at the left of a cell, as tables and rows have it before a name.
void draw_swatch(const Painter& painter, Rect cell, const Fill& fill);
inline constexpr float kSwatchRoom = 20; // [design px] of it

struct LegendItem
{
    std::string name;
    Fill fill = {};
    std::function<void(Rect)> box = {}; // what no fill can show
    float height = 14;                  // of its box [design px]
};
// As many as this many lines have room for, the first first. Returns the height used.
float draw_legend(const Painter& painter, Rect area, std::span<const LegendItem> items, int lines = 1);

} // namespace ringside
