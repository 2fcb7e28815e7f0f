// A gradient against max_grad_norm, clipped by its norm and, dashed, value by value.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kClipReach = 3;   // of the plane, each way, where it is narrower
constexpr double kMostLimit = 3.8; // of max_grad_norm
constexpr std::array<double, 9> kLimits{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 3.8};

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
    state.gx = plot.x.clamped(state.gx * grown);
    state.gy = plot.y.clamped(state.gy * grown);
}

void drag_limit(Plot& plot, OptimizerState& state)
{
    const double side = -state.limit * std::sqrt(0.5);
    const PlotMove grip = plot.grip({side, side}, "###largest norm");
    const double to = grip.to ? twentieth(std::hypot(grip.to->x, grip.to->y)) : state.limit;
    state.limit = std::clamp(to + 0.05 * grip.steps, 0.1, kMostLimit);
}

// Shortened by its norm, and, dashed, cut coordinate by coordinate.
void draw_clipped(const Painter& p, Plot& plot, const OptimizerState& state, double norm)
{
    const double bx = std::clamp(state.gx, -state.limit, state.limit);
    const double by = std::clamp(state.gy, -state.limit, state.limit);
    const double turned = (state.gx * by - state.gy * bx) / norm;
    plot.line({{0, 0}, {bx, by}}, {p.theme.muted, 1.5F, true});
    plot.label({bx, by}, bx == state.gx && by == state.gy ? "by value: unchanged"
                         : std::fabs(turned) < 1e-9       ? "by value: still too long"
                                                          : "by value: direction changes");
    const double factor = clip_factor(norm, state.limit);
    const PlotPoint kept{state.gx * factor, state.gy * factor};
    draw_arrow(p, plot, kept.x, kept.y, p.theme.of(Component::gradients).fill, 4);
    plot.label(kept, fmt::format("by norm: \u00d7 {}", three_digits(factor)), true);
}

// A run as runs are: its first gradients are long, then most stay below the limit, and clipping is the
// exception.
std::vector<DescentPoint> noisy_run(const OptimizerState& state)
{
    Valley valley = state.valley;
    valley.across = 4; // as gentle as a run that has found its valley
    valley.noise = 0.36;
    DescentOptions o{.stepper = Stepper::sgd, .rate = 0.1, .clip = state.limit};
    o.x = -0.9;
    o.y = 0.6;
    o.steps = 300;
    o.seed = state.descent.seed;
    return descend(valley, o);
}

// The norms of its gradients.
void draw_norms(const OptimizerRoom& r, Rect area, const std::vector<DescentPoint>& path)
{
    std::vector<PlotPoint> norms;
    std::vector<PlotPoint> clipped;
    double most = r.state.limit;
    std::size_t over = 0;
    for (std::size_t i = 1; i < path.size(); ++i)
    {
        const auto step = static_cast<double>(i);
        norms.push_back({step, path[i].gradient});
        clipped.push_back({step, std::min(path[i].gradient, r.state.limit)});
        most = std::max(most, path[i].gradient);
        over += path[i].gradient > r.state.limit ? 1 : 0;
    }
    const Colour colour = r.p.theme.of(Component::gradients).fill;
    Plot plot(r.p, area, {1, norms.back().x, PlotScale::linear, "step", plain_number},
              {0, most * 1.1, PlotScale::linear, "", plain_number},
              {.title = "Gradient norm of a noisy run",
               .note = fmt::format("{} of {} steps clipped", over, norms.size()),
               .part = "norms"});
    if (!plot)
    {
        return;
    }
    plot.fill_below(clipped, with_alpha(colour, 0.35F));
    plot.line(norms, {colour, 1.5F});
    plot.rule_y(r.state.limit, {r.p.theme.text, 1.5F, true}, "max_grad_norm");
}

// The gradients in the plane: pale within the circle, bright where they are cut.
void draw_run(Plot& plot, const Theme& t, const std::vector<DescentPoint>& path, double limit)
{
    const Colour colour = t.of(Component::gradients).fill;
    for (std::size_t i = 1; i < path.size(); ++i)
    {
        const bool cut = path[i].gradient > limit;
        plot.speck({path[i].gx, path[i].gy}, {cut ? colour : with_alpha(colour, 0.35F), cut ? 3.0F : 2.0F});
    }
}

void draw_clip(const OptimizerRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    OptimizerState& state = r.state;
    const std::vector<DescentPoint> run = noisy_run(state);
    if (area.w > p.px(640) && area.h > p.px(200))
    {
        draw_norms(r, area.cut_right(area.w * 0.55F), run);
        area.cut_right(p.px(24));
    }
    const auto number = [](double v) { return fmt::format("{:g}", v); };
    // One unit is as long to the right as it is up, so that circles are round: beside the area are the
    // numbers of the one axis, above and below it the title and those of the other.
    const float left = plot_left(p, {-kClipReach, kClipReach, PlotScale::linear, "", number});
    const float wide = std::max(1.0F, area.w - left - p.px(12));
    const float high =
        std::max(1.0F, area.h - p.height(Type::small_strong) - p.height(Type::mono_small) - p.px(18));
    const auto axis = [&](float side)
    {
        const double reach = kClipReach * static_cast<double>(side / std::min(wide, high));
        return PlotAxis{-reach, reach, PlotScale::linear, "", number};
    };
    Plot plot(p, area, axis(wide), axis(high),
              {.title = "Gradient clipping by norm",
               .note = "two of billions of dimensions; dots: the run",
               .part = "clip",
               .left = left});
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
    draw_run(plot, t, run, state.limit);
    draw_arrow(p, plot, state.gx, state.gy, with_alpha(gradient, factor < 1 ? 0.55F : 1), 3);
    plot.avoid({{0, 0}, {state.gx, state.gy}});
    if (factor < 1)
    {
        draw_clipped(p, plot, state, norm);
    }
    drag_limit(plot, state);
    drag_gradient(plot, state, norm);
}

void panel_clip(PanelColumn& column, const OptimizerRoom& r)
{
    column.slide("max_grad_norm", Track::at(kLimits, three_digits), r.state.limit);
    const double norm = std::hypot(r.state.gx, r.state.gy);
    const double factor = clip_factor(norm, r.state.limit);
    column.fact("Gradient norm", three_digits(norm));
    column.fact("Clip coefficient", three_digits(factor));
    column.fact("Norm after clipping", three_digits(norm * factor));
    column.gap();
    column.note("The norm is over **all** parameters on all ranks: each rank adds the squared norm of its "
                "shard, then the root is taken.");
}

Caption caption_clip(const Frame&, OptimizerState& state)
{
    const double norm = std::hypot(state.gx, state.gy);
    const double factor = clip_factor(norm, state.limit);
    return {factor < 1 ? fmt::format("A gradient norm of {} is clipped to {}: **shorter, same direction**.",
                                     three_digits(norm), three_digits(state.limit))
                       : fmt::format("A gradient norm of {} is within max_grad_norm {}: **not clipped**.",
                                     three_digits(norm), three_digits(state.limit)),
            fmt::format("min(1, c / |g|) = min(1, {} / {}) = {}", three_digits(state.limit),
                        three_digits(norm), three_digits(factor)),
            "Pascanu et al. 2013, arXiv 1211.5063, algorithm 1"};
}

} // namespace

const Page<OptimizerState> clip_page{"Clip",       draw_clip, panel_clip,
                                     caption_clip, nullptr,   "Gradient clipping"};

} // namespace ringside
