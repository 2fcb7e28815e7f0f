#include "ui/widgets/choice.h"

#include <fmt/format.h>

#include "ui/draw/scopes.h"
#include "ui/widgets/controls.h"

namespace ringside
{

void centre_next_popup()
{
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x * 0.96F, display.y * 0.92F});
}

std::optional<std::size_t> choice_popup(const Painter& p, const char* id, std::span<const Choosable> items)
{
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{p.px(8), p.px(8)});
    centre_next_popup();
    const PopupScope popup(id);
    if (!popup)
    {
        return std::nullopt;
    }
    const Painter here(*ImGui::GetWindowDrawList(), p.look);
    std::optional<std::size_t> chosen;
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Rect row{at.x, at.y, p.px(660), p.px(30)};
        const Press pressed =
            press(here, row, fmt::format("{}###{} {}", items[i].name, id, items[i].id).c_str());
        if (pressed.hovered || pressed.focused)
        {
            here.fill(row, p.theme.control, p.px(4));
        }
        here.text_within(row.x + p.px(10), row.middle(), p.px(150), Type::small_strong, p.theme.text,
                         items[i].name);
        here.text_within(row.x + p.px(166), row.middle(), row.w - p.px(174), Type::small, p.theme.muted,
                         items[i].says);
        if (i == 0)
        {
            ImGui::SetItemDefaultFocus();
        }
        if (pressed.clicked)
        {
            chosen = i;
            ImGui::CloseCurrentPopup();
        }
        ImGui::SetCursorScreenPos({at.x, row.bottom()});
    }
    ImGui::Dummy({1, 1});
    return chosen;
}

} // namespace ringside
