// Gradients against a format's range: what underflows and what overflows at the loss scale of the moment, and
// the loss scale over the steps of a run.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kIntervals{5, 10, 20, 50, 100, 200, 1000, 2000};
constexpr std::array<double, 3> kFirstScales{1, 65536, 16777216};
constexpr double kFirstPower = -64; // on show
constexpr double kLastPower = 38;

std::size_t loss_scale_steps(const LossScaleRun& run)
{
    return static_cast<std::size_t>(12 * run.rule.growth_interval);
}

const std::vector<LossScaleStep>& loss_scale_run(const FormatsState& state, FormatId format)
{
    LossScaleRun run = state.run;
    run.format = format;
    return state.steps.of({run, state.seed}, [](const auto& of)
                          { return run_loss_scale(of.first, loss_scale_steps(of.first), of.second); });
}

// Lost at either end hatched, fewer bits tinted.
void draw_ranges(const Painter& p, Plot& plot, const NumberFormat& f)
{
    const Theme& t = p.theme;
    const double zero = std::log2(underflow_threshold(f));
    const double normal = std::log2(smallest_normal(f));
    const double end = std::log2(overflow_threshold(f));
    plot.band_x(kFirstPower, zero, with_alpha(t.idle_hatch, 0.6F), "underflows to 0", kIdleHatch);
    plot.band_x(zero, normal, with_alpha(t.stage_ramp[1], 0.3F), "subnormal");
    plot.band_x(normal, end, with_alpha(t.stage_ramp[3], 0.3F), "representable");
    plot.band_x(end, kLastPower, with_alpha(t.warning, 0.5F),
                f.specials == Specials::ieee ? "overflows" : "saturates", kOverflowHatch);
    for (const double at : {zero, normal, end})
    {
        if (at > kFirstPower && at < kLastPower)
        {
            plot.rule_x(at, {t.muted, 1});
        }
    }
}

// The bell of scaled gradients over the ranges of one format; its centre and its width are dragged.
void draw_bell(const Painter& p, Plot& plot, GradientSpread& spread, double shift)
{
    std::vector<PlotPoint> bell;
    for (double e = kFirstPower; e < kLastPower; e += 1)
    {
        const double z = (e - shift - spread.centre) / spread.width;
        bell.push_back({e, std::exp(-z * z / 2)});
    }
    const Colour colour = p.theme.of(Component::gradients).fill;
    plot.fill_below(stairs(bell), with_alpha(colour, 0.6F));
    plot.line(stairs(bell), {colour, 2});
    const auto quarter = [](double value) { return std::round(value * 4) / 4; };
    const PlotMove middle = plot.grip({spread.centre + shift, 1}, "###centre of the gradients");
    if (middle.to)
    {
        spread.centre = quarter(middle.to->x - shift);
    }
    spread.centre = std::clamp(spread.centre + middle.steps, -60.0, 20.0);
    const PlotMove side =
        plot.grip({spread.centre + shift + spread.width, std::exp(-0.5)}, "###width of the gradients");
    if (side.to)
    {
        spread.width = quarter(side.to->x - shift - spread.centre);
    }
    spread.width = std::clamp(spread.width + 0.5 * side.steps, 0.5, 12.0);
}

void draw_trace(const Painter& p, Rect area, const std::vector<LossScaleStep>& steps, std::size_t at,
                const FormatsState& state, Out& out)
{
    const std::string rule =
        state.run.rule.dynamic
            ? fmt::format("doubled after {} steps without overflow; halved and skipped (\u00d7) on overflow",
                          state.run.rule.growth_interval)
            : "fixed";
    std::vector<double> scales(steps.size());
    std::ranges::transform(steps, scales.begin(), &LossScaleStep::scale);
    const auto [low, high] = std::ranges::minmax(scales);
    const auto last = static_cast<double>(std::max<std::size_t>(1, steps.size() - 1));
    Plot plot(p, area, {0, last, PlotScale::linear, "", [](double v) { return fmt::format("{:g}", v); }},
              {low / 4, high * 4, PlotScale::log2, "", exact_power},
              {.title = "Loss scale over steps", .note = rule, .part = "loss scale"});
    if (!plot)
    {
        return;
    }
    plot.line(stairs(series(scales)), {p.theme.text, 2});
    float taken = -1e9F;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const float x = plot.at_x(static_cast<double>(i));
        if (steps[i].overflow && x - taken > p.px(3))
        {
            plot.speck({static_cast<double>(i), scales[i]}, {p.theme.warning, 4, PlotShape::cross});
            taken = x;
        }
    }
    plot.rule_x(static_cast<double>(at), {p.theme.text, 1});
    if (const PlotField field = plot.field("###loss scale over steps"); field.held)
    {
        out.push(Seek{std::round(field.at.x)});
    }
}

