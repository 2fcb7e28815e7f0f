#include "ui/views/lab/ranks/loss.h"

#include <fmt/format.h>

#include "ui/views/lab/lab/plot.h"

#include <array>
#include <cmath>

namespace ringside
{

void draw_team_loss(const Painter& p, Rect area, const TeamSnapshot& run)
{
    const Theme& t = p.theme;
    draw_head(p, area.cut_top(p.px(24)), "Loss", "nats per token");
    if (area.h < p.px(60) || run.losses.empty())
    {
        return;
    }
    const std::array curves{StepCurve{run.losses, run.loss_stride, 0, true, true, ""}};
    Plot plot(p, area, step_axis(curves), value_axis(curves));
    if (!plot)
    {
        return;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (const TeamMark& mark : run.marks)
    {
        const auto step = static_cast<double>(mark.step);
        plot.rule_x(step, {mark.trouble ? t.warning : t.muted, 1});
        const float x = plot.at_x(step);
        if (mark.trouble)
        {
            p.triangle(x - p.px(8), plot.area.y + p.px(8), t.warning);
        }
        const bool near = std::abs(mouse.x - x) < p.px(5) && plot.area.contains(mouse);
        if (near && ImGui::IsWindowHovered())
        {
            tooltip_at_mouse(p, fmt::format("step {}: {}", mark.step, mark.says));
        }
    }
    draw_step_curve(p, plot, curves.front());
}

} // namespace ringside
