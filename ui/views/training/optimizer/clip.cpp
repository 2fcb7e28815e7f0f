#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kClipReach = 4; // of the plane, each way up

void draw_arrow(const Painter& p, const Plot& plot, double x, double y, Colour colour, float thickness)
{
    const ImVec2 from = plot.at({0, 0});
    const ImVec2 to = plot.at({x, y});
    if (std::hypot(to.x - from.x, to.y - from.y) > p.px(8))
    {
        p.arrow(from, to, colour, p.px(thickness));
    }
}

double twentieth(double value)
{
    return std::round(value * 20) / 20;
}

void drag_gradient(Plot& plot, OptimizerState& state, double norm)
{
    const PlotMove tip = plot.grip({state.gx, state.gy}, "###tip of the gradient",
                                   fmt::format("|g| = {}", three_digits(norm)));
    if (tip.to)
    {
        state.gx = twentieth(tip.to->x);
        state.gy = twentieth(tip.to->y);
    }
    const double grown = 1 + 0.05 * tip.steps;
    state.gx = plot.x.held(state.gx * grown);
    state.gy = plot.y.held(state.gy * grown);
}

void drag_limit(Plot& plot, OptimizerState& state)
{
    const double side = -state.limit * std::sqrt(0.5);
    const PlotMove grip = plot.grip({side, side}, "###largest norm");
    const double to = grip.to ? twentieth(std::hypot(grip.to->x, grip.to->y)) : state.limit;
    state.limit = std::clamp(to + 0.05 * grip.steps, 0.1, kClipReach * 0.95);
}

// Shortened by its norm, and, dashed, cut coordinate by coordinate.
void draw_clipped(const Painter& p, Plot& plot, const OptimizerState& state, double norm)
{
    const double bx = std::clamp(state.gx, -state.limit, state.limit);
    const double by = std::clamp(state.gy, -state.limit, state.limit);
    const double turned = (state.gx * by - state.gy * bx) / norm;
    plot.line({{0, 0}, {bx, by}}, {p.theme.muted, 1.5F, true});
    plot.label({bx, by}, bx == state.gx && by == state.gy ? "by value: unchanged"
                         : std::fabs(turned) < 1e-9       ? "by value: too long"
                                                          : "by value: turned");
    const double factor = clip_factor(norm, state.limit);
    const PlotPoint kept{state.gx * factor, state.gy * factor};
    draw_arrow(p, plot, kept.x, kept.y, p.theme.of(Component::gradients).fill, 4);
    plot.label(kept, fmt::format("by norm: \u00d7 {}", three_digits(factor)), true);
}

} // namespace

void draw_clip_page(const Painter& p, Rect area, OptimizerState& state)
{
    const double wide = kClipReach * static_cast<double>(area.w / std::max(1.0F, area.h - p.px(52)));
    const auto number = [](double v) { return fmt::format("{:g}", v); };
    Plot plot(p, area, {-wide, wide, PlotScale::linear, "", number},
              {-kClipReach, kClipReach, PlotScale::linear, "", number},
              {.title = "A gradient and its largest norm",
               .says = "two of billions of directions; drag the tip, or the circle",
               .part = "clip"});
    if (!plot)
    {
        return;
    }
    const Theme& t = p.theme;
    const double norm = std::hypot(state.gx, state.gy);
    const double factor = clip_factor(norm, state.limit);
    const float radius = plot.at_x(state.limit) - plot.at_x(0);
    p.list.AddCircleFilled(plot.at({0, 0}), radius, with_alpha(t.stage_ramp[3], 0.18F), 96);
    std::vector<PlotPoint> circle;
    for (const PlotPoint& v : sampled(
             {0, 2 * 3.14159265358979}, [](double) { return 0.0; }, 96))
    {
        circle.push_back({state.limit * std::cos(v.x), state.limit * std::sin(v.x)});
    }
    plot.line(circle, {t.text, 2});
    const Colour gradient = t.of(Component::gradients).fill;
    draw_arrow(p, plot, state.gx, state.gy, with_alpha(gradient, factor < 1 ? 0.55F : 1), 3);
    plot.avoid({{0, 0}, {state.gx, state.gy}});
    if (factor < 1)
    {
        draw_clipped(p, plot, state, norm);
    }
    drag_limit(plot, state);
    drag_gradient(plot, state, norm);
}

} // namespace ringside
