// The empty field of a chart: two axes, linear or logarithmic, their grid and numbers, and lines on it. What
// is drawn there and pressed is the view's.
#pragma once

#include "ui/widgets/painter.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace ringside
{

struct AxisScale
{
    double least = 0;
    double most = 1;
    bool logarithmic = false; // least and most above 0

    double place(double value) const; // 0 at least, 1 at most, and beyond
    double share(double value) const; // the same within 0 and 1
    double at(double share) const;    // the other way
    // Round values on it, at most so many: decades, or 1, 2 and 5 in each where there are few; even steps.
    std::vector<double> ticks(int most_of_them) const;
};

struct ChartField
{
    Rect area; // inside of the axes' numbers
    AxisScale x;
    AxisScale y;

    float px(double value) const { return area.x + area.w * static_cast<float>(x.share(value)); }
    float py(double value) const { return area.bottom() - area.h * static_cast<float>(y.share(value)); }
};

struct ChartPoint
{
    double x = 0;
    double y = 0;
};

struct AxisWords
{
    std::string_view title; // above the field, for y; below its numbers at the right, for x; may be empty
    std::function<std::string(double)> number; // null: no numbers
};

// Takes room for numbers and titles off `whole`; too small a field has an area of no width.
ChartField chart_field(const Painter& painter, Rect whole, AxisScale x, AxisScale y, const AxisWords& x_words,
                       const AxisWords& y_words);
// Grid, numbers and titles.
void draw_field(const Painter& painter, const ChartField& field, const AxisWords& x_words,
                const AxisWords& y_words);
// Clipped to the field.
void draw_curve(const Painter& painter, const ChartField& field, std::span<const ChartPoint> points,
                Colour colour, float thickness = 2, bool dashed = false);
// One line of words on a ground of its own, moved so that it stays inside the field; nothing where it is too
// wide. `x` is where it begins, or ends with Align::right.
void label_on_field(const Painter& painter, const ChartField& field, float x, float middle, Type type,
                    Colour colour, std::string_view words, Align align = Align::left);

} // namespace ringside
