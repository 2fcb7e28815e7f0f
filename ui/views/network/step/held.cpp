#include "core/base/text.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Held from each moment to the next.
std::vector<PlotPoint> held_line(const StepLife& life, bool gradients)
{
    std::vector<PlotPoint> points;
    for (const StepHeld& h : life.held)
    {
        points.push_back({h.t, h.weights.value + (gradients ? h.gradients.value : 0)});
    }
    return stairs(points, false);
}

} // namespace

StepCases step_cases(const Scenario& scenario, StepOptions options)
{
    StepCases all;
    for (std::size_t i = 0; i < kStepStrategies; ++i)
    {
        options.strategy = static_cast<StepStrategy>(i);
        all[i].life = step_life(scenario, options);
        all[i].moments = task_moments(all[i].life.tasks, all[i].life.total);
    }
    return all;
}

void draw_held(const Painter& p, Rect area, const StepLife& life, TimeWindow window)
{
    const std::vector<PlotPoint> weights = held_line(life, false);
    const std::vector<PlotPoint> all = held_line(life, true);
    const double most = std::max(1.0, std::ranges::max(all, {}, &PlotPoint::y).y);
    const float left = p.px(72);
    const auto bytes = [&](double v) { return v == 0 ? "0" : format_bytes(Bytes(v), p.look.unit); };
    Plot plot(p, {area.x - left, area.y, area.w + left + p.px(12), area.h}, {window.from, window.to},
              {0, most, PlotScale::linear, "", bytes, {0, most / 2, most}}, {.left = left});
    if (!plot)
    {
        return;
    }
    const Colour lower = p.theme.of(Component::weights).fill;
    const Colour upper = p.theme.of(Component::gradients).fill;
    plot.fill_below(weights, with_alpha(lower, 0.55F));
    plot.fill(weights, all, with_alpha(upper, 0.55F));
    plot.line(weights, {lower, 2});
    plot.line(all, {upper, 2});
}

} // namespace ringside
