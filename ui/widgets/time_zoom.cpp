#include "ui/widgets/time_zoom.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

TimeWindow TimeZoom::window(double all) const
{
    const double length = std::max(1e-9, all);
    return zoomed_ && zoomed_->from < length ? *zoomed_ : TimeWindow{0, length};
}

void TimeZoom::zoom(double about, double factor, double all)
{
    const TimeWindow now = zoomed_.value_or(TimeWindow{0, all});
    TimeWindow next{about - (about - now.from) * factor, about + (now.to - about) * factor};
    const double span = std::clamp(next.to - next.from, all / 1e6, all);
    next.from = std::clamp(next.from, 0.0, all - span);
    next.to = next.from + span;
    zoomed_ = span >= all * 0.999 ? std::nullopt : std::optional(next);
}

void TimeZoom::move(double by, double all)
{
    if (zoomed_)
    {
        const double span = zoomed_->to - zoomed_->from;
        const double from = std::clamp(zoomed_->from + by, 0.0, std::max(0.0, all - span));
        zoomed_ = TimeWindow{from, from + span};
    }
}

void TimeZoom::mouse(Rect field, double all)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (!field.contains(io.MousePos) || !ImGui::IsWindowHovered() || all <= 0)
    {
        return;
    }
    const TimeWindow now = window(all);
    if (io.MouseWheel != 0)
    {
        zoom(now.t(field, io.MousePos.x), std::pow(0.85, static_cast<double>(io.MouseWheel)), all);
    }
    if (ImGui::IsMouseDragging(0, 2) && field.contains(io.MouseClickedPos[0]))
    {
        move(-static_cast<double>(io.MouseDelta.x / field.w) * (now.to - now.from), all);
    }
    if (ImGui::IsMouseDoubleClicked(0))
    {
        zoomed_.reset();
    }
}

void TimeZoom::keys(double about, double all)
{
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key) && !ImGui::GetIO().KeyCtrl; };
    const TimeWindow now = window(all);
    if (pressed(ImGuiKey_W) || pressed(ImGuiKey_S))
    {
        zoom(std::clamp(about, now.from, now.to), pressed(ImGuiKey_W) ? 0.8 : 1.25, all);
    }
    move((now.to - now.from) * ((pressed(ImGuiKey_D) ? 0.1 : 0) - (pressed(ImGuiKey_A) ? 0.1 : 0)), all);
    if (pressed(ImGuiKey_F))
    {
        zoomed_.reset();
    }
}

} // namespace ringside
