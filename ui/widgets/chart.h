// A chart's frame: two axes, linear or logarithmic, their ticks, lines clipped to them, and labels that find
// a free place or stay away. Knows nothing of what it shows.
#pragma once

#include "ui/widgets/painter.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

struct ChartAxis
{
    double low = 0;
    double high = 1;
    bool logarithmic = false; // low above 0

    double share(double value) const; // 0 at low, 1 at high, beyond them outside
    double at(double share) const;
};

// Round values inside the axis, at most about so many: decades or their 1, 2, 5 parts when logarithmic.
std::vector<double> chart_ticks(const ChartAxis& axis, int most);

struct Chart
{
    Rect area; // of the lines, without the words round it
    ChartAxis x;
    ChartAxis y;

    ImVec2 at(double vx, double vy) const; // clamped to the area
    float at_x(double value) const;
    float at_y(double value) const;
    double x_of(float pixel) const;
    double y_of(float pixel) const;
};

using AxisWords = std::string (*)(double);

// Takes room for ticks and titles off `area`; too small a chart has an area of no height.
Rect chart_area(const Painter& painter, Rect area, float left, float right);
void draw_chart_x(const Painter& painter, const Chart& chart, std::string_view title, AxisWords words);
void draw_chart_y(const Painter& painter, const Chart& chart, std::string_view title, AxisWords words);
// Joined, clipped to the chart. Points that are not finite break the line.
void draw_chart_line(const Painter& painter, const Chart& chart, std::span<const ImVec2> points,
                     Colour colour, float thickness);

// Labels of one drawing, in order of importance.
class FreeLabels
{
public:
    explicit FreeLabels(Rect bounds) : bounds_(bounds) {}

    void take(Rect r) { taken_.push_back(r); }
    // On a ground of its own, at the first of right, left, above and below of `at` that is free. False when
    // none is.
    bool put(const Painter& painter, ImVec2 at, float distance, Type type, Colour colour,
             std::string_view text);

private:
    bool free(Rect r) const;

    Rect bounds_;
    std::vector<Rect> taken_;
};

// A point that can be taken hold of. Returns where the mouse wants it while it drags.
struct ChartGrip
{
    std::optional<ImVec2> to;
    int steps = 0; // by the arrow keys
    bool hovered = false;
};
ChartGrip draw_chart_grip(const Painter& painter, ImVec2 at, const char* label, Colour colour);

// What a line of this data is drawn with: its edge where the fill is close to the window.
Colour line_colour(const Ink& ink);
// "8 B", "150 M", "1.5 T" without zeros at the end: parameters, tokens.
std::string count_words(double value);
// "1e21"
std::string power_words(double value);

} // namespace ringside
