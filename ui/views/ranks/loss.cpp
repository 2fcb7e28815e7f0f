#include "ui/views/ranks/loss.h"

#include <fmt/format.h>

#include "ui/views/lab/plot.h"
#include "ui/widgets/controls.h"

#include <array>
#include <cmath>

namespace ringside
{

void draw_team_loss(const Painter& p, Rect area, const TeamSnapshot& run)
{
    const Theme& t = p.theme;
    draw_head(p, area.cut_top(p.px(24)), "Loss", fmt::format("nats a token, {} steps", run.losses.size()));
    if (area.h < p.px(60) || run.losses.empty())
    {
        return;
    }
    area.cut_bottom(p.px(26));
    area.cut_top(p.px(6));
    area.cut_left(p.px(32));
    area.cut_right(p.px(6));
    const std::array curves{StepCurve{run.losses, run.loss_stride, 0, true, true, ""}};
    const StepPlot plot = plot_of(area, curves);
    draw_axes(p, plot, area.right());
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (const TeamMark& mark : run.marks)
    {
        const float x = std::round(plot.x(static_cast<double>(mark.step)));
        p.line(x, area.y, x, area.bottom(), mark.trouble ? t.warning : t.muted);
        if (mark.trouble)
        {
            p.triangle(x - p.px(8), area.y + p.px(8), t.warning);
        }
        const bool near = std::abs(mouse.x - x) < p.px(5) && area.contains(mouse);
        if (near && ImGui::IsWindowHovered())
        {
            tooltip_at_mouse(p, fmt::format("step {}: {}", mark.step, mark.says));
        }
    }
    draw_step_curve(p, plot, curves.front());
}

} // namespace ringside
