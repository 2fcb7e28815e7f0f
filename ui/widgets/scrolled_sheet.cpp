#include "ui/widgets/scrolled_sheet.h"

#include "ui/widgets/choice.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ringside
{

namespace
{

ImVec2 begin_sheet(const Painter& p, Rect area)
{
    ImGui::SetCursorScreenPos({area.x - p.px(4), area.y});
    return {area.w + p.px(12), area.h};
}

Rect inside_sheet(const Painter& p, float width)
{
    const ImVec2 top = ImGui::GetCursorScreenPos();
    return {top.x + p.px(4), top.y + p.px(4), width - (ImGui::GetScrollMaxY() > 0 ? p.px(8) : 0), 0};
}

} // namespace

ScrolledSheet::ScrolledSheet(const Painter& window, Rect area, const char* id, std::string_view about)
    : child_(id, begin_sheet(window, area)), painter_(*ImGui::GetWindowDrawList(), window.look), area_(area),
      sheet_(painter_, inside_sheet(window, area.w))
{
    const auto now = static_cast<int>(std::hash<std::string_view>{}(about));
    int& shown = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("content"));
    if (std::exchange(shown, now) != now)
    {
        ImGui::SetScrollY(0);
    }
}

ScrolledSheet::~ScrolledSheet()
{
    ImGui::SetCursorScreenPos({area_.x, sheet_.y()});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
}

void ScrolledSheet::page_keys()
{
    if (const int page = key_steps(ImGuiKey_PageUp, ImGuiKey_PageDown); page != 0)
    {
        ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(page) * area_.h * 0.8F);
    }
}

PopupSheet::PopupSheet(const Painter& window, const char* id, float width)
    : padding_(ImGuiStyleVar_WindowPadding, ImVec2{window.px(20), window.px(16)}),
      popup_((centre_next_popup(), id))
{
    if (popup_)
    {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float most = ImGui::GetIO().DisplaySize.x * 0.96F - window.px(48);
        painter_.emplace(*ImGui::GetWindowDrawList(), window.look);
        sheet_.emplace(*painter_, Rect{at.x, at.y, std::min(window.px(width), most), 0});
        top_ = at.y;
    }
}

PopupSheet::~PopupSheet()
{
    if (popup_)
    {
        ImGui::SetCursorScreenPos({sheet_->x(), top_});
        ImGui::Dummy({sheet_->width(), sheet_->y() - top_});
    }
}

} // namespace ringside
