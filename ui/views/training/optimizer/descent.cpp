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

constexpr double kReach = 3;
constexpr int kRings = 9;
constexpr int kCorners = 72;

// Lines of equal loss, each a quarter of the one outside it.
void draw_valley(const Painter& p, Plot& plot, const Valley& v)
{
    const double c = std::cos(v.angle);
    const double s = std::sin(v.angle);
    double loss = v.across * 12;
    for (int ring = 0; ring < kRings; ++ring, loss /= 4)
    {
        const double a = std::sqrt(2 * loss / v.along);
        const double b = std::sqrt(2 * loss / v.across);
        std::vector<PlotPoint> points;
        for (int i = 0; i <= kCorners; ++i)
        {
            const double t = 2 * 3.14159265358979 * i / kCorners;
            const double along = a * std::cos(t);
            const double across = b * std::sin(t);
            points.push_back({v.x + c * along - s * across, v.y + s * along + c * across});
        }
        plot.line(points, {mix(p.theme.grid, p.theme.line, 0.1F * static_cast<float>(ring)), 1});
    }
    plot.speck({v.x, v.y}, {p.theme.text, 5, PlotShape::cross});
}

Colour colour_of(const Theme& t, Stepper stepper)
{
    switch (stepper)
    {
    case Stepper::sgd:
        return t.of(Component::activations).fill;
    case Stepper::momentum:
        return t.of(Component::momentum).fill;
    case Stepper::adam_l2:
        return t.of(Component::variance).fill;
    case Stepper::adamw:
        break;
    }
    return t.of(Component::weights).fill;
}

void draw_path(const Painter& p, const Plot& plot, const std::vector<DescentPoint>& path, std::size_t at,
               Colour colour, bool chosen)
{
    const float thickness = p.px(chosen ? 3 : 1.5F);
    const std::size_t last = std::min(at, path.size() - 1);
    // Line by line: a polyline's joints grow spikes where a path turns back on itself.
    for (std::size_t i = 0; i < last; ++i)
    {
        const ImVec2 from = plot.at({path[i].x, path[i].y});
        const ImVec2 to = plot.at({path[i + 1].x, path[i + 1].y});
        p.line(from.x, from.y, to.x, to.y, colour, thickness);
        p.list.AddCircleFilled(to, thickness / 2, colour);
    }
    plot.speck({path[last].x, path[last].y}, {colour, chosen ? 6.0F : 4.0F});
}

void draw_table(const Painter& p, Rect area, OptimizerState& state, std::size_t at)
{
    for (std::size_t i = 0; i < kSteppers; ++i)
    {
        DescentOptions o = state.descent;
        o.stepper = static_cast<Stepper>(i);
        const auto path = descend(state.valley, o);
        const bool gone = diverged(path) && at + 1 >= path.size();
        const DescentPoint& now = path[std::min(at, path.size() - 1)];
        const bool chosen = o.stepper == state.descent.stepper;
        const Rect row = area.cut_top(p.px(28));
        const Press hit = press(p, row, fmt::format("###optimizer {}", name_of(o.stepper)).c_str());
        if (chosen || hit.hovered)
        {
            p.fill(row, p.theme.control, p.px(4));
        }
        state.descent.stepper = hit.clicked ? o.stepper : state.descent.stepper;
        p.fill({row.x + p.px(8), row.middle() - p.px(5), p.px(10), p.px(10)}, colour_of(p.theme, o.stepper));
        p.text_within(row.x + p.px(28), row.middle(), row.w * 0.3F, chosen ? Type::small_strong : Type::small,
                      p.theme.text, name_of(o.stepper));
        if (gone)
        {
            p.triangle(row.x + row.w * 0.4F, row.middle(), p.theme.warning);
        }
        p.text_within(row.x + row.w * 0.4F + p.px(gone ? 22 : 0), row.middle(), row.w * 0.3F, Type::small,
                      p.theme.muted, gone ? "diverged" : "loss " + three_digits(now.loss));
        p.text(row.right() - p.px(8), row.middle(), Type::small, p.theme.muted,
               p.shortened(Type::small, gone ? "" : "update " + three_digits(now.update), row.w * 0.28F),
               Align::right);
    }
}

// Whose path is whose, where there is no table.
void draw_names(const Painter& p, Rect row, Stepper chosen)
{
    float x = row.x;
    for (std::size_t i = 0; i < kSteppers; ++i)
    {
        const auto stepper = static_cast<Stepper>(i);
        const Type type = stepper == chosen ? Type::small_strong : Type::small;
        p.fill({x, row.middle() - p.px(5), p.px(10), p.px(10)}, colour_of(p.theme, stepper));
        x += p.px(16);
        x += p.text_within(x, row.middle(), row.right() - x, type, p.theme.text, name_of(stepper)) + p.px(18);
    }
}

} // namespace

void draw_descent_page(const Painter& p, Rect area, OptimizerState& state, const Frame& frame)
{
    const std::size_t at = descent_step_at(state, frame);
    const bool tabled = area.h > p.px(340);
    if (tabled)
    {
        draw_table(p, area.cut_bottom(p.px(28 * 4)), state, at);
        area.cut_bottom(p.px(10));
    }
    if (!tabled && area.h > p.px(120))
    {
        draw_names(p, area.cut_top(p.px(22)), state.descent.stepper);
    }
    const double wide = kReach * static_cast<double>(area.w / std::max(1.0F, area.h - p.px(52)));
    const auto number = [](double v) { return fmt::format("{:g}", v); };
    const std::string says = fmt::format("{} times as steep across as along; drag the start",
                                         three_digits(state.valley.across / state.valley.along));
    Plot plot(p, area, {-wide, wide, PlotScale::linear, "", number},
              {-kReach, kReach, PlotScale::linear, "", number},
              {.title = "2-D quadratic loss", .says = says, .part = "descent"});
    if (!plot)
    {
        return;
    }
    draw_valley(p, plot, state.valley);
    for (const bool chosen : {false, true})
    {
        for (std::size_t i = 0; i < kSteppers; ++i)
        {
            DescentOptions o = state.descent;
            o.stepper = static_cast<Stepper>(i);
            if ((o.stepper == state.descent.stepper) == chosen)
            {
                draw_path(p, plot, descend(state.valley, o), at, colour_of(p.theme, o.stepper), chosen);
            }
        }
    }
    const PlotMove start = plot.grip({state.descent.x, state.descent.y}, "###start of the paths");
    if (start.to)
    {
        state.descent.x = std::round(start.to->x * 20) / 20;
        state.descent.y = std::round(start.to->y * 20) / 20;
    }
    state.descent.x = plot.x.held(state.descent.x + 0.1 * start.steps);
}

} // namespace ringside
