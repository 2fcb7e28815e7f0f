// A chart's frame: two axes, linear or logarithmic, their ticks, lines clipped to them, and labels that find
// a free place or stay away. What is drawn there and pressed is the view's.
#pragma once

#include "ui/widgets/painter.h"

#include <functional>
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
    int base = 10;            // of a logarithmic axis' ticks, 2 or 10

    double share(double value) const; // 0 at low, 1 at high, beyond them outside
    double at(double share) const;
    double held(double value) const; // between low and high
};

// Round values inside the axis, at most about so many: when logarithmic 1, 2 and 5 in each decade where there
// are few, else decades, or powers of two. None where high is not above low.
std::vector<double> chart_ticks(const ChartAxis& axis, int most);

struct ChartPoint
{
    double x = 0;
    double y = 0;
};

struct Chart
{
    Rect area; // of the lines, without the words round it
    ChartAxis x;
    ChartAxis y;
    float left = 0; // [px] of room beside the area, for the numbers of y

    void cut_left(float room); // for the numbers of y
    bool drawable(const Painter& painter) const;
    ImVec2 at(double vx, double vy) const; // clamped to the area
    // Beyond the area for values beyond the axes, so that a line that leaves it keeps its slope.
    float at_x(double value) const;
    float at_y(double value) const;
    double x_of(float pixel) const; // clamped to the axis
    double y_of(float pixel) const;
};

using AxisWords = std::function<std::string(double)>; // of a number; null, for x only: no numbers

// The room that y's numbers need left of a chart. [px]
float chart_left(const Painter& painter, const ChartAxis& y, const AxisWords& words);
// What is left of `whole` without the room for titles and numbers, of x only with `below`. Too small a chart
// has an area of no height.
Chart chart_in(const Painter& painter, Rect whole, float left, ChartAxis x = {}, ChartAxis y = {},
               bool below = true);
// In a row above the chart: what it is of, and, where there is room, what is to know.
void draw_chart_title(const Painter& painter, Rect row, std::string_view title, std::string_view says = {});
// Grid, numbers as far as they do not touch, without needless zeros, and the axis's title, which may be
// empty.
void draw_chart_x(const Painter& painter, const Chart& chart, std::string_view title, const AxisWords& words);
void draw_chart_y(const Painter& painter, const Chart& chart, std::string_view title, const AxisWords& words);
// Joined, clipped to the chart. Points that are not finite break the line. `thickness` is in design px.
void draw_chart_line(const Painter& painter, const Chart& chart, std::span<const ChartPoint> points,
                     Colour colour, float thickness = 2);

// A name on a ground of its own that begins at a point, moved to stay inside.
void draw_chart_label(const Painter& painter, Rect inside, ImVec2 at, std::string_view words,
                      bool strong = false);

// Labels of one drawing, in order of importance, each on a ground of its own.
class FreeLabels
{
public:
    explicit FreeLabels(Rect bounds) : bounds_(bounds) {}

    void take(Rect r) { taken_.push_back(r); }
    // Stays off a line of the chart where put() has a choice.
    void avoid(const Chart& chart, std::span<const ChartPoint> line);
    void avoid(ImVec2 from, ImVec2 to) { lines_.push_back({from, to}); }
    // At the first of right, left, above, below and the corners of `at` that is free, and of those the first
    // that no line crosses. False when none is.
    bool put(const Painter& painter, ImVec2 at, float distance, Type type, Colour colour,
             std::string_view text);
    // Beside a line, as near to where it ends or leaves the chart as no line crosses.
    bool put_along(const Painter& painter, const Chart& chart, std::span<const ChartPoint> line, Type type,
                   Colour colour, std::string_view text);
    // Moved so that it stays inside the bounds; `x` is where it begins, or ends with Align::right. False when
    // it is too wide, or others are there.
    bool put_inside(const Painter& painter, float x, float middle, Type type, Colour colour,
                    std::string_view text, Align align = Align::left);

private:
    struct Segment
    {
        ImVec2 from;
        ImVec2 to;
    };

    struct Place
    {
        Rect r;
        bool crossed = false;
    };

    std::optional<Place> place(const Painter& painter, ImVec2 at, float distance, Type type,
                               std::string_view text) const;
    bool is_free(Rect r) const;
    bool is_crossed(Rect r) const;
    void write(const Painter& painter, Rect r, Type type, Colour colour, std::string_view text);

    Rect bounds_;
    std::vector<Rect> taken_;
    std::vector<Segment> lines_;
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
