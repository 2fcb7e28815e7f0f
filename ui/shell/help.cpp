// ? shows every key of the view, and those that work everywhere.
#include "ui/shell/lesson_frame.h"
#include "ui/shell/overlay.h"
#include "ui/shell/shell.h"

#include <algorithm>
#include <array>

namespace ringside
{

void Shell::draw_help(const Frame& frame, const Painter& painter, const ViewInfo& info)
{
    if (!help_open_)
    {
        return;
    }
    const ViewKeys own = view(info.id).keys();
    ViewKeys rows = own;
    if (frame.lesson != nullptr)
    {
        rows.assign({{"PgDn", "Lesson: on; in presenter it reveals"},
                     {"PgUp", "Lesson: back"},
                     {"Enter", "Lesson: lock in, then on"},
                     {"\u2190 \u2192 0 \u2026 9", "Lesson: move the guess, or type it"},
                     {"S", "Lesson: show the truth, or a solution"},
                     {"R", "Lesson: predict or repair again"},
                     {"H", "Lesson: a hint"},
                     {"F", "Lesson: freeze the picture, or let it go on"},
                     {"L", "Lesson: controls locked, hidden, free"}});
    }
    const std::array general{ViewKey{"Space", "Play or pause"},
                             ViewKey{", .", "One step back, one step on"},
                             ViewKey{"Home End", "To the start, to the end"},
                             ViewKey{"Tab", "Next control; arrow keys move it, Enter types a value"},
                             ViewKey{"M", "Every field of the scenario"},
                             ViewKey{"\\", "Scenario panel, where it is hidden"},
                             ViewKey{"PgDn PgUp", "Presenter: next view, or scene, and back"},
                             ViewKey{"Ctrl K", "Find anything"},
                             ViewKey{"F1", "What the view shows, what to try"},
                             ViewKey{"?", "These keys"},
                             ViewKey{"Esc", "Close"}};
    std::ranges::copy_if(general, std::back_inserter(rows),
                         [&](const ViewKey& key)
                         { return std::ranges::find(own, key.key, &ViewKey::key) == own.end(); });
    for (const CommandInfo& command : commands())
    {
        if (!command.key.empty())
        {
            rows.push_back({command.key, command.name});
        }
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const std::size_t half = (rows.size() + 1) / 2;
    const bool two = display.x > painter.px(900);
    const std::size_t lines = two ? half : rows.size();
    const float row_height = painter.px(32);
    const ImVec2 size{std::min(painter.px(two ? 880.0F : 460.0F), display.x * 0.95F),
                      std::min(row_height * static_cast<float>(lines) + painter.px(88), display.y * 0.9F)};
    const OverlayScope overlay(painter, "###help window", size);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    p.text(top.x, top.y + p.px(12), Type::body_strong, p.theme.text, "Keys");
    const float column = (size.x - p.px(32)) / (two ? 2.0F : 1.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const bool right = two && i >= half;
        const float x = top.x + (right ? column : 0);
        const float y = top.y + p.px(48) + row_height * static_cast<float>(right ? i - half : i);
        const Rect cap = p.keycap(x, y, rows[i].key);
        p.text_within(std::max(cap.right() + p.px(12), x + p.px(92)), y, column - p.px(110), Type::small,
                      p.theme.text, rows[i].does);
    }
    ImGui::Dummy({1, row_height * static_cast<float>(lines) + p.px(32)});
    const bool outside = ImGui::IsMouseClicked(0) &&
                         !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                         !ImGui::IsWindowAppearing();
    if (outside)
    {
        help_open_ = false;
    }
}

} // namespace ringside
