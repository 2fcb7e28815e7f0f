#include "ui/widgets/choice.h"

#include <fmt/format.h>

#include "core/base/text/find.h"
#include "ui/draw/scopes.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ringside
{

void centre_next_popup()
{
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x * 0.96F, display.y * 0.92F});
}

namespace
{

constexpr std::size_t kMostLetters = 8; // they are kept in the window's storage, four in a number
constexpr float kPause = 1.2F;          // [s] after which letters begin anew

// What was typed so far, with this frame's letters.
std::string typed_letters()
{
    ImGuiStorage& kept = *ImGui::GetStateStorage();
    const ImGuiID id = ImGui::GetID("letters");
    const auto now = static_cast<float>(ImGui::GetTime());
    std::string letters;
    for (std::size_t i = 0; i < kMostLetters && now - kept.GetFloat(id) < kPause; ++i)
    {
        const int four = kept.GetInt(id + 1 + static_cast<ImGuiID>(i / 4));
        const char letter = static_cast<char>((four >> (8 * static_cast<int>(i % 4))) & 0x7F);
        letters += letter == 0 ? "" : std::string(1, letter);
    }
    bool typed = false;
    for (const ImWchar sign : ImGui::GetIO().InputQueueCharacters)
    {
        typed = typed || (sign > ' ' && sign < 0x7F);
        letters += sign > ' ' && sign < 0x7F ? std::string(1, static_cast<char>(sign)) : "";
    }
    if (!typed)
    {
        return {};
    }
    letters.resize(std::min(letters.size(), kMostLetters));
    std::array<int, 2> fours{};
    for (std::size_t i = 0; i < letters.size(); ++i)
    {
        fours.at(i / 4) |= static_cast<int>(letters[i]) << (8 * static_cast<int>(i % 4));
    }
    kept.SetFloat(id, now);
    kept.SetInt(id + 1, fours[0]);
    kept.SetInt(id + 2, fours[1]);
    return letters;
}

} // namespace

std::optional<std::size_t> letters_choose(std::span<const std::string_view> names)
{
    const std::string letters = folded(typed_letters());
    const auto fit = [&](const std::string_view& name) { return fit_of(findable({&name, 1}, ""), letters); };
    const auto closest = std::ranges::min_element(names, {}, fit);
    return letters.empty() || closest == names.end() || fit(*closest) > Closeness::word
               ? std::nullopt
               : std::optional<std::size_t>(static_cast<std::size_t>(closest - names.begin()));
}

void focus_last_item()
{
    ImGuiContext& g = *GImGui;
    ImGui::SetFocusID(g.LastItemData.ID, g.CurrentWindow);
    g.NavIdIsAlive = true; // it has been drawn in this frame
    g.NavDisableHighlight = false;
    g.NavDisableMouseHover = true;
    ImGui::ScrollToItem();
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
    std::vector<std::string_view> names;
    for (const Choosable& item : items)
    {
        names.push_back(item.name);
    }
    const auto lettered = letters_choose(names);
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
        if (lettered == i || (i == 0 && ImGui::IsWindowAppearing())) // Enter takes the first
        {
            focus_last_item();
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
