// The learning rate over the run, and beside it the warmup where that is too short to be seen.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kRatePoints = 400;
constexpr double kShortWarmup = 0.05; // of the run, below which the warmup has a chart of its own
constexpr std::array<double, 13> kPeaks{1e-5, 2e-5, 5e-5, 1e-4, 1.5e-4, 2e-4, 3e-4,
                                        6e-4, 1e-3, 2e-3, 4e-3, 1e-2,   1e-1};
constexpr std::array<double, 11> kWarmups{0, 100, 250, 500, 1000, 2000, 3000, 4000, 8000, 16000, 32000};
constexpr std::array<double, 9> kFloors{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1};

// The schedule on show: its end is that of the run, and the warmup lies within it.
RateSchedule schedule_of(const OptimizerState& state, const Scenario& scenario)
{
    RateSchedule schedule = state.rate;
    schedule.end = run_steps(scenario);
    schedule.warmup = std::clamp<std::int64_t>(state.rate.warmup, 0, schedule.end);
    return schedule;
}

// The clock counts hundredths of the run, so that any run plays in the same time.
std::int64_t rate_step_at(const Frame& frame)
{
    const auto last = static_cast<double>(run_steps(frame.now.scenario));
    return std::llround(last * std::clamp(frame.playback.t / 100, 0.0, 1.0));
}

std::string step_words(double count)
{
    return count < 1'000'000 ? grouped(std::llround(count)) : format_count(count);
}

// Every step where they are few; the corners of the warmup are always among them.
std::vector<PlotPoint> points_of(const RateSchedule& s, double until)
{
    std::vector<double> steps{std::min(static_cast<double>(s.warmup), until),
                              std::round(s.stable * static_cast<double>(s.end))};
    for (int i = 0; i <= kRatePoints; ++i)
    {
        steps.push_back(std::round(until * i / kRatePoints));
    }
    std::sort(steps.begin(), steps.end());
    std::vector<PlotPoint> points;
    for (const double step : steps)
    {
        if (step <= until)
        {
            points.push_back({step, learning_rate(s, static_cast<std::int64_t>(step))});
        }
    }
    return points;
}

// Where the warmup ends.
void drag_peak(Plot& plot, const RateSchedule& s, OptimizerState& state)
{
    const PlotMove peak = plot.grip({static_cast<double>(s.warmup), s.peak}, "###peak of the rate");
    if (peak.to)
    {
        // The axis follows the peak, so it moves by a share of where it is.
        const double ratio = std::clamp(peak.to->y / s.peak, 0.97, 1.03);
        state.rate.peak = std::clamp(rounded_to(s.peak * ratio, 2) == s.peak ? s.peak * ratio
                                                                             : rounded_to(s.peak * ratio, 2),
                                     1e-7, 1.0);
    }
    if (const auto to = peak.x(std::max(1.0, plot.x.high / 200)))
    {
        state.rate.warmup = std::llround(plot.x.clamped(*to));
    }
}

// The minimum, at the end; where WSD begins to fall.
void drag_decay(Plot& plot, const RateSchedule& s, OptimizerState& state)
{
    if (s.decay == Decay::constant || s.decay == Decay::inverse_sqrt)
    {
        return;
    }
    const auto end = static_cast<double>(s.end);
    const auto share = [](double value) { return std::clamp(std::round(value * 100) / 100, 0.0, 1.0); };
    const PlotMove floor = plot.grip({end, s.peak * s.final_share}, "###floor of the rate");
    if (const auto to = floor.y(0.01 * s.peak))
    {
        state.rate.final_share = share(*to / s.peak);
    }
    if (s.decay == Decay::wsd)
    {
        const PlotMove stable = plot.grip({std::max(s.stable * end, static_cast<double>(s.warmup)), s.peak},
                                          "###start of the decay");
        if (const auto to = stable.x(0.01 * end))
        {
            state.rate.stable = share(*to / end);
        }
    }
}

