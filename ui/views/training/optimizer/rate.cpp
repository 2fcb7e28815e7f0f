#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/views/training/optimizer/words.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kRatePoints = 400;

// Every step where they are few; the corners of the warmup are always among them.
std::vector<PlotPoint> points_of(const RateSchedule& s)
{
    std::vector<double> steps;
    for (int i = 0; i <= kRatePoints; ++i)
    {
        steps.push_back(std::round(static_cast<double>(s.end) * i / kRatePoints));
    }
    steps.push_back(static_cast<double>(std::min(s.warmup, s.end)));
    steps.push_back(std::round(s.stable * static_cast<double>(s.end)));
    std::sort(steps.begin(), steps.end());
    std::vector<PlotPoint> points;
    points.reserve(steps.size());
    for (const double step : steps)
    {
        points.push_back({step, learning_rate(s, static_cast<std::int64_t>(step))});
    }
    return points;
}

double two_digits(double value)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(value, 1e-30))) - 1);
    return std::round(value / power) * power;
}

// The peak, where the warmup ends; the floor, at the end; where WSD begins to fall.
void draw_grips(Plot& plot, const RateSchedule& s, OptimizerState& state)
{
    const auto end = static_cast<double>(s.end);
    const auto warmup = static_cast<double>(s.warmup);
    const PlotMove peak = plot.grip({warmup, s.peak}, "###peak of the rate");
    if (peak.to)
    {
        // The axis follows the peak, so it moves by a share of where it is.
        const double ratio = std::clamp(peak.to->y / s.peak, 0.97, 1.03);
        state.rate.peak = std::clamp(
            two_digits(s.peak * ratio) == s.peak ? s.peak * ratio : two_digits(s.peak * ratio), 1e-7, 1.0);
    }
    if (const auto to = peak.x(static_cast<double>(std::max<std::int64_t>(1, s.end / 200))))
    {
        state.rate.warmup = std::llround(plot.x.held(*to));
    }
    if (s.decay == Decay::constant || s.decay == Decay::inverse_sqrt)
    {
        return;
    }
    const auto share = [](double value) { return std::clamp(std::round(value * 100) / 100, 0.0, 1.0); };
    const PlotMove floor = plot.grip({end, s.peak * s.final_share}, "###floor of the rate");
    if (const auto to = floor.y(0.01 * s.peak))
    {
        state.rate.final_share = share(*to / s.peak);
    }
    if (s.decay == Decay::wsd)
    {
        const PlotMove stable =
            plot.grip({std::max(s.stable * end, warmup), s.peak}, "###start of the decay");
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
        plot.line(points_of(each), own ? PlotStroke{p.theme.text, 3} : PlotStroke{p.theme.line, 1.5F},
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

} // namespace

std::string step_number_words(double count)
{
    return count < 10'000 ? fmt::format("{:g}", count) : format_count(count);
}

std::string learning_rate_words(double rate)
{
    if (rate <= 0)
    {
        return "0";
    }
    const auto e = static_cast<int>(std::floor(std::log10(rate) + 1e-9));
    return e >= -2 ? fmt::format("{:.3g}", rate) : fmt::format("{:.3g}e{}", rate * std::pow(10, -e), e);
}

void draw_rate_page(const Painter& p, Rect area, OptimizerState& state, const Frame& frame, Out& out)
{
    const RateSchedule s = schedule_of(state, frame.now.scenario);
    const auto end = static_cast<double>(std::max<std::int64_t>(2, s.end));
    Plot plot(p, area,
              {0, end, PlotScale::linear, "optimizer steps of the scenario\u2019s run", step_number_words},
              {0, s.peak * 1.12, PlotScale::linear, "", learning_rate_words},
              {.title = "Learning rate over the run",
               .says = "drag peak, floor and the start of the decay; press a name to change the shape",
               .part = "rate",
               .names = 114});
    if (!plot)
    {
        return;
    }
    draw_shapes(p, plot, s, state);
    const auto at = static_cast<double>(rate_step_at(state, frame));
    const double now = learning_rate(s, rate_step_at(state, frame));
    plot.rule_x(at, {p.theme.text, 1});
    plot.dot({at, now}, {p.theme.stage_ramp[3]});
    plot.label({at, now}, learning_rate_words(now), true);
    draw_grips(plot, s, state);
    const PlotField field = plot.field("###rate over steps");
    if (field.held)
    {
        out.push(Seek{field.at.x / end * 100});
    }
    else if (field.hovered)
    {
        const std::int64_t step = std::llround(field.at.x);
        tooltip_at_mouse(p, fmt::format("Step {}\n{}", step_number_words(static_cast<double>(step)),
                                        rate_formula(s, step)));
    }
}

} // namespace ringside
