#include "ui/views/training/formats/gradients.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

bool same(const LossScaleRun& a, const LossScaleRun& b)
{
    return a.start == b.start && a.spread == b.spread && a.gradients == b.gradients && a.format == b.format &&
           a.rule.dynamic == b.rule.dynamic && a.rule.growth_interval == b.rule.growth_interval;
}

constexpr double kFirstPower = -64; // on show
constexpr double kLastPower = 38;

std::string power_of_two(double e)
{
    return e == 0 ? std::string("1") : fmt::format("2^{:g}", e);
}

// Lost at either end hatched, fewer bits tinted.
void draw_ranges(const Painter& p, Plot& plot, const NumberFormat& f)
{
    const Theme& t = p.theme;
    const double zero = std::log2(underflow_threshold(f));
    const double normal = std::log2(smallest_normal(f));
    const double end = std::log2(overflow_threshold(f));
    plot.band_x(kFirstPower, zero, with_alpha(t.idle_hatch, 0.6F), "underflows to 0", kIdleHatch);
    plot.band_x(zero, normal, with_alpha(t.stage_ramp[1], 0.3F), "fewer bits");
    plot.band_x(normal, end, with_alpha(t.stage_ramp[3], 0.3F), "kept");
    plot.band_x(end, kLastPower, with_alpha(t.warning, 0.5F),
                f.specials == Specials::ieee ? "overflows" : "beyond the end", kOverflowHatch);
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
            ? fmt::format("doubled after {} good steps in a row, halved and skipped (\u00d7) on overflow",
                          state.run.rule.growth_interval)
            : "fixed";
    std::vector<double> scales(steps.size());
    std::ranges::transform(steps, scales.begin(), &LossScaleStep::scale);
    const auto [low, high] = std::ranges::minmax(scales);
    const auto last = static_cast<double>(std::max<std::size_t>(1, steps.size() - 1));
    Plot plot(p, area, {0, last, PlotScale::linear, "", [](double v) { return fmt::format("{:g}", v); }},
              {low / 4, high * 4, PlotScale::log2, "", exact_power},
              {.title = "Loss scale over the steps", .says = rule, .part = "loss scale"});
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

} // namespace

const std::vector<LossScaleStep>& LossScaleRuns::of(const FormatsState& state, FormatId format) const
{
    LossScaleRun wanted = state.run;
    wanted.format = format;
    if (steps_.size() != loss_scale_steps(state) || !same(wanted, run_) || seed_ != state.seed)
    {
        run_ = wanted;
        seed_ = state.seed;
        steps_ = run_loss_scale(wanted, loss_scale_steps(state), state.seed);
    }
    return steps_;
}

void draw_gradients_page(const Painter& p, Rect area, FormatsState& state, const Frame& frame,
                         const std::vector<LossScaleStep>& steps, Out& out)
{
    const std::size_t at = std::min(loss_step_at(state, frame), steps.size() - 1);
    const double scale = steps[at].scale;
    const NumberFormat& f = number_format(shown_format(state, frame));
    if (area.h > p.px(300))
    {
        draw_trace(p, area.cut_bottom(area.h * 0.36F), steps, at, state, out);
        area.cut_bottom(p.px(12));
    }
    const std::string title = fmt::format("Gradients times {} in {}", exact_power(scale), f.name);
    const std::string says =
        fmt::format("step {}: the largest is 2^{:.1f}{}", at + 1, steps[at].largest + std::log2(scale),
                    steps[at].overflow ? ", too large" : "");
    Plot plot(p, area, {kFirstPower, kLastPower, PlotScale::linear, "", power_of_two}, {0, 1.15},
              {.title = title, .says = says, .part = "gradients"});
    if (plot)
    {
        draw_ranges(p, plot, f);
        draw_bell(p, plot, state.run.spread, std::log2(scale));
    }
}

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
         {"become 0", share(&RangeShares::zero)},
         {"overflow", share(&RangeShares::overflow)}},
        [](const NumberFormat& f) { return fmt::format("###format {}", f.name); },
        [shown](const NumberFormat& f) { return f.id == shown; });
    if (const TableEvent event = table.draw(p, area, number_formats()); event.pressed)
    {
        state.chosen = number_formats()[*event.pressed].id;
    }
}

} // namespace ringside
