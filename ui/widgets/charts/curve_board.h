// Paper over the charts of a picture, on which a class draws what it expects before it sees the curves. While
// one is given (Marks::board) a chart shows its axes alone, takes strokes and tells the board its curves; the
// shell keeps the hands (ui/shell/guide/class_curve.h). Views know nothing of it.
//
// A chart is found again by its area, so it is known from its second frame on; until then it shows nothing.
#pragma once

#include "core/study/lessons/drawn_curve.h"
#include "ui/widgets/charts/plot.h"

namespace ringside
{

// One that can be drawn: it goes on along x.
struct BoardCurve
{
    std::string name; // may be empty
    std::vector<CurvePoint> points;

    bool operator==(const BoardCurve&) const = default;
};

struct BoardChart
{
    Rect area;
    PlotAxis x;
    PlotAxis y;
    std::string title;
    std::vector<BoardCurve> curves; // none: the chart has points or bands only, and is not hidden

    CurveAxes axes() const;
};

struct BoardHand
{
    std::span<const CurvePoint> points;
    Colour colour = 0;
    float thickness = 2;   // [design px]
    std::string name = {}; // written at its end
};

struct BoardStroke
{
    std::size_t chart = 0;
    bool begins = false;
    CurvePoint at;
};

struct CurveBoard
{
    float shown = 0;                // how much of each chart, from the left, has its curves
    std::vector<BoardChart> charts; // of this frame, as far as they are drawn
    std::vector<BoardChart> before; // of the last frame
    std::size_t chosen = 0;         // of `before`: the one with the hands
    std::vector<BoardHand> hands;
    std::optional<CurvePoint> at;      // the keyboard is there
    std::optional<BoardStroke> stroke; // of this frame

    // The chart's number in the last frame.
    std::optional<std::size_t> index_of(const Rect& area) const;
};

// Null: nobody draws.
CurveBoard* board_of(const Painter& painter);
// Whether the chart is to show its axes alone.
bool awaits_guesses(const Painter& painter, const Rect& area);
// Also while the curves come into sight: what stands beside them waits.
bool is_covered(const Painter& painter, const Rect& area);
// For axes, which keep their figures on paper.
Look axes_look(const Painter& painter);

// What a chart does with the board when its axes are drawn, and when all of it is.
void begin_on_board(const Painter& painter, Plot& plot);
void end_on_board(const Painter& painter, const Plot& plot);
// The curve's points in ascending x, without what is no number; none where it does not go on along x.
std::vector<CurvePoint> board_points(const Plot& plot, std::span<const PlotPoint> points);

} // namespace ringside