// Every shape of the decay, named at the right; a name that is pressed is taken.
void draw_shapes(const Painter& p, Plot& plot, const RateSchedule& s, OptimizerState& state)
{
    for (std::size_t i = 0; i < kDecays; ++i)
    {
        RateSchedule each = s;
        each.decay = static_cast<Decay>(i);
        const bool own = each.decay == s.decay;
        plot.line(points_of(each, plot.x.high),
                  own ? PlotStroke{p.theme.text, 3} : PlotStroke{p.theme.line, 1.5F},
                  std::string(name_of(each.decay)), own);
    }
    const std::vector<Rect> names = plot.names();
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const auto decay = static_cast<Decay>(i);
        const bool hit = press(p, names[i], fmt::format("###decay {}", name_of(decay)).c_str()).clicked;
        state.rate.decay = hit ? decay : state.rate.decay;
    }
}

// The rate of a step with the numbers put in.
std::string rate_formula(const RateSchedule& s, std::int64_t step)
{
    const std::string now = learning_rate_words(learning_rate(s, step));
    if (step < s.warmup)
    {
        return fmt::format("peak (t + 1) / warmup = {} \u00d7 {} / {} = {}", learning_rate_words(s.peak),
                           grouped(step + 1), grouped(s.warmup), now);
    }
    const double way =
        s.end > s.warmup ? static_cast<double>(step - s.warmup) / static_cast<double>(s.end - s.warmup) : 1;
    const std::string floor = learning_rate_words(s.peak * s.final_share);
    switch (s.decay)
    {
    case Decay::cosine:
        return fmt::format("min + (peak \u2212 min) (1 + cos(pi \u00d7 {:.3f})) / 2 = {}, min {}", way, now,
                           floor);
    case Decay::linear:
        return fmt::format("min + (peak \u2212 min) (1 \u2212 {:.3f}) = {}, min {}", way, now, floor);
    case Decay::inverse_sqrt:
        return fmt::format("peak sqrt(warmup / (t + 1)) = {} \u00d7 sqrt({} / {}) = {}",
                           learning_rate_words(s.peak), grouped(std::max<std::int64_t>(1, s.warmup)),
                           grouped(step + 1), now);
    case Decay::wsd:
        return fmt::format("peak until {} of the run, then linear decay to {}: {}", format_percent(s.stable),
                           floor, now);
    case Decay::constant:
        break;
    }
    return fmt::format("peak = {}", now);
}

std::string_view source_of(Decay decay)
{
    switch (decay)
    {
    case Decay::cosine:
        return "Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, without restarts";
    case Decay::inverse_sqrt:
        return "Vaswani et al. 2017, arXiv 1706.03762";
    case Decay::wsd:
        return "Hu et al. 2024, arXiv 2404.06395: warmup, stable, decay";
    case Decay::linear:
    case Decay::constant:
        break;
    }
    return "Warmup: Goyal et al. 2017, arXiv 1706.02677, section 2.2";
}

void draw_warmup(const Painter& p, Rect area, const PlotAxis& rates, const RateSchedule& s, std::int64_t at,
                 OptimizerState& state)
{
    Plot plot(p, area,
              {0, 2.0 * static_cast<double>(s.warmup), PlotScale::linear, "optimizer steps", step_words},
              rates, {.title = "Warmup", .part = "warmup"});
    if (!plot)
    {
        return;
    }
    plot.line(points_of(s, plot.x.high), {p.theme.text, 3});
    if (static_cast<double>(at) <= plot.x.high)
    {
        plot.rule_x(static_cast<double>(at), {p.theme.text, 1});
    }
    drag_peak(plot, s, state);
}

