// A chart: two axes, linear or logarithmic, and on them lines, points, bands, rules, what is dragged, and
// words that keep off one another and off the lines. Values go in, values come back.
//
// A line's name has its colour and stands nearer to it than to any other, or a line leads to it. Every line
// and point is read out where it is pointed at: lines are listed as marks at places that lie apart.
#pragma once

#include "ui/widgets/controls.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

class Labels;
struct CurveName;

enum class PlotScale
{
    linear,
    log, // ticks at 1, 2, 5 or decades
    log2 // ticks at powers of two
};

using AxisWords = std::function<std::string(double)>; // of a number; null: no numbers and no grid

struct PlotAxis
{
    double low = 0; // above 0 when logarithmic
    double high = 1;
    PlotScale scale = PlotScale::linear;
    std::string title = {};
    AxisWords words = nullptr;
    std::vector<double> ticks = {}; // in place of round ones

    double share(double value) const; // 0 at low, 1 at high, beyond them outside
    double at(double share) const;
    double clamped(double value) const; // between low and high
};

// Round values inside the axis, at most about so many. None where high is not above low.
std::vector<double> axis_ticks(const PlotAxis& axis, int most);

// As they stand beside the axis: without zeros at their ends, but where a "2.00" stands beside a "1.95".
std::vector<std::string> axis_numbers(std::span<const double> ticks, const PlotAxis& axis);

// "8 B", "150 M", "1.5 T" without zeros at the end: parameters, tokens.
std::string count_words(double value);
// "1e21"
std::string power_words(double value);
// The power of two of an exponent: "2⁻¹⁴", "1" for 0; of whole ones only.
std::string two_to_the(double exponent);

struct PlotPoint
{
    double x = 0;
    double y = 0;
};

// Points of a function, at `many` + 1 places of an axis.
template <typename F>
std::vector<PlotPoint> sampled(const PlotAxis& x, F value, int many = 160)
{
    std::vector<PlotPoint> points;
    for (int i = 0; i <= many; ++i)
    {
        const double at = x.at(static_cast<double>(i) / many);
        points.push_back({at, value(at)});
    }
    return points;
}
// Values at 0, 1, 2 ...
template <typename Values>
std::vector<PlotPoint> series(const Values& values)
{
    std::vector<PlotPoint> points;
    for (const auto value : values)
    {
        points.push_back({static_cast<double>(points.size()), static_cast<double>(value)});
    }
    return points;
}
// Level from each point to the next, and one further at the end where it goes `on`.
std::vector<PlotPoint> stairs(std::span<const PlotPoint> points, bool on = true);

struct PlotStroke
{
    Mark colour = {};
    float thickness = 2; // [design px]
    bool dashed = false;
};

enum class PlotShape
{
    disc,
    ring,
    cross,
    diamond
};

struct PlotDot
{
    Mark colour = {};
    float radius = 5; // [design px]
    PlotShape shape = PlotShape::disc;
    bool circled = false;  // a second ring, round what is chosen
    std::string name = {}; // in its read-out
};

struct PlotFrame
{
    std::string_view title = {}; // in a row above
    std::string_view note = {};  // beside the title, where there is room
    std::string_view part = {};  // the chart's name for lessons
    std::string_view reads = {}; // what its values are, in its read-out where no title says it
    float names = 0;             // [design px] at the right for the lines' names; 0: beside the lines
    float above = 0;             // [px] of room between the title and the lines
    float left = 0;              // [px] for the numbers of y, where several charts have one left edge
    bool enlarges = false;       // a part of another chart, which alone has the read-outs
};

// What a user does with something that can be moved.
struct PlotMove
{
    std::optional<PlotPoint> to; // by the mouse, within the axes
    int steps = 0;               // by the arrow keys
    bool hovered = false;

    // Where it goes along an axis; a key adds `step`, or multiplies by it on a logarithmic axis.
    std::optional<double> x(double step) const;
    std::optional<double> y(double step) const;

    PlotPoint from = {};
    bool log_x = false;
    bool log_y = false;
};

struct PlotField
{
    bool hovered = false;
    bool held = false;
    PlotPoint at; // under the mouse
};

struct PlotPick
{
    std::optional<std::size_t> at; // the point that is pointed at
    bool clicked = false;          // or Enter was pressed on it
};

class Plot
{
public:
    Plot(const Painter& painter, Rect whole, PlotAxis x_axis, PlotAxis y_axis, const PlotFrame& frame = {});
    ~Plot();
    Plot(const Plot&) = delete;
    Plot& operator=(const Plot&) = delete;

    // False: there is no room, and says so.
    explicit operator bool() const { return room_; }

    ImVec2 at(PlotPoint v) const; // clamped to the area
    // Beyond the area for values beyond the axes, so that a line that leaves it keeps its slope.
    float at_x(double value) const;
    float at_y(double value) const;
    double x_of(float pixel) const; // clamped to the axis
    double y_of(float pixel) const;
    bool inside(PlotPoint v) const;
    Rect rect(double x1, double x2, double y1, double y2) const; // clamped to the area

