// Curves over steps: at most one point up and one down a pixel column, however long the run, with the curve's
// own mean over it.
#pragma once

#include "ui/widgets/painter.h"

#include <span>
#include <string>
#include <vector>

namespace ringside
{

struct StepPlot
{
    Rect area;           // of the curves
    double last = 1;     // step at the right edge; 0 is at the left
    double low = 0;      // at the bottom
    double high = 1;     // at the top
    bool powers = false; // low and high are exponents of ten

    float x(double step) const { return area.x + area.w * static_cast<float>(step / last); }
    float y(double value) const;
    double step_at(float x) const { return last * static_cast<double>((x - area.x) / area.w); }
};

struct StepCurve
{
    std::span<const float> values; // what is not finite is left out
    std::int64_t stride = 1;       // steps between two of them
    double from = 0;               // earlier steps are not drawn
    bool main = true;              // else thinner, dashed
    bool exact = false;            // drawn as it is, without its mean
    std::string name;              // at its right end
};

// The plot that shows these from the first step to the last, with room for names at its right.
StepPlot plot_of(Rect area, std::span<const StepCurve> curves, bool powers = false);
void draw_axes(const Painter& painter, const StepPlot& plot, float right);
void draw_step_curve(const Painter& painter, const StepPlot& plot, const StepCurve& curve);
// Names at the curves' ends, kept apart, up to `right`.
void draw_curve_names(const Painter& painter, const StepPlot& plot, std::span<const StepCurve> curves,
                      float right);
// Title and, where there is room, what it says of itself.
void draw_head(const Painter& painter, Rect row, std::string_view title, std::string_view says);
// Wrapped text where there is still room for it, which is then taken off the area; else nothing.
void say_if_room(const Painter& painter, Rect& area, Type type, Colour colour, std::string_view words,
                 float gap);

} // namespace ringside
