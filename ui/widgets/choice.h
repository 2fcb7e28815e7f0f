// A popup in the middle of the window with a line for each choice: name, and what it is.
#pragma once

#include "ui/draw/painter.h"

#include <optional>
#include <span>
#include <string_view>

namespace ringside
{

struct Choosable
{
    std::string_view id; // unique in the list
    std::string_view name;
    std::string_view says;
};

// While the popup of this id is open; returns the one chosen. Open it with ImGui::OpenPopup(id).
std::optional<std::size_t> choice_popup(const Painter& painter, const char* id,
                                        std::span<const Choosable> items);

// Letters typed one after the other in an open list: the first whose name they are, else the first that
// begins with them, else the first of which a word does. Once a frame in the list's window; nothing where no
// letter was typed or nothing begins so.
std::optional<std::size_t> letters_choose(std::span<const std::string_view> names);
// The item drawn last gets the keyboard, with its ring.
void focus_last_item();

// The next popup opens in the middle and stays on the screen; with large type it scrolls.
void centre_next_popup();

} // namespace ringside
