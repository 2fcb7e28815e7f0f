// What the view of months looks at: the plan, its closed form, and one run drawn from a seed. Worked out
// again only when something it follows from has changed. Its pictures.
#pragma once

#include "core/reliability/run_simulation.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/widgets/fill.h"

#include <optional>

namespace ringside
{

struct IntervalPoint
{
    double interval = 0; // [s]
    double saving = 0;   // shares of the wall clock
    double lost = 0;
    double loss = 0; // everything that is not useful
};

class RunModel
{
public:
    RunPlan plan;
    std::uint64_t seed = 1;
    std::vector<double> kills; // [s]

    void update(const Evaluated& now);

    const CheckpointSize& size() const { return size_; }
    const RunRates& rates() const { return rates_; }
    const Goodput& expected() const { return expected_; }
    const RunStory& story() const { return story_; }
    const std::vector<IntervalPoint>& curve() const { return curve_; }
    // Index of the published fleet whose rate is the plan's; nothing for a rate of one's own.
    std::optional<std::size_t> fleet() const;

private:
    void find_curve();

    std::optional<Scenario> scenario_;
    RunPlan made_;
    std::uint64_t made_seed_ = 0;
    std::vector<double> made_kills_;
    CheckpointSize size_;
    RunRates rates_;
    Goodput expected_;
    RunStory story_;
    std::vector<IntervalPoint> curve_;
};

inline constexpr double kHorizon = 90 * 86400.0; // [s] what the calendar shows at most

// "8 s", "12.5 min", "2.78 h", "90 d"
std::string say_time(double seconds);
// "98.8%"; a share that is not quite all does not say 100%.
std::string say_share(double share);
// How this part looks; a thing that is done again is hatched in the colour of what it was.
Fill part_fill(const Theme& theme, RunPart part);

struct CalendarPress
{
    std::optional<double> kill; // [s] a failure is injected there
};

// Draws what has happened until `now` [s].
CalendarPress draw_calendar(const Painter& painter, Rect area, const RunStory& story, double now);

// The interval that is asked for [s]; 0: the best there is.
std::optional<double> draw_interval_curve(const Painter& painter, Rect area, const RunModel& model);

float parts_height(const Painter& painter);
void draw_parts(const Painter& painter, Rect area, const RunModel& model, double now);

} // namespace ringside
