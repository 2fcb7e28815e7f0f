// The marks of a picture: bars, dots, blocks on lanes, stops along curves. Each has a read-out, which shows
// while the mouse or the keyboard points at it. Whatever draws a mark lists it; the shell lets the arrow keys
// walk along the list (ui/shell/mark_walk.h).
#pragma once

#include <vector>

namespace ringside
{

struct PictureMark
{
    float x = 0, y = 0, w = 0, h = 0; // [px]
    int curve = 0;                    // up and down leave the curve; 0: the mark is on none
};

struct CurveBoard;

struct Marks
{
    std::vector<PictureMark> all; // of this frame, in the order in which they are drawn
    int curves = 0;               // of this frame
    bool walking = false;         // the keyboard points, so the mouse does not
    bool entered = false;         // Enter was pressed on the mark that the keyboard points at
    CurveBoard* board = nullptr;  // that a class draws on (ui/widgets/charts/curve_board.h); null: none
};

} // namespace ringside
