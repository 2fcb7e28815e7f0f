// Keys of boards of several countries, as browsers report them.
#include "app/session/browser_keys.h"
#include "ui/shell/shell.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

BrowserKey with_ctrl(std::string_view code, std::string_view written)
{
    return {code, written, true};
}

} // namespace

TEST_CASE("letters go by what is written on the key, the rest by its place")
{
    CHECK(key_of(with_ctrl("KeyY", "z")) == ImGuiKey_Z); // a German board
    CHECK(key_of({"KeyA", "q"}) == ImGuiKey_Q);          // a French one
    CHECK(key_of({"Digit1", "&"}) == ImGuiKey_1);
    CHECK(key_of({"KeyQ", "\u0439"}) == ImGuiKey_Q); // a Russian one
    CHECK(key_of({"Semicolon", "\u00F6"}) == ImGuiKey_Semicolon);
    CHECK(key_of({"KeyZ", "Z", false, true}) == ImGuiKey_Z);
    CHECK(key_of({"F10", "F10"}) == ImGuiKey_F10);
    CHECK(key_of({"AudioVolumeUp", "AudioVolumeUp"}) == ImGuiKey_None);
}

TEST_CASE("AltGr writes a sign and is no chord")
{
    const BrowserKey bracket{"Digit9", "]", true, false, true};
    CHECK(bracket.writes_by_alt_gr());
    CHECK(is_taken(bracket, false));
    CHECK_FALSE(BrowserKey{"ArrowUp", "ArrowUp", true, false, true}.writes_by_alt_gr());
}

TEST_CASE("the browser keeps the keys that the page makes no use of")
{
    for (const std::string_view code :
         {"F3", "F5", "F6", "F7", "F10", "F11", "F12", "ContextMenu", "PrintScreen"})
    {
        INFO(code);
        CHECK_FALSE(is_taken({code, code}, false));
    }
    for (const std::string_view letter :
         {"d", "f", "h", "j", "l", "n", "p", "r", "t", "u", "v", "w", "1", "0"})
    {
        INFO(letter);
        CHECK_FALSE(is_taken(with_ctrl("", letter), false));
    }
    CHECK_FALSE(is_taken({"KeyI", "I", true, true}, false));                       // its tools
    CHECK_FALSE(is_taken({"ArrowLeft", "ArrowLeft", false, false, true}, false));  // back
    CHECK_FALSE(is_taken({"KeyA", "a", true}, false));                             // select all of the page
    CHECK_FALSE(is_taken({"BracketLeft", "[", false, false, false, true}, false)); // Cmd [: back
}

TEST_CASE("the page takes what it makes use of")
{
    for (const std::string_view letter : {"k", "z", "y", "c", "s", "e", "g", "i", "m"})
    {
        INFO(letter);
        CHECK(is_taken(with_ctrl("", letter), false));
        CHECK(is_taken({"", letter, false, false, false, true}, false)); // Cmd
    }
    CHECK(is_taken(with_ctrl("KeyA", "a"), true));
    CHECK(is_taken({"KeyZ", "Z", true, true}, false));
    CHECK(is_taken({"KeyN", "n", false, false, true}, true)); // beside an answer
    CHECK_FALSE(is_taken({"KeyN", "n", false, false, true}, false));
    CHECK(is_taken({"ArrowUp", "ArrowUp", false, false, true}, false)); // moves a line of an order
    CHECK(is_taken({"KeyQ", "q"}, false));
    CHECK(is_taken({"Tab", "Tab"}, false));
    CHECK(is_taken({"F1", "F1"}, false));
}

TEST_CASE("the page names no key that the browser keeps")
{
    const auto code_of = [](ImGuiKeyChord chord)
    {
        const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
        const std::string name = ImGui::GetKeyName(key);
        return name == "Equal" || name == "Minus" || name.front() == 'F' ? name : "Key" + name;
    };
    for (const CommandInfo& command : commands())
    {
        const bool chord = (command.chord & ImGuiMod_Ctrl) != 0 || command.key.starts_with("F");
        if (!chord || command.key == "Ctrl V") // which comes as what is pasted
        {
            continue;
        }
        INFO(command.name);
        const std::string code = code_of(command.chord);
        const bool ctrl = (command.chord & ImGuiMod_Ctrl) != 0;
        const bool shift = (command.chord & ImGuiMod_Shift) != 0;
        CHECK(is_taken({code, "", ctrl, shift}, false) == (command.in_browser == InBrowser::same));
    }
}
