// A bar of parts, one after the other, upwards or to the right: each as its data is filled, named where that
// fits, and hatched over its colours beyond a limit. A bar by itself may be a tank; several stand side by
// side where the view gives them areas of one scale.
#pragma once

#include "ui/widgets/fill.h"

#include <optional>
#include <vector>

namespace ringside
{

struct BarPart
{
    double value = 0;
    Fill fill = {};
    std::string_view name = {}; // written in it where it fits
    std::string figure = {};    // the same, before the name
};

struct BarStyle
{
    double most = 1;        // value of the whole area; what is more is cut off
    bool up = true;         // from the bottom; else from the left
    double limit = 0;       // what lies beyond is hatched; 0: none
    bool walls = false;     // as a tank, with a line at its limit
    std::string over = {};  // on what lies beyond, in place of the parts' words
    float words_below = -1; // [px] parts have words only from here down; below 0: everywhere
    bool reads = true;      // a part with a name is read out; else the view reads out all of them
};

struct StackedBar
{
    std::vector<Rect> parts;
    Rect all;                           // of all parts
    std::optional<std::size_t> hovered; // the part that is pointed at
};

StackedBar draw_stacked_bar(const Painter& painter, Rect area, std::span<const BarPart> parts,
                            const BarStyle& style);
// Two strokes through a bar that is longer than there is room for.
void draw_break(const Painter& painter, Rect across);

} // namespace ringside
