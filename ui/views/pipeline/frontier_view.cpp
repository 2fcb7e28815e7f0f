// Which schedule fits? Bubble against memory for every schedule and micro-batch size, the best within the
// memory there is, and the Pareto frontier.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/base/work.h"
#include "core/evaluate/report.h"
#include "core/planner/schedule_search.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class FrontierView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    static WorkAnswer<ScheduleSearch> search(const Frame& frame)
    {
        return work_on<ScheduleSearch>(frame.works, frame.now.scenario);
    }
    Bytes limit(const Frame& frame) const
    {
        return limit_ ? Bytes(*limit_) : frame.now.report->memory.capacity;
    }
    static std::pair<PlotAxis, PlotAxis> axes(const Frame& frame, const ScheduleSearch& s);
    void draw_limit(const Frame& frame, Plot& plot);
    void draw_frontier(const Painter& painter, Plot& plot, const ScheduleSearch& s) const;
    void draw_points(const Frame& frame, const Painter& painter, Plot& plot, const ScheduleSearch& s,
                     Out& out) const;
    void draw_tip(const Frame& frame, const Plot& plot, const ScheduleCandidate& c) const;
    static void take(const ScheduleCandidate& c, Out& out)
    {
        out.push(ChangeScenario{c.scenario, false,
                                fmt::format("{}, micro-batches of {}", c.scenario.training.schedule->name,
                                            c.scenario.training.micro_batch)});
    }

    std::optional<double> limit_; // bytes, where the line was dragged to
};

std::string name_of(const ScheduleCandidate& c)
{
    const Scenario& s = c.scenario;
    const ScheduleKind kind = s.training.schedule;
    return s.parallel.chunks > kind->least_chunks || kind->most_chunks > 2
               ? fmt::format("{} \u00d7{}", kind->name, s.parallel.chunks)
               : std::string(kind->name);
}

// "1F1B", "Interleaved \u00d75, b 2": with its micro-batch size where that is not the scenario's.
std::string name_with_batch(const ScheduleCandidate& c, const Scenario& now)
{
    const std::int64_t size = c.scenario.training.micro_batch;
    return size == now.training.micro_batch ? name_of(c) : fmt::format("{}, MBS {}", name_of(c), size);
}

PlotPoint place_of(const ScheduleCandidate& c, ByteUnit unit)
{
    return {in_gigabytes(c.memory, unit), c.bubble};
}

std::pair<PlotAxis, PlotAxis> FrontierView::axes(const Frame& frame, const ScheduleSearch& s)
{
    // One micro-batch at a time idles most of the time; it need not be in sight.
    double bubble = frame.now.report->pipeline->timeline.bubble_of_total();
    double bytes = frame.now.report->memory.worst().total().value;
    const ScheduleCandidate* smallest = nullptr;
    for (const ScheduleCandidate& c : s.found())
    {
        if (c.frontier && c.bubble < 0.5)
        {
            bubble = std::max(bubble, c.bubble);
            bytes = std::max(bytes, c.memory.value);
        }
        smallest = smallest == nullptr || c.memory < smallest->memory ? &c : smallest;
    }
    // Not of the limit: the scale would run away from the mouse that drags it.
    const double capacity = frame.now.report->memory.capacity.value;
    double most = std::max({1.0, capacity * 1.1, std::min(bytes * 1.1, capacity * 2.5)});
    // Where everything is far too large the axis goes on to it: an empty chart says nothing.
    if (smallest != nullptr && smallest->memory.value > most)
    {
        most = std::max(bytes, smallest->memory.value) * 1.1;
        bubble = std::max(bubble, smallest->bubble);
    }
    const double highest = std::clamp(bubble * 1.4, 0.05, 1.0);
    const double least = smallest != nullptr ? smallest->memory.value : 0;
    const ByteUnit unit = frame.preferences.unit;
    return {{in_gigabytes(Bytes(least * 0.85), unit), in_gigabytes(Bytes(most), unit), PlotScale::linear,
             fmt::format("memory of the peak-memory GPU, {}", unit == ByteUnit::decimal ? "GB" : "GiB"),
             plain_number},
            {0, highest, PlotScale::linear, "bubble, of total",
             [](double share) { return fmt::format("{:g}%", std::round(share * 1e6) / 1e4); }}};
}