void draw_loss_scale(const FormatsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const NumberFormat& f = number_format(shown_format(r.state, r.frame));
    const auto& steps = loss_scale_run(r.state, f.id);
    const std::size_t at = moment_of(r.frame, steps.size() - 1);
    const double scale = steps[at].scale;
    if (area.h > p.px(300))
    {
        draw_trace(p, area.cut_bottom(area.h * 0.36F), steps, at, r.state, r.out);
        area.cut_bottom(p.px(12));
    }
    const std::string title = fmt::format("Gradients \u00d7 {} in {}", exact_power(scale), f.name);
    const std::string says =
        fmt::format("step {}: the largest is 2^{:.1f}{}", at + 1, steps[at].largest + std::log2(scale),
                    steps[at].overflow ? ", overflow" : "");
    Plot plot(p, area, {kFirstPower, kLastPower, PlotScale::linear, "", two_to_the}, {0, 1.15},
              {.title = title, .note = says, .part = "gradients"});
    if (plot)
    {
        draw_ranges(p, plot, f);
        draw_bell(p, plot, r.state.run.spread, std::log2(scale));
    }
}

// Every format's shares at this scale.
void draw_range_table(const Painter& p, Rect area, FormatsState& state, FormatId shown, double scale)
{
    const auto share = [&](double RangeShares::*which)
    {
        return [&state, scale, which](const NumberFormat& f)
        {
            const double lost = range_shares(f, state.run.spread, scale).*which;
            return lost < 1e-9 ? "0%" : format_percent(lost);
        };
    };
    const Table<NumberFormat> table(
        {{"", [](const NumberFormat& f) { return f.name; }},
         {"underflow", share(&RangeShares::zero)},
         {"overflow", share(&RangeShares::overflow)}},
        [](const NumberFormat& f) { return fmt::format("###format {}", f.name); },
        [shown](const NumberFormat& f) { return f.id == shown; });
    if (const TableEvent event = table.draw(p, area, number_formats()); event.pressed)
    {
        state.chosen = number_formats()[*event.pressed].id;
    }
}

void panel_loss_scale(PanelColumn& column, const FormatsRoom& r)
{
    choose_format(column, r);
    LossScaleRun& run = r.state.run;
    column.label("Initial loss scale");
    column.choice({"1", "2\u00b9\u2076", "2\u00b2\u2074"}, kFirstScales, run.start);
    column.toggle("Dynamic loss scaling", run.rule.dynamic,
                  "Halved on overflow, doubled after a number of steps without overflow (D)");
    column.slide("Growth interval, steps", Track::at(kIntervals, plain_number), run.rule.growth_interval);
    const FormatId shown = shown_format(r.state, r.frame);
    const auto& steps = loss_scale_run(r.state, shown);
    const auto here = steps.begin() + static_cast<std::ptrdiff_t>(moment_of(r.frame, steps.size() - 1));
    column.fact("Steps without overflow", std::to_string(here->good_steps));
    column.fact("Skipped steps so far",
                std::to_string(std::count_if(steps.begin(), here + 1,
                                             [](const LossScaleStep& s) { return s.overflow; })));
    draw_range_table(r.p, column.rest(), r.state, shown, here->scale);
}

Caption caption_loss_scale(const Frame& frame, FormatsState& state)
{
    const NumberFormat& f = number_format(shown_format(state, frame));
    const auto& steps = loss_scale_run(state, f.id);
    const LossScaleStep& step = steps[moment_of(frame, steps.size() - 1)];
    const RangeShares now = range_shares(f, state.run.spread, step.scale);
    const RangeShares bare = range_shares(f, state.run.spread, 1);
    const auto percent = [](double share)
    { return share < 1e-9 ? std::string("0%") : format_percent(share); };
    Caption c;
    c.sentence =
        step.overflow
            ? fmt::format("!!Overflow!!: {} skips this step and halves the scale to {}.", f.name,
                          exact_power(std::max(1.0, step.scale / 2)))
            : fmt::format("Scaled by {}, **{}** of the gradients underflow in {}; unscaled, {} would.",
                          exact_power(step.scale), percent(now.zero), f.name, percent(bare.zero));
    if (step.overflow && !state.run.rule.dynamic)
    {
        c.sentence = fmt::format(
            "!!Overflow!!: {} skips this step, and with a fixed scale the next ones like it.", f.name);
    }
    c.formula = fmt::format("underflow: |g| S \u2264 {};  overflow: |g| S > {};  S = {}",
                            exact_power(underflow_threshold(f)), exact_power(overflow_threshold(f)),
                            exact_power(step.scale));
    c.source = "Micikevicius et al. 2018, arXiv 1710.03740, section 3.2. Gradients are synthetic: log2|g| is "
               "normal; "
               "the largest of a million decides whether a step overflows.";
    return c;
}

Motion motion_loss_scale(const Frame& frame, FormatsState& state)
{
    const std::size_t steps = loss_scale_steps(state.run);
    Motion motion;
    motion.duration = static_cast<double>(steps - 1);
    motion.per_second = static_cast<double>(state.run.rule.growth_interval);
    motion.rest = motion.duration;
    motion.label = fmt::format("step {}/{}", moment_of(frame, steps - 1) + 1, steps);
    return motion;
}

} // namespace

const Page<FormatsState> loss_scale_page{
    "Scale", draw_loss_scale, panel_loss_scale, caption_loss_scale, motion_loss_scale, "Loss scaling"};

} // namespace ringside
