// Range against precision, and the numbers next to one number.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"

#include <cmath>

namespace ringside
{

namespace
{

constexpr double kFirst = -152; // octaves on show
constexpr double kLast = 136;
constexpr double kMostBits = 30;
constexpr int kMostRungs = 1000;

// Steps of one octave each: up the subnormal numbers, along, and down.
std::vector<PlotPoint> outline_of(const NumberFormat& f)
{
    std::vector<PlotPoint> points{{static_cast<double>(f.least_exponent() - f.mantissa_bits), 0.8}};
    for (int e = f.least_exponent() - f.mantissa_bits; e <= f.most_exponent(); ++e)
    {
        const auto bits = static_cast<double>(significant_bits(f, e));
        points.push_back({static_cast<double>(e), bits});
        points.push_back({static_cast<double>(e) + 1, bits});
    }
    points.push_back({static_cast<double>(f.most_exponent()) + 1, 0.8});
    return points;
}

double exponent_of(double value)
{
    return value == 0 ? kFirst : std::log2(std::fabs(value));
}

void draw_marker(const Painter& p, Plot& plot, FormatsState& state, FormatId shown)
{
    const std::string words = "x = " + short_figure(state.value);
    if (!std::isfinite(state.value))
    {
        plot.label({plot.x.high, plot.y.high}, words, true);
        return;
    }
    const double here = plot.x.clamped(exponent_of(state.value));
    plot.rule_x(here, {p.theme.text, 1.5F});
    const PlotMove grip =
        plot.grip({here, plot.y_of(plot.area.bottom() - p.px(12))}, "###magnitude of the number", words);
    const double sign = std::signbit(state.value) ? -1 : 1;
    if (grip.to)
    {
        // Three digits are what a pixel is worth.
        state.value = state.middle = sign * rounded_to(std::exp2(grip.to->x), 3);
    }
    else if (grip.steps != 0)
    {
        const NumberFormat& f = number_format(shown);
        const double held = round_to(f, state.value, Overflow::saturate);
        state.value = state.middle = held + grip.steps * step_at(f, held);
    }
}

// A value's neighbours in a format, as far as they lie inside.
void draw_rungs(const Painter& p, const Plot& g, const NumberFormat& f, float height, Colour colour)
{
    const double step = step_at(f, g.x.low + (g.x.high - g.x.low) / 2);
    const double count = (g.x.high - g.x.low) / step;
    if (!(step > 0) || g.area.w / static_cast<float>(count) < p.px(3) || count < 0.1)
    {
        return;
    }
    int left = kMostRungs; // near 0 a finer format's numbers are ever closer
    for (double v = round_to(f, g.x.low, Overflow::saturate); v <= g.x.high && left > 0; --left)
    {
        if (v >= g.x.low)
        {
            const float x = g.at_x(v);
            p.line(x, g.area.bottom() - height, x, g.area.bottom(), colour, p.px(1.5F));
        }
        const double next = v + step_at(f, v);
        if (!(next > v) || v >= largest(f))
        {
            break;
        }
        v = next;
    }
}

void draw_snap(const Painter& p, Plot& plot, FormatsState& state, const NumberFormat& f, double held)
{
    plot.line({{state.value, 0}, {state.value, 0.85}}, {p.theme.text, 1.5F});
    const ImVec2 from = plot.at({state.value, 0.5});
    const ImVec2 to = plot.at({held, 0.5});
    if (std::fabs(to.x - from.x) > p.px(10))
    {
        p.arrow(from, to, p.theme.muted, p.px(1.5F));
    }
    const PlotMove grip = plot.grip({state.value, 0.85}, "###number among its neighbours");
    if (grip.to)
    {
        state.value = grip.to->x;
    }
    else if (grip.steps != 0)
    {
        state.value = state.middle = held + grip.steps * step_at(f, held);
    }
    else
    {
        // While it is dragged the line stays; then it goes on from where the number is.
        const double reach = (plot.x.high - plot.x.low) / 2;
        state.middle = std::fabs(state.value - state.middle) > reach * 0.7 ? state.value : state.middle;
    }
}

} // namespace

void draw_format_range(const Painter& p, Rect area, FormatsState& state, FormatId shown)
{
    const Theme& t = p.theme;
    Plot plot(p, area, {kFirst, kLast, PlotScale::linear, "", two_to_the},
              {0.8, kMostBits, PlotScale::log2, "", [](double v) { return fmt::format("{:g}", v); }},
              {.title = "Range vs precision",
               .note = "significant bits at each magnitude; slopes are subnormals",
               .part = "range"});
    if (!plot)
    {
        return;
    }
    plot.fill_below(outline_of(number_format(shown)), with_alpha(t.stage_ramp[3], 0.35F));
    for (const NumberFormat& f : number_formats())
    {
        const bool own = f.id == shown;
        plot.line(outline_of(f), own ? PlotStroke{t.text, 2.5F} : PlotStroke{t.muted, 1});
        // Where its full precision begins, which differs more than where its range ends.
        plot.label({static_cast<double>(f.least_exponent()), static_cast<double>(f.mantissa_bits + 1)},
                   std::string(f.name), own);
    }
    draw_marker(p, plot, state, shown);
}

void draw_format_line(const Painter& p, Rect area, FormatsState& state, FormatId shown)
{
    const NumberFormat& f = number_format(shown);
    // A number beyond the format's is too far away for its steps to show: the line ends with the format.
    const double middle = std::clamp(state.middle, -largest(f), largest(f));
    const double step = step_at(f, middle);
    const double held = std::isfinite(state.value) ? round_to(f, state.value, Overflow::saturate) : middle;
    const std::string title = fmt::format("Neighboring numbers in {}", f.name);
    const std::string says = fmt::format("spacing {}", exact_power(step));
    Plot plot(p, area,
              {middle - 3 * step,
               middle + 3 * step,
               PlotScale::linear,
               "",
               short_figure,
               {held - step, held, held + step}},
              {0, 1}, {.title = title, .note = says});
    if (!plot || !std::isfinite(state.value))
    {
        return;
    }
    for (const NumberFormat& other : number_formats())
    {
        draw_rungs(p, plot, other, p.px(other.id == shown ? 0 : 5), p.theme.line);
    }
    draw_rungs(p, plot, f, p.px(24), p.theme.text);
    draw_snap(p, plot, state, f, held);
}

} // namespace ringside
