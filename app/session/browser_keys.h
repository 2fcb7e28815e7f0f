// Which keys of a browser are the page's, and which of ImGui's keys they are.
//
// Letters go by what is written on the key, where that is Latin, so that Ctrl Z is where a German or a French
// board has it; everything else goes by its place.
#pragma once

#include <imgui.h>

#include <string_view>

namespace ringside
{

struct BrowserKey
{
    std::string_view code;    // where it is on the board, as the browser names it: "KeyZ", "Digit1", "F5"
    std::string_view written; // what it writes, or a word such as "Enter"
    bool ctrl = false;
    bool shift = false;
    bool alt = false;
    bool meta = false; // Cmd on a Mac

    // AltGr, which browsers report as Ctrl and Alt: it only writes signs such as [ and ].
    bool writes_by_alt_gr() const;
    // What it writes as one character; empty for the others.
    std::string_view sign() const;
};

// ImGuiKey_None where ImGui has none.
ImGuiKey key_of(const BrowserKey& key);

// Whether the page takes it from the browser: only what it makes use of itself. `typing`: a text field has
// the keyboard.
bool is_taken(const BrowserKey& key, bool typing);

} // namespace ringside
