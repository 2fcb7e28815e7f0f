#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/optimizer/pages.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kReach = 4; // of the plane, each way up

Chart plane_of(const Painter& p, Rect area)
{
    Chart g;
    area.cut_top(p.px(30));
    area.cut_bottom(p.px(28));
    area.cut_left(p.px(44));
    area.cut_right(p.px(20));
    const double wide = kReach * static_cast<double>(area.w / std::max(1.0F, area.h));
    g.area = area;
    g.x = {-wide, wide};
    g.y = {-kReach, kReach};
    return g;
}

void draw_arrow(const Painter& p, const Chart& g, double x, double y, Colour colour, float thickness)
{
    const ImVec2 from = g.at(0, 0);
    const ImVec2 to = g.at(x, y);
    if (std::hypot(to.x - from.x, to.y - from.y) > p.px(8))
    {
        p.arrow(from, to, colour, p.px(thickness));
    }
}

void drag_gradient(const Painter& p, const Chart& g, OptimizerState& state)
{
    const ChartGrip tip = draw_chart_grip(p, g.at(g.x.held(state.gx), g.y.held(state.gy)),
                                          "###tip of the gradient", p.theme.text);
    if (tip.to)
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        state.gx = std::round(g.x_of(mouse.x) * 20) / 20;
        state.gy = std::round(g.y_of(mouse.y) * 20) / 20;
    }
    const double grown = 1 + 0.05 * tip.steps;
    state.gx = g.x.held(state.gx * grown);
    state.gy = g.y.held(state.gy * grown);
}

void drag_limit(const Painter& p, const Chart& g, OptimizerState& state)
{
    const ChartGrip grip =
        draw_chart_grip(p, g.at(-state.limit * std::sqrt(0.5), -state.limit * std::sqrt(0.5)),
                        "###largest norm", p.theme.text);
    if (grip.to)
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const double to = std::hypot(g.x_of(mouse.x), g.y_of(mouse.y));
        state.limit = std::clamp(std::round(to * 20) / 20, 0.1, kReach * 0.95);
    }
    state.limit = std::clamp(state.limit + 0.05 * grip.steps, 0.1, kReach * 0.95);
}

// Beside a point, away from it along `normal`, which has length 1.
void draw_beside(const Painter& p, const Chart& g, ImVec2 at, ImVec2 normal, std::string_view words,
                 bool strong)
{
    const float w = p.width(strong ? Type::small_strong : Type::small, words);
    draw_chart_label(p, g.area,
                     {at.x + normal.x * p.px(14) - (normal.x < 0 ? w : 0), at.y - normal.y * p.px(16)}, words,
                     strong);
}

// Shortened by its norm, and, dashed, cut coordinate by coordinate; their labels on either side of the
// gradient.
void draw_clipped(const Painter& p, const Chart& g, const OptimizerState& state, double norm)
{
    const double bx = std::clamp(state.gx, -state.limit, state.limit);
    const double by = std::clamp(state.gy, -state.limit, state.limit);
    const double turned = (state.gx * by - state.gy * bx) / norm;
    const double side = turned < 0 ? -1 : 1;
    const ImVec2 normal{static_cast<float>(-side * state.gy / norm),
                        static_cast<float>(side * state.gx / norm)};
    p.dashed(g.at_x(0), g.at_y(0), g.at_x(bx), g.at_y(by), p.theme.muted, p.px(1.5F));
    draw_beside(p, g, g.at(bx, by), normal,
                bx == state.gx && by == state.gy ? "by value: unchanged"
                : std::fabs(turned) < 1e-9       ? "by value: too long"
                                                 : "by value: turned",
                false);
    const double factor = clip_factor(norm, state.limit);
    const double x = state.gx * factor;
    const double y = state.gy * factor;
    draw_arrow(p, g, x, y, p.theme.of(Component::gradients).fill, 4);
    draw_beside(p, g, g.at(x, y), {-normal.x, -normal.y},
                fmt::format("by norm: \u00d7 {}", three_digits(factor)), true);
}

} // namespace

void draw_clip_page(const Painter& p, Rect area, OptimizerState& state)
{
    const Chart g = plane_of(p, area);
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "A gradient and its largest norm",
                     "two of billions of directions; drag the tip, or the circle");
    if (!g.drawable(p))
    {
        return;
    }
    p.part("clip", area);
    const auto number = [](double v) { return fmt::format("{:g}", v); };
    draw_chart_y(p, g, "", number);
    draw_chart_x(p, g, "", number);
    const Theme& t = p.theme;
    const double norm = std::hypot(state.gx, state.gy);
    const double factor = clip_factor(norm, state.limit);
    const float radius = g.at_x(state.limit) - g.at_x(0);
    p.list.AddCircleFilled(g.at(0, 0), radius, with_alpha(t.stage_ramp[3], 0.18F), 96);
    p.list.AddCircle(g.at(0, 0), radius, t.text, 96, p.px(2));
    const Colour gradient = t.of(Component::gradients).fill;
    draw_arrow(p, g, state.gx, state.gy, with_alpha(gradient, factor < 1 ? 0.55F : 1), 3);
    if (factor < 1)
    {
        draw_clipped(p, g, state, norm);
    }
    draw_chart_label(p, g.area, {g.at_x(g.x.held(state.gx)) + p.px(14), g.at_y(g.y.held(state.gy))},
                     fmt::format("|g| = {}", three_digits(norm)), true);
    drag_limit(p, g, state);
    drag_gradient(p, g, state);
}

} // namespace ringside
