// Curves over steps, each with its own mean over it, and the headings and first page of the lab's pictures.
#pragma once

#include "ui/widgets/plot.h"
#include "ui/widgets/sheet.h"

#include <span>
#include <string>

namespace ringside
{

struct StepCurve
{
    std::span<const float> values; // what is not finite is left out
    std::int64_t stride = 1;       // steps between two of them
    double from = 0;               // earlier steps are not drawn
    bool main = true;              // else thinner, dashed
    bool exact = false;            // drawn as it is, without its mean
    std::string name;              // at its right end
};

// From step 0 to the last, and all values.
PlotAxis step_axis(std::span<const StepCurve> curves);
PlotAxis value_axis(std::span<const StepCurve> curves, PlotScale scale = PlotScale::linear);
void draw_step_curve(const Painter& painter, Plot& plot, const StepCurve& curve);
// Title and, where there is room, what it says of itself.
void draw_head(const Painter& painter, Rect row, std::string_view title, std::string_view says);
// Wrapped text where there is still room for it, which is then taken off the area; else nothing.
void say_if_room(const Painter& painter, Rect& area, Type type, Colour colour, std::string_view words,
                 float gap);
// Before the first start: a title, what `words` puts below it, and one button. True when it was pressed.
bool draw_start_page(const Painter& painter, Rect area, const char* id, std::string_view title,
                     const std::function<void(Sheet&)>& words, const char* label, std::string_view key);

} // namespace ringside