void draw_rate(const OptimizerRoom& r)
{
    const RateSchedule s = schedule_of(r.state, r.frame.now.scenario);
    const auto end = static_cast<double>(std::max<std::int64_t>(2, s.end));
    const std::int64_t step = rate_step_at(r.frame);
    const PlotAxis rates{0, s.peak * 1.12, PlotScale::linear, "", learning_rate_words};
    Rect area = r.area;
    const bool apart = s.warmup > 0 && static_cast<double>(s.warmup) < kShortWarmup * end &&
                       area.w > 2.6F * area.h * 0.4F && area.w > r.p.px(560);
    if (apart)
    {
        draw_warmup(r.p, area.cut_left(area.w * 0.3F), rates, s, step, r.state);
    }
    Plot plot(r.p, area, {0, end, PlotScale::linear, "optimizer steps of the run", step_words}, rates,
              {.title = "Learning rate over the run",
               .note = "drag peak, minimum or start of the decay; click a name",
               .part = "rate",
               .names = 114});
    if (!plot)
    {
        return;
    }
    draw_shapes(r.p, plot, s, r.state);
    const auto at = static_cast<double>(step);
    const double now = learning_rate(s, step);
    plot.rule_x(at, {r.p.theme.text, 1});
    plot.dot({at, now}, {r.p.theme.stage_ramp[3]});
    plot.label({at, now}, learning_rate_words(now), true);
    if (!apart)
    {
        drag_peak(plot, s, r.state);
    }
    drag_decay(plot, s, r.state);
    const PlotField field = plot.field("###rate over steps");
    if (field.held)
    {
        r.out.push(Seek{field.at.x / end * 100});
    }
    else if (field.hovered)
    {
        const std::int64_t pointed = std::llround(field.at.x);
        tooltip_at_mouse(r.p, fmt::format("Step {}\n{}", step_words(static_cast<double>(pointed)),
                                          rate_formula(s, pointed)));
    }
}

std::string say_share(double share)
{
    return plain_number(share * 100) + "%";
}

void panel_rate(PanelColumn& column, const OptimizerRoom& r)
{
    const Scenario& scenario = r.frame.now.scenario;
    column.slide("Peak LR", Track::at(kPeaks, learning_rate_words), r.state.rate.peak);
    column.slide("Warmup steps", Track::at(kWarmups, say_whole), r.state.rate.warmup);
    column.slide("Minimum LR, of peak", Track::at(kFloors, say_share, 0.01), r.state.rate.final_share);
    const RateSchedule s = schedule_of(r.state, scenario);
    const std::int64_t at = rate_step_at(r.frame);
    column.fact("Steps in the run", step_words(static_cast<double>(s.end)));
    column.fact("Current step", step_words(static_cast<double>(at)));
    column.fact("Learning rate", learning_rate_words(learning_rate(s, at)));
    column.gap();
    column.note(
        fmt::format("The run: {} tokens, **{} per step**. A larger batch means fewer steps to warm up "
                    "and decay in.",
                    format_count(scenario.training.tokens), format_count(batch_tokens(scenario))));
}

Caption caption_rate(const Frame& frame, OptimizerState& state)
{
    const RateSchedule s = schedule_of(state, frame.now.scenario);
    const std::int64_t at = rate_step_at(frame);
    const double rate = learning_rate(s, at);
    return {fmt::format("At step {} of {} the learning rate is **{}**, {} of its peak.",
                        step_words(static_cast<double>(at)), step_words(static_cast<double>(s.end)),
                        learning_rate_words(rate), format_percent(rate / s.peak)),
            rate_formula(s, at), std::string(source_of(s.decay))};
}

Motion motion_rate(const Frame& frame, OptimizerState&)
{
    return {.duration = 100,
            .per_second = 10,
            .label = fmt::format("{}% of the run", std::llround(std::clamp(frame.playback.t, 0.0, 100.0))),
            .rest = 40};
}

} // namespace

const Page<OptimizerState> rate_page{"Rate", draw_rate, panel_rate, caption_rate, motion_rate};

std::string learning_rate_words(double rate)
{
    if (rate <= 0)
    {
        return "0";
    }
    const auto e = static_cast<int>(std::floor(std::log10(rate) + 1e-9));
    return e >= -2 ? fmt::format("{:.3g}", rate) : fmt::format("{:.3g}e{}", rate * std::pow(10, -e), e);
}

} // namespace ringside
