#include "ui/shell/overlay.h"

#include <algorithm>

namespace ringside
{

void push_overlay_style(const Painter& painter)
{
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {painter.px(16), painter.px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, painter.px(8));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, painter.theme.control);
}

void pop_overlay_style()
{
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
}

OverlayScope::OverlayScope(const Painter& painter, const char* id, ImVec2 size)
{
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({(display.x - size.x) / 2, std::min(painter.px(88), (display.y - size.y) / 2)});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    push_overlay_style(painter);
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings);
}

OverlayScope::~OverlayScope()
{
    ImGui::End();
    pop_overlay_style();
}

} // namespace ringside