void FrontierView::draw_limit(const Frame& frame, Plot& plot)
{
    const std::string words = fmt::format("{} {}", limit_ ? "limit" : "GPU memory",
                                          format_bytes(limit(frame), frame.preferences.unit));
    const ByteUnit unit = frame.preferences.unit;
    const double step = (plot.x.high - plot.x.low) / 100;
    const double now = in_gigabytes(limit(frame), unit);
    if (const auto to = plot.limit_x(now, words, "###memory limit").x(step))
    {
        limit_ = std::clamp(*to, plot.x.low, plot.x.high) * in_bytes(unit);
    }
}

void FrontierView::draw_frontier(const Painter& painter, Plot& plot, const ScheduleSearch& s) const
{
    std::vector<PlotPoint> corners;
    for (const ScheduleCandidate& c : s.found())
    {
        if (c.frontier)
        {
            corners.push_back(place_of(c, painter.look.unit));
        }
    }
    std::ranges::sort(corners, {}, &PlotPoint::x);
    plot.line(stairs(corners, false), {painter.theme.muted, 1.5F});
}

void FrontierView::draw_tip(const Frame& frame, const Plot& plot, const ScheduleCandidate& c) const
{
    const double now = frame.now.report->pipeline->timeline.makespan;
    const std::array lines{
        TipLine{"chunks per stage", std::to_string(c.scenario.parallel.chunks), 0},
        TipLine{"micro-batches",
                fmt::format("{} of {}", grouped(micro_batches(c.scenario)), c.scenario.training.micro_batch),
                0},
        TipLine{"bubble", format_percent(c.bubble) + " of total", 0},
        TipLine{
            "step",
            fmt::format("{} units, {}\u00d7 now", three_digits(c.makespan), three_digits(c.makespan / now)),
            0},
        TipLine{"memory", format_bytes(c.memory, frame.preferences.unit), 0},
        TipLine{"weights", fmt::format("{}\u00d7", weight_copies(c.scenario.training.schedule)), 0}};
    plot.tip(name_of(c), lines, "click to use this schedule");
}

void FrontierView::draw_points(const Frame& frame, const Painter& painter, Plot& plot,
                               const ScheduleSearch& s, Out& out) const
{
    const Theme& t = painter.theme;
    const ScheduleCandidate* best = s.done() ? s.best(limit(frame)) : nullptr;
    std::vector<PlotPoint> places;
    for (const ScheduleCandidate& c : s.found())
    {
        places.push_back(place_of(c, painter.look.unit));
        if (!plot.inside(places.back()))
        {
            continue;
        }
        const bool own = c.scenario == frame.now.scenario;
        const bool large = c.frontier || own;
        plot.dot(places.back(), {&c == best ? t.ok
                                 : large    ? t.text
                                            : t.muted,
                                 &c == best ? 8.0F
                                 : large    ? 5.0F
                                            : 3.0F,
                                 PlotShape::disc, own});
        if (&c != best)
        {
            const std::string name = name_with_batch(c, frame.now.scenario);
            plot.label(places.back(), own ? "now: " + name : name, large);
        }
    }
    if (best != nullptr)
    {
        plot.label(
            place_of(*best, painter.look.unit),
            fmt::format("best: {}, micro-batches of {}", name_of(*best), best->scenario.training.micro_batch),
            true, 12);
    }
    const PlotPick pick = plot.pick(places, "###schedules");
    if (!pick.at)
    {
        return;
    }
    draw_tip(frame, plot, s.found()[*pick.at]);
    if (pick.clicked)
    {
        take(s.found()[*pick.at], out);
    }
}

void FrontierView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        empty_state(painter, area, "One stage: no pipeline, no bubble.",
                    "Raise \u201cPipeline stages\u201d to compare schedules.");
        return;
    }
    const auto s = search(frame);
    if (!draw_status(painter, area, s))
    {
        return;
    }
    const auto [memory, bubble] = axes(frame, *s);
    Plot plot(painter, area, memory, bubble);
    if (!plot)
    {
        return;
    }
    draw_limit(frame, plot);
    if (s.done())
    {
        draw_frontier(painter, plot, *s);
    }
    draw_points(frame, painter, plot, *s, out);
}

