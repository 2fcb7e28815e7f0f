// The measured step's lanes above the engine's on one axis, and a log's step times as a curve.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/lab/run/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kRunLabel = 150;        // [design px] left of the lanes
constexpr std::size_t kMostMarks = 200; // of steps with NaN, skipped or slow

Fill fill_of_part(const Theme& t, MeasuredPart part)
{
    switch (part)
    {
    case MeasuredPart::products:
        return {.ink = t.series[0]};
    case MeasuredPart::attention:
        return {.ink = t.series[1]};
    case MeasuredPart::optimizer:
        return {.ink = t.of(Component::momentum)};
    case MeasuredPart::memory:
        return {.ink = t.series[2]};
    case MeasuredPart::tensor:
        return {.ink = t.tensor};
    case MeasuredPart::context:
        return {.ink = t.context};
    case MeasuredPart::expert:
        return {.ink = t.expert};
    case MeasuredPart::pipeline:
        return {.ink = t.pipeline};
    case MeasuredPart::data:
        return {.ink = t.data};
    case MeasuredPart::copies:
        return {.ink = t.series[3]};
    default:
        return plain_fill(t.muted);
    }
}

void draw_lane_blocks(const TimeLanes& lanes, TimeLanes& into, std::size_t lane, const Theme& t,
                      std::span<const RunBlock> blocks)
{
    for (const RunBlock& block : blocks)
    {
        const Fill fill = fill_of_part(t, block.part);
        if (const auto where = into.block(lane, block.from, block.to, fill))
        {
            lanes.label(*where, fill.ink.label, {block.name});
            if (lanes.points_at(lanes.cell(lane, block.from, block.to)))
            {
                lanes.read_out(lane, block.from, block.to, block.name, tip_times(block.from, block.to));
            }
        }
    }
}

// Two lanes from `first` on.
void draw_run_side(TimeLanes& lanes, std::size_t first, const Theme& t, const RunSide& side)
{
    draw_lane_blocks(lanes, lanes, first, t, side.computing);
    draw_lane_blocks(lanes, lanes, first + 1, t, side.traffic);
    for (const TimeWindow& wait : side.exposed)
    {
        lanes.wait(first, wait.from, wait.to);
    }
}

// Returns the height used.
float draw_run_legend(const Painter& p, Rect area, const RunPicture& picture, const RunSide* run)
{
    struct Named
    {
        MeasuredPart part;
        std::string_view name;
    };
    static constexpr std::array<Named, 11> kNamed{{{MeasuredPart::products, "products"},
                                                   {MeasuredPart::attention, "attention"},
                                                   {MeasuredPart::memory, "memory-bound"},
                                                   {MeasuredPart::optimizer, "optimizer"},
                                                   {MeasuredPart::unknown, "other kernels"},
                                                   {MeasuredPart::data, "data"},
                                                   {MeasuredPart::tensor, "tensor"},
                                                   {MeasuredPart::context, "context"},
                                                   {MeasuredPart::expert, "expert"},
                                                   {MeasuredPart::pipeline, "pipeline"},
                                                   {MeasuredPart::copies, "copies"}}};
    std::vector<LegendItem> items{{"waiting for communication", waiting_fill(p.theme)}};
    const auto has = [](const std::vector<RunBlock>& lane, MeasuredPart part)
    { return std::ranges::find(lane, part, &RunBlock::part) != lane.end(); };
    for (const Named& each : kNamed)
    {
        const auto shows = [&](const RunSide& side)
        { return has(side.computing, each.part) || has(side.traffic, each.part); };
        if (shows(picture.predicted) || (run != nullptr && shows(*run)))
        {
            items.push_back({std::string(each.name), fill_of_part(p.theme, each.part)});
        }
    }
    return draw_legend(p, area, items, 2);
}

std::vector<PlotPoint> points_of_log(const StepSummary& s)
{
    std::vector<PlotPoint> points;
    for (const StepSummary::Timed& each : s.times)
    {
        points.push_back({static_cast<double>(each.step), each.seconds});
    }
    return points;
}

