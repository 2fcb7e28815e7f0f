// Months of a run: failures on a calendar, where the time goes, and the interval between checkpoints.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/views/reliability/goodput/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

double day_of(const RunStory& story)
{
    return story.horizon / 86400;
}

void choose_fleet(PanelColumn& column, const GoodputRoom& room)
{
    RunModel& model = room.state.of(room.frame);
    RunPlan& plan = model.plan;
    column.label("Failure rate of");
    const auto fleet = model.fleet();
    const FleetRecord* like = fleet ? &fleet_records()[*fleet] : nullptr;
    std::vector<Choosable> items;
    for (const FleetRecord& each : fleet_records())
    {
        items.push_back({each.id, each.name, each.says});
    }
    const auto chosen = column.dropdown(
        "###fails like",
        like != nullptr ? std::string(like->name)
                        : fmt::format("1 per {} GPU-hours", format_count(plan.gpu_hours)),
        "fleets", items,
        fmt::format("One failure per {} GPU-hours: every {} with these GPUs.{}", format_count(plan.gpu_hours),
                    say_time(model.rates().between_s),
                    like != nullptr ? fmt::format(" {} ({}).", like->says, like->source) : std::string()));
    plan.gpu_hours = chosen ? fleet_records()[*chosen].gpu_hours() : plan.gpu_hours;
}

namespace
{

constexpr double kSeconds = 24; // playing takes

Motion months_motion(const Frame& frame, GoodputState& state)
{
    Motion motion;
    const RunStory& story = state.of(frame).story();
    motion.duration = day_of(story);
    motion.per_second = motion.duration / kSeconds;
    motion.rest = motion.duration;
    motion.label = say_time(std::min(frame.playback.t, motion.duration) * 86400);
    for (const RunFailure& failure : story.failures)
    {
        motion.stops.push_back(failure.at / 86400);
    }
    motion.stops.push_back(motion.duration);
    return motion;
}

void draw_head(const Painter& p, Rect row, const RunModel& model, double now)
{
    const RunStory& story = model.story();
    const auto failed =
        std::ranges::count_if(story.failures, [now](const RunFailure& f) { return f.at <= now; });
    draw_chart_title(p, row,
                     fmt::format("{} in {}, {}", counted(failed, "failure"), say_time(story.horizon),
                                 counted(story.saves, "checkpoint")),
                     fmt::format("seed {}; click to inject a failure", model.seed));
}

void draw_months(const GoodputRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    RunModel& model = r.state.of(r.frame);
    // A clock that stops at a failure shows it, whatever days and seconds round to.
    const double now = std::min(r.frame.playback.t * 86400 + 1e-3, model.story().horizon);
    const float below = parts_height(p);
    const bool tabled = area.h > below + p.px(120);
    Rect foot = tabled ? area.cut_bottom(std::max(below, area.h * 0.42F)) : Rect{};
    draw_head(p, area.cut_top(p.px(26)), model, now);
    area.cut_top(p.px(4));
    p.part("calendar", area);
    if (const CalendarPress pressed = draw_calendar(p, area, model.story(), now); pressed.kill)
    {
        model.kills.push_back(*pressed.kill);
        r.out.animating = true;
    }
    if (!tabled)
    {
        return;
    }
    foot.cut_top(p.px(12));
    const bool both = foot.w > p.px(600);
    const Rect table = both ? foot.cut_right(std::clamp(foot.w * 0.46F, p.px(330), p.px(460))) : foot;
    p.part("parts", table);
    draw_parts(p, table, model, now);
    if (both)
    {
        foot.cut_right(p.px(32));
        p.part("interval", foot);
        if (const auto interval = draw_interval_curve(p, foot, model))
        {
            model.plan.interval_s = *interval;
            r.out.animating = true;
        }
    }
}

Caption months_caption(const Frame& frame, GoodputState& state)
{
    const RunModel& all = state.of(frame);
    const RunRates& r = all.rates();
    Caption caption;
    caption.sentence = fmt::format(
        "{} fail{} every **{}**. A checkpoint of {} every {} stalls training for {}: the goodput is **{}**.",
        counted(frame.now.scenario.cluster.gpus, "GPU"), frame.now.scenario.cluster.gpus == 1 ? "s" : "",
        say_time(r.between_s), format_bytes(all.size().total(), frame.preferences.unit),
        say_time(r.interval_s), say_time(r.save_s), say_share(all.expected().useful()));
    const double first = first_order_waste(r);
    caption.formula = fmt::format("lost \u2248 d/\u03c4 + (\u03c4/2 + R)/M = {}/{} + ({}/2 + {})/{} = {}",
                                  figure(r.save_s, 4), figure(r.interval_s, 4), figure(r.interval_s, 4),
                                  figure(r.recover_s, 4), figure(r.between_s, 4), format_percent(first));
    caption.source = fmt::format(
        "First order, in seconds; exactly {} with failures during recovery, saves in flight and missing "
        "nodes. "
        "Best interval: Daly 2006, equation 37; {} by Young 1974, sqrt(2 d M). R is {} to detect, {} "
        "to restart, {} to load.",
        format_percent(1 - all.expected().useful()), say_time(r.young_s), say_time(all.plan.detect_s),
        say_time(all.plan.restart_s), say_time(r.load_s));
    return caption;
}

constexpr Track kIntervalTrack = Track::log(1, 1e6, say_time);
constexpr Track kHandlingTrack = Track::log(1, 7200, say_time);

std::string say_gigabytes_per_s(double rate)
{
    return fmt::format("{} GB/s", three_digits(rate));
}

void panel_months(PanelColumn& column, const GoodputRoom& room)
{
    RunModel& model = room.state.of(room.frame);
    RunPlan& plan = model.plan;
    const RunRates& r = model.rates();
    choose_fleet(column, room);
    double interval = r.interval_s;
    if (column.slide("Interval", (plan.interval_s > 0 ? "" : "best  ") + say_time(interval), kIntervalTrack,
                     interval,
                     "Training time between two checkpoints; type 0 for the best. The point on the curve "
                     "sets it, too."))
    {
        plan.interval_s = interval <= 1 ? 0 : interval;
    }
    column.slide("Time to detect", kHandlingTrack, plan.detect_s);
    column.slide("Restart and reload", kHandlingTrack, plan.restart_s);
    std::int64_t spares = r.spares;
    const double most = std::max({8.0, 2 * static_cast<double>(spares), std::ceil(r.nodes * 0.1)});
    if (column.slide("Spare nodes", (plan.spares < 0 ? "enough  " : "") + grouped(spares),
                     Track::even(0, most, say_whole), spares))
    {
        plan.spares = spares;
    }
    column.slide("Storage per GPU", Track::log(0.001, 100, say_gigabytes_per_s), plan.storage_gb_per_s);
    column.choice({"Storage", "SSD", "Host"}, plan.tier);
    column.toggle(
        "Asynchronous saves", plan.asynchronous,
        "Training waits only for the copy to host memory; a save in flight when the job fails is lost (A)");
    column.toggle("Elastic training", plan.elastic,
                  "With too few nodes, continue with the replicas that are complete (E)");
}

} // namespace

const Page<GoodputState> kGoodputMonths{"One run", draw_months, panel_months, months_caption, months_motion};

} // namespace ringside