Caption FrontierView::caption(const Frame& frame) const
{
    Caption caption;
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        caption.sentence = "With one stage there is no schedule to choose.";
        return caption;
    }
    const auto s = search(frame);
    if (!s || !s.done())
    {
        caption.sentence = s ? fmt::format("Simulating schedules and micro-batch sizes: **{}** done.",
                                           format_percent(s.progress))
                             : fault_sentence(s);
        return caption;
    }
    const ScheduleCandidate* best = s->best(limit(frame));
    const double now = frame.now.report->pipeline->timeline.makespan;
    const std::string room = format_bytes(limit(frame), frame.preferences.unit);
    if (best == nullptr)
    {
        caption.sentence =
            fmt::format("No schedule fits in {}: !!use more GPUs, more sharding or recomputation!!.", room);
        return caption;
    }
    const double less = 1 - best->makespan / now;
    caption.sentence = fmt::format("Within {} **{} with MBS {}** is fastest: {}, bubble {} of total.", room,
                                   name_of(*best), best->scenario.training.micro_batch,
                                   less > 0.0005    ? format_percent(less) + " faster than now"
                                   : less < -0.0005 ? format_percent(-less) + " slower than now"
                                                    : "as fast as now",
                                   format_percent(best->bubble));
    caption.formula =
        fmt::format("{} schedules and micro-batch sizes simulated, {} not applicable to {} stages",
                    s->found().size(), s->refused(), frame.now.scenario.parallel.pipeline);
    caption.source =
        "Times are proportional to the micro-batch; the lower efficiency of small GEMMs is not included.";
    return caption;
}

bool FrontierView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        return false;
    }
    const auto s = search(frame);
    if (!s)
    {
        return false;
    }
    std::vector<ScheduleCandidate> frontier;
    std::ranges::copy_if(s->found(), std::back_inserter(frontier), &ScheduleCandidate::frontier);
    std::ranges::sort(frontier, {}, &ScheduleCandidate::makespan);
    const ScheduleCandidate* best = s->best(limit(frame));
    const Table<ScheduleCandidate> table{
        {{"Pareto frontier",
          [&](const ScheduleCandidate& c) { return name_with_batch(c, frame.now.scenario); }},
         {"bubble", [](const ScheduleCandidate& c) { return format_percent(c.bubble); }, 1},
         {std::string(painter.look.gigabyte()),
          [&](const ScheduleCandidate& c)
          {
              const std::string bytes = format_gigabytes(c.memory, frame.preferences.unit);
              return c.memory <= limit(frame) ? Cell(bytes) : Cell("\u2715 " + bytes, painter.theme.warning);
          }}},
        [](const ScheduleCandidate& c)
        {
            return fmt::format("###take {} {} {}", c.scenario.training.schedule->id,
                               c.scenario.parallel.chunks, c.scenario.training.micro_batch);
        },
        [best](const ScheduleCandidate& c) { return best != nullptr && c.scenario == best->scenario; },
        28};
    if (const auto pressed = table.draw(painter, area, frontier).pressed)
    {
        take(frontier[*pressed], out);
    }
    return true;
}

ViewKeys FrontierView::keys()
{
    return {{"Enter", "Use the best schedule",
             [this](const KeyPress& k)
             {
                 if (k.frame.now.scenario.parallel.pipeline == 1)
                 {
                     return;
                 }
                 const auto s = search(k.frame);
                 if (const ScheduleCandidate* best = s && s.done() ? s->best(limit(k.frame)) : nullptr)
                 {
                     take(*best, k.out);
                 }
             }},
            {"G", "Reset the limit to the GPU's memory", [this] { limit_.reset(); }},
            {"drag", "The memory limit"},
            {"click", "Use this schedule"}};
}

} // namespace

extern const ViewInfo frontier_view{
    20,
    "frontier",
    ViewGroup::pipeline,
    "Bubble vs memory",
    "Bubble vs memory",
    "Bubble vs memory for every schedule and micro-batch size; the best within a limit",
    {"pipeline", "micro_batches", "parallel.zero", "stage_times.forward", "stage_times.backward_input",
     "stage_times.backward_weight", "stage_times.transfer"},
    make_view<FrontierView>};

} // namespace ringside
