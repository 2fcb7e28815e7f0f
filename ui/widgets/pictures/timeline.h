// Lanes over time: a row for everything that works, what it does as blocks, the axis below. A view says what
// lies on which lane and when; where that is, what of it fits and what the mouse is over is found here.
//
// Where blocks are narrower than three pixels, each pixel column shows how much of it they fill.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/fill.h"

#include <initializer_list>
#include <optional>
#include <vector>

namespace ringside
{

// The stretch of time that fills the width.
struct TimeWindow
{
    double from = 0;
    double to = 1;

    float x(Rect area, double t) const
    {
        return area.x + static_cast<float>((t - from) / (to - from)) * area.w;
    }
    double t(Rect area, float at) const
    {
        return from + (to - from) * static_cast<double>((at - area.x) / std::max(1.0F, area.w));
    }
};

// Which stretch is in sight: the wheel zooms about the cursor, dragging moves, W S A D F do both.
class TimeZoom
{
public:
    // What is in sight of a timeline of length `all`.
    TimeWindow window(double all) const;
    void reset() { zoomed_.reset(); }
    // The mouse over `field`, the lanes without their names.
    void mouse(Rect field, double all);
    // About `about`, or the edge of what is in sight that is nearest to it.
    void zoom(double about, double factor, double all);
    void aside(double share, double all); // of what is in sight

private:
    void move(double by, double all);

    std::optional<TimeWindow> zoomed_;
};

struct LaneName
{
    std::string words;
    std::string below = {}; // under them, where the lane is high enough
    std::string value = {}; // right of them
    std::string empty = {}; // on the lane: why nothing is
    bool strong = false;
    std::string brief = {}; // in place of the words where these have no room
};

struct LaneStyle
{
    float pitch = 0;    // height of a lane, gap included [px]
    float label = 0;    // left of the lanes [px]
    float strip = 0;    // below each lane, left free for the caller [px]
    bool ground = true; // lanes have one
};

// Space between two lanes, part of their pitch.
float lane_gap(const Painter& painter, float pitch);
// Lane heights that fill `height`, at most `most` design pixels each, gap included.
float lane_pitch(const Painter& painter, float height, std::size_t lanes, float most = 36);

// Draws names and grounds, then what it is given, clipped to the lanes until it goes.
class TimeLanes
{
public:
    TimeLanes(const Painter& painter, Rect area, TimeWindow window, LaneStyle style,
              std::span<const LaneName> names);
    ~TimeLanes();
    TimeLanes(const TimeLanes&) = delete;
    TimeLanes& operator=(const TimeLanes&) = delete;

    Rect field() const { return field_; } // all lanes, right of their names
    Rect lane(std::size_t lane) const;
    // From one time to another, in sight or not.
    Rect cell(std::size_t lane, double from, double to) const;
    // The body on whole pixels, with a hair to the next; none where they belong together.
    Rect body(std::size_t lane, double from, double to, bool joined = false) const;
    // Where the block is; nothing where it is out of sight or too narrow for more than a mixture.
    std::optional<Rect> block(std::size_t lane, double from, double to, const Fill& fill, std::size_t id = 0);
    // The first words that fit, as if at least "00", so that neighbours are named alike. What the lanes'
    // edges cut off has its name in sight.
    void label(Rect cell, Colour colour, std::initializer_list<std::string_view> words) const;
    // Words on a ground of their own, where they fit.
    void tag(Rect cell, Type type, std::string_view words, Align align = Align::centre) const;
    // Compute waits for communication: hatched, with how long.
    void wait(std::size_t lane, double from, double to) const;
    // What is pointed at (thick), and what that waited for.
    void outline(std::size_t lane, double from, double to, bool thick = true) const;
    // A line at `t` from one lane to another.
    void join(std::size_t from, std::size_t to, double t) const;

    bool points_in(Rect cell) const { return inside_ && cell.contains(ImGui::GetIO().MousePos); }
    // Whether the mouse points at a block that has a read-out: it is a mark, unless it is too near to the one
    // before.
    bool points_at(Rect cell) const;
    // Reads a block out where it is pointed at.
    void read_out(std::size_t lane, double from, double to, std::string_view heading,
                  std::span<const TipLine> lines) const;
    std::optional<std::size_t> hovered() const { return hovered_; } // id of the block that is pointed at

private:
    struct Column
    {
        float share = 0;
        Colour colour = 0;
    };

    bool are_brief(std::span<const LaneName> names) const;
    void draw_name(const Rect& area, std::size_t lane, const LaneName& name) const;
    void cover(std::size_t lane, Rect cell, Colour colour);

    const Painter& p_;
    TimeWindow window_;
    LaneStyle style_;
    Rect field_;
    bool inside_ = false;
    bool brief_ = false;                       // the lanes' names: all of them, or none
    std::vector<std::vector<Column>> columns_; // [lane][pixel] of narrow blocks
    std::optional<std::size_t> hovered_;
    mutable Rect last_mark_ = {-1e9F, -1e9F, 0, 0};
};

// Outlines a task, what it waited for, and joins them; `row_of` is a task's lane.
template <class Task, class RowOf>
void outline_task(const TimeLanes& lanes, const std::vector<Task>& tasks, std::optional<std::size_t> which,
                  RowOf row_of)
{
    if (!which || *which >= tasks.size())
    {
        return;
    }
    const Task& task = tasks[*which];
    lanes.outline(row_of(task), task.start, task.end);
    if (task.waited_for >= 0)
    {
        const Task& cause = tasks[static_cast<std::size_t>(task.waited_for)];
        lanes.outline(row_of(cause), cause.start, cause.end, false);
        lanes.join(row_of(cause), row_of(task), task.start);
    }
}

// The playhead through `field`, where it is in sight.
void draw_now(const Painter& painter, Rect field, TimeWindow window, double t);
// Ticks and numbers below the lanes. The window is in seconds, and the unit left of them, where all of the
// timeline takes `seconds`.
void draw_time_axis(const Painter& painter, Rect area, TimeWindow window, double seconds = 0);
// Ascending and apart; even steps of `length` where there are thousands.
std::vector<double> moments_apart(std::vector<double> moments, double length);
// At which tasks start or end, from 0: where stepping stops.
template <class Task>
std::vector<double> task_moments(const std::vector<Task>& tasks, double length)
{
    std::vector<double> all{0};
    for (const Task& task : tasks)
    {
        all.insert(all.end(), {task.start, task.end});
    }
    return moments_apart(std::move(all), length);
}
// "from, to" and "takes" of a block in seconds, to begin its tip with.
std::vector<TipLine> tip_times(double start, double end);
// Draws the tip of a block, beside the mouse: its heading with a capital, cut to the room there is.
void draw_task_tip(const Painter& painter, Rect bounds, std::string heading, std::span<const TipLine> lines,
                   std::string_view why);

} // namespace ringside