// Steps with a NaN loss or that the optimizer skipped, at the bottom; slow ones where they are.
void mark_steps(Plot& plot, const Theme& t, const TrainingLog& log)
{
    std::size_t marks = 0;
    for (const LoggedStep& step : log.steps)
    {
        const bool nan = step.nan_loss || step.at(LogValue::nan).value_or(0) > 0;
        const bool skipped = step.at(LogValue::skipped).value_or(0) > 0;
        if (step.run == log.longest && (nan || skipped) && marks++ < kMostMarks)
        {
            plot.dot({static_cast<double>(step.step), plot.y.low},
                     {nan ? t.warning : t.muted, 6, nan ? PlotShape::cross : PlotShape::diamond, false,
                      nan ? "NaN" : "skipped by the optimizer"});
        }
    }
    for (const StepSummary::Spike& spike : log.summary.spikes)
    {
        if (marks++ < kMostMarks)
        {
            plot.dot(
                {static_cast<double>(spike.step), spike.seconds},
                {t.text, 5, PlotShape::ring, false, fmt::format("{:.1f} times the median", spike.ratio)});
        }
    }
}

} // namespace

void draw_run_lanes(const RunRoom& r, Rect area, const RunPicture& picture)
{
    const Painter& p = r.p;
    const RunSide* run =
        picture.steps.empty() ? nullptr : &picture.steps[std::min(r.state.step, picture.steps.size() - 1)];
    area.cut_top(draw_run_legend(p, area, picture, run));
    area.cut_top(p.px(6));
    const Rect axis = area.cut_bottom(p.px(30));
    std::vector<LaneName> names;
    if (run != nullptr)
    {
        names.push_back({"run, computing", format_seconds(Seconds{run->total}), "", "", true, "run"});
        names.push_back(
            {"run, traffic", "", "", run->traffic.empty() ? "none in the trace" : "", false, "traffic"});
    }
    names.push_back({"engine, computing", format_seconds(Seconds{r.frame.now.report->step.total()}), "", "",
                     true, "engine"});
    names.push_back(
        {"engine, traffic", "", "", picture.predicted.traffic.empty() ? "none" : "", false, "traffic"});
    const double all = std::max(run != nullptr ? run->total : 0, picture.predicted.total);
    const float pitch = lane_pitch(p, area.h, names.size(), 110);
    const Rect lanes_area{area.x, area.y, area.w, pitch * static_cast<float>(names.size())};
    const float label = p.px(kRunLabel);
    const Rect field{area.x + label, area.y, area.w - label, lanes_area.h};
    r.state.zoom.mouse(field, all);
    const TimeWindow window = r.state.zoom.window(all);
    p.part("lanes", lanes_area);
    {
        TimeLanes lanes(p, lanes_area, window, {pitch, label}, names);
        if (run != nullptr)
        {
            draw_run_side(lanes, 0, p.theme, *run);
        }
        draw_run_side(lanes, names.size() - 2, p.theme, picture.predicted);
    }
    draw_time_axis(p, {field.x, lanes_area.bottom(), field.w, axis.h}, window, all);
}

void draw_run_curve(const RunRoom& r, Rect area, const RunPicture& picture)
{
    const TrainingLog& log = *r.frame.run->run.log;
    const StepSummary& s = log.summary;
    const std::vector<PlotPoint> points = points_of_log(s);
    const double predicted = r.frame.now.report->step.total();
    double most = predicted * picture.band.high;
    const auto warm_up = std::min(points.size(), static_cast<std::size_t>(s.warm_up));
    for (const PlotPoint& point : std::span(points).subspan(warm_up)) // the first step may take a minute
    {
        most = std::max(most, point.y);
    }
    const double first = points.empty() ? 0 : points.front().x;
    const double last = points.empty() ? 1 : std::max(points.back().x, first + 1);
    Plot plot(r.p, area,
              {first, last, PlotScale::linear, "step", [](double v) { return grouped(std::llround(v)); }},
              {0, most * 1.08, PlotScale::linear, "", tick_seconds},
              {.title = "Step time", .note = "band: where 8 of 10 runs like this one were", .part = "curve"});
    if (!plot)
    {
        return;
    }
    const Theme& t = r.p.theme;
    plot.band_y(predicted * picture.band.low, predicted * picture.band.high,
                with_alpha(t.forward.fill, 0.14F));
    if (warm_up > 0 && warm_up < points.size())
    {
        plot.band_x(first, points[warm_up].x, with_alpha(t.muted, 0.10F), "not counted", kIdleHatch);
    }
    plot.rule_y(predicted, {t.forward, 2, true}, "predicted " + format_seconds(Seconds{predicted}));
    if (s.seconds.rows > 0)
    {
        plot.rule_y(s.seconds.median, {t.muted, 1, true},
                    "median " + format_seconds(Seconds{s.seconds.median}));
    }
    plot.line(points, {t.text, 2}, "measured");
    mark_steps(plot, t, log);
}

} // namespace ringside
