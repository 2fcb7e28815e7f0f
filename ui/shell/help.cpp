// ? shows every key: the view's own first, then those that work everywhere.
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/overlay.h"
#include "ui/shell/shell.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

struct KeyGroup
{
    std::string title;
    ViewKeys rows;
};

ViewKeys lesson_rows()
{
    return {{"PgDn", "Next; in presenter mode it reveals"},
            {"PgUp", "Back"},
            {"Enter", "Lock in, then continue"},
            {"\u2190 \u2192", "Move the guess, unless it is typed"},
            {"Alt", "With a letter, while a guess is typed"},
            {"S", "Show the truth, or a solution"},
            {"R", "Predict or repair again"},
            {"H", "A hint"},
            {"F", "Freeze the picture, or resume it"},
            {"L", "Controls locked, hidden, free"}};
}

ViewKeys general_rows()
{
    return {{"Space", "Play or pause"},
            {", .", "One step back, one step forward; < > in presenter"},
            {"Home End", "To the start, to the end"},
            {"Tab", "Next control: arrow keys move it, Enter presses it or types its value"},
            {"Ctrl I", "Read the picture: arrow keys go from mark to mark, as the mouse does"},
            {"M", "Every field of the scenario"},
            {"\\", "Scenario panel, where it is hidden"},
            {"PgDn PgUp", "Presenter: next view or scene, and back"},
            {". or B", "Presenter, scenes: black screen; any key ends it"},
            {"Ctrl K", "Find anything"},
            {"F1", "What the view shows, what to try"},
            {"?", "These keys"},
            {"Esc", "Close the innermost of what is open"}};
}

// Commands of the scenario, of what is shown to a class, and of the window.
std::size_t group_of(const CommandInfo& command)
{
    constexpr std::array kClass{"Faster", "Slower", "Presenter",     "Full screen",    "Spotlight", "Pen",
                                "Hide",   "Freeze", "Ask the class", "Draw the curve", "Black"};
    const bool shown =
        std::ranges::any_of(kClass, [&](std::string_view start) { return command.name.starts_with(start); });
    return shown ? 1 : command.of_scenario ? 0 : 2;
}

std::vector<KeyGroup> groups_of(std::string_view view, ViewKeys own, const Frame& frame)
{
    std::vector<KeyGroup> groups;
    ViewKeys general = general_rows();
    std::erase_if(general, [&](const ViewKey& key)
                  { return std::ranges::find(own, key.key, &ViewKey::key) != own.end(); });
    const bool lesson = frame.lesson != nullptr;
    groups.push_back({lesson ? "This lesson" : std::string(view), lesson ? lesson_rows() : std::move(own)});
    groups.push_back({"Everywhere", std::move(general)});
    std::array<KeyGroup, 3> of_commands{{{"Scenario", {}}, {"In class", {}}, {"Window", {}}}};
    for (const CommandInfo& command : commands())
    {
        if (!command.key.empty() && (!frame.in_browser || command.in_browser == InBrowser::same))
        {
            of_commands.at(group_of(command)).rows.push_back({command.key, command.name});
        }
    }
    groups.insert(groups.end(), of_commands.begin(), of_commands.end());
    std::erase_if(groups, [](const KeyGroup& group) { return group.rows.empty(); });
    return groups;
}

void draw_group(Sheet& sheet, const KeyGroup& group)
{
    const Painter& p = sheet.p;
    sheet.name(group.title);
    sheet.gap(4);
    for (const ViewKey& row : group.rows)
    {
        const Rect cap = p.keycap(sheet.x(), sheet.y() + p.px(12), row.key);
        const bool long_row = cap.w > sheet.width() / 2; // its words stand below
        sheet.gap(long_row ? 26 : 0);
        const float indent = long_row ? p.px(76) : std::max(cap.right() + p.px(10) - sheet.x(), p.px(76));
        const Rect words = sheet.words(Type::small, p.theme.text, row.does, indent);
        sheet.gap(words.h < p.px(24) ? 4 : 2);
    }
    sheet.gap(10);
}

} // namespace

void Shell::draw_help(const Frame& frame, const Painter& painter, const ViewInfo& info, Out& out)
{
    if (!help_open_)
    {
        return;
    }
    const auto groups = groups_of(info.title, view(info.id).keys(), frame);
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const auto columns = static_cast<int>(std::clamp(display.x * 0.95F / painter.px(330), 1.0F, 3.0F));
    const ImVec2 size{std::min(painter.px(370) * static_cast<float>(columns), display.x * 0.96F),
                      std::min(help_height_ + painter.px(32), display.y * 0.9F)};
    const OverlayScope overlay(painter, "###help window", size);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float gap = p.px(24);
    const float wide = (ImGui::GetContentRegionAvail().x - gap * static_cast<float>(columns - 1)) /
                       static_cast<float>(columns);
    std::array<float, 3> heights{};
    for (const KeyGroup& group : groups) // where most room is left; the view's own come first
    {
        const auto shortest = std::min_element(heights.begin(), heights.begin() + columns);
        const auto column = static_cast<float>(shortest - heights.begin());
        Sheet sheet(p, {top.x + (wide + gap) * column, top.y + *shortest, wide, 0});
        draw_group(sheet, group);
        *shortest = sheet.y() - top.y;
    }
    const float height = *std::ranges::max_element(heights);
    out.animating = out.animating || height != help_height_;
    help_height_ = height;
    ImGui::Dummy({1, height});
    const bool outside = ImGui::IsMouseClicked(0) &&
                         !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                         !ImGui::IsWindowAppearing();
    help_open_ = help_open_ && !outside;
}

} // namespace ringside
