// A plane with two axes, linear or logarithmic, to draw curves on and to drag things over: where a value
// lies, which value lies under the mouse, rules and numbers at round values.
#pragma once

#include "ui/widgets/painter.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

struct GraphAxis
{
    double from = 0;
    double to = 1;    // not `from`
    bool log = false; // both above 0 then
    int base = 10;    // of the powers that are written, 2 or 10; 2 where tens are few

    double share(double value) const; // 0 at `from`, 1 at `to`, held a little beyond both
    double value(double share) const;
    double held(double v) const; // between the ends
};

struct Graph
{
    Rect area;
    GraphAxis x;
    GraphAxis y;

    float px(double value) const { return area.x + area.w * static_cast<float>(x.share(value)); }
    float py(double value) const { return area.bottom() - area.h * static_cast<float>(y.share(value)); }
    ImVec2 at(double vx, double vy) const { return {px(vx), py(vy)}; }
    double vx(float pixel) const { return x.value(static_cast<double>((pixel - area.x) / area.w)); }
    double vy(float pixel) const { return y.value(static_cast<double>((area.bottom() - pixel) / area.h)); }
    bool drawable(const Painter& p) const { return area.w > p.px(40) && area.h > p.px(24); }
};

struct GraphPoint
{
    double x;
    double y;
};

// About `wanted` round values from one end to the other; powers of the base on a logarithmic axis.
std::vector<double> round_values(const GraphAxis& axis, int wanted);

using TickWords = std::function<std::string(double)>;
// Rules across the area with numbers left of it, or below; those that would touch the one before are left
// out.
void draw_y_axis(const Painter& painter, const Graph& graph, const TickWords& words);
void draw_x_axis(const Painter& painter, const Graph& graph, const TickWords& words);
// Above the area at its left, with room made by the caller.
void draw_graph_title(const Painter& painter, Rect row, std::string_view title, std::string_view says = {});

struct CurveStroke
{
    Colour colour = 0;
    float thickness = 2; // [design px]
    bool dashed = false;
};
// Clipped to the area.
void draw_curve(const Painter& painter, const Graph& graph, std::span<const GraphPoint> points,
                CurveStroke stroke);
// A name beside a point on a ground of its own, moved to stay inside the area.
void draw_label(const Painter& painter, Rect inside, ImVec2 at, std::string_view words, bool strong = false);

// A knob that is dragged with the mouse, or moved with the arrow keys once it has the keyboard.
struct Grip
{
    bool held = false;
    bool hovered = false;
    int steps = 0; // -1 or 1 by an arrow key
};
Grip draw_grip(const Painter& painter, ImVec2 at, const char* label);

} // namespace ringside