    // Joined and clipped; what is not finite breaks it.
    void line(std::span<const PlotPoint> points, PlotStroke stroke, std::string name = {},
              bool strong = false);
    void line(std::initializer_list<PlotPoint> points, PlotStroke stroke, std::string name = {})
    {
        line(std::span(points.begin(), points.size()), stroke, std::move(name));
    }
    // Words stay off what is drawn here by hand.
    void avoid(std::span<const PlotPoint> points) { line(points, {}); }
    void avoid(std::initializer_list<PlotPoint> points) { line(points, {}); }
    void fill(std::span<const PlotPoint> low, std::span<const PlotPoint> high, Colour colour) const;
    void fill_below(std::span<const PlotPoint> line, Colour colour) const;
    // From one side to the other, hatched where a hatch is given; words in it where they fit.
    void band_x(double from, double to, Colour colour, std::string_view words = {},
                std::optional<Hatch> hatch = {});
    void band_y(double from, double to, Colour colour, std::string_view words = {},
                std::optional<Hatch> hatch = {});
    // Across the chart at a value, named where there is room; with an id it can be moved.
    PlotMove rule_x(double x, PlotStroke stroke, std::string words = {}, const char* id = nullptr);
    PlotMove rule_y(double y, PlotStroke stroke, std::string words = {}, const char* id = nullptr);
    // A rule with what lies beyond it hatched.
    PlotMove limit_x(double x, std::string words, const char* id = nullptr);
    PlotMove limit_y(double y, std::string words, const char* id = nullptr);

    void dot(PlotPoint v, const PlotDot& look);
    // One of many, which words may cover.
    void speck(PlotPoint v, const PlotDot& look);
    // One that can be pressed.
    Press dot(PlotPoint v, const PlotDot& look, const std::string& id, std::string_view tip);
    // The press without its drawing.
    Press ask(PlotPoint v, float radius, const std::string& id, std::string_view tip);
    // The one of many points that is under the mouse, which gets a ring.
    PlotPick pick(std::span<const PlotPoint> points, const char* id);
    // A handle. Before field() and pick(): what was there first has the mouse.
    PlotMove grip(PlotPoint v, const char* id, std::string words = {});
    PlotField field(const char* id);
    void tip(std::string_view heading, std::span<const TipLine> lines, std::string_view foot = {}) const;

    // Beside a point, the important ones first; written when all lines are known.
    void label(PlotPoint v, std::string words, bool strong = false, float distance = 8);
    // Writes the names at the right now, for a picture in which they are pressed: where they stand, by line.
    std::vector<Rect> names();

    Rect area; // of the lines, without the words round it
    const PlotAxis x;
    const PlotAxis y;

private:
    struct Words
    {
        std::vector<ImVec2> path; // one point: round it; else along it, from its end
        float distance = 0;
        std::string words;
        bool strong = false;
        bool column = false; // at the right
        bool joined = false; // to the line's end
        bool sinks = false;  // to where no line crosses it
        Mark mark = {};      // of the line it names
        std::size_t curve = 0;
    };
    struct Curve
    {
        std::vector<PlotPoint> points;
        Mark mark;
        std::string name;
        std::vector<ImVec2> rule = {};
    };
    // A point that can be read out.
    struct Reading
    {
        PlotPoint at;
        Mark mark;
        std::string name;
    };

    Colour words_colour(const Words& words) const;
    void put(const Words& words);
    // The area as one item for the mouse.
    const Press& touch(const char* id);
    bool pointed() const;
    // Whether what is dragged, and has a read-out of its own, lies there.
    bool on_handle(ImVec2 at) const;
    // The point of these, in pixels, that is nearest to the mouse and near to it.
    std::optional<Reading> reading_at(ImVec2 mouse) const;
    void list_marks() const;
    void list_dots(std::vector<PlotPoint> dots) const;
    void read_out();
    void show(const Reading& reading);
    void record() const;

    void draw_x(float least) const;
    // Without what lies beyond the sides, and of each pixel column at most the lowest, the highest and the
    // last, so that a long run draws as fast as a short one.
    std::vector<PlotPoint> thinned(std::span<const PlotPoint> points) const;
    void stroke(std::span<const ImVec2> path, const PlotStroke& stroke) const;
    void rule(const std::array<ImVec2, 2>& path, const PlotStroke& stroke, std::string words);
    void draw_dot(ImVec2 at, const PlotDot& dot, bool lit) const;
    PlotMove moved(const Press& press, PlotPoint from) const;
    void finish();

    const Painter& p_;
    bool room_ = false;
    bool enlarges_ = false;
    bool column_ = false; // names stand at the right
    std::string title_;   // of the chart, for what has no name
    std::unique_ptr<Labels> labels_;
    std::vector<Words> words_;
    std::vector<Curve> curves_; // a rule has no points
    std::vector<Reading> dots_;
    std::optional<Press> touch_;
    bool on_rule_ = false;           // the mouse, and not dragging it
    bool picks_ = false;             // the view's points are listed as marks
    mutable bool tip_shown_ = false; // the view has a tip of its own
    std::vector<Rect> handles_;
    std::vector<CurveName> named_;
};

// The room that y's numbers, about so many, need left of a chart. [px]
float plot_left(const Painter& painter, const PlotAxis& y, int most = 8);
// Rules across with their numbers in `left` pixels beside the area, and the title above.
void draw_axis_y(const Painter& painter, Rect area, const PlotAxis& y, float left);
// In a row above a picture: what it is of, where there is room what is to know, and its figure at the right.
void draw_chart_title(const Painter& painter, Rect row, std::string_view title, std::string_view note = {},
                      std::string_view figure = {});

// A point that can be taken hold of. Returns where the mouse wants it while it drags.
struct PlotGrip
{
    std::optional<ImVec2> to;
    int steps = 0; // by the arrow keys
    bool hovered = false;
};
PlotGrip draw_grip(const Painter& painter, ImVec2 at, const char* label, Colour colour);

// A thin line of this data that no legend names: its edge where the fill is close to the window.
Colour line_colour(const Ink& ink);
} // namespace ringside
