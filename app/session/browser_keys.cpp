#include "app/session/browser_keys.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

struct KeyName
{
    std::string_view code; // where it is on the board, as the browser names it
    ImGuiKey key;
};
constexpr std::array kKeys{KeyName{"ArrowLeft", ImGuiKey_LeftArrow},
                           KeyName{"ArrowRight", ImGuiKey_RightArrow},
                           KeyName{"ArrowUp", ImGuiKey_UpArrow},
                           KeyName{"ArrowDown", ImGuiKey_DownArrow},
                           KeyName{"Tab", ImGuiKey_Tab},
                           KeyName{"PageUp", ImGuiKey_PageUp},
                           KeyName{"PageDown", ImGuiKey_PageDown},
                           KeyName{"Home", ImGuiKey_Home},
                           KeyName{"End", ImGuiKey_End},
                           KeyName{"Insert", ImGuiKey_Insert},
                           KeyName{"Delete", ImGuiKey_Delete},
                           KeyName{"Backspace", ImGuiKey_Backspace},
                           KeyName{"Space", ImGuiKey_Space},
                           KeyName{"Enter", ImGuiKey_Enter},
                           KeyName{"Escape", ImGuiKey_Escape},
                           KeyName{"Quote", ImGuiKey_Apostrophe},
                           KeyName{"Comma", ImGuiKey_Comma},
                           KeyName{"Minus", ImGuiKey_Minus},
                           KeyName{"Period", ImGuiKey_Period},
                           KeyName{"Slash", ImGuiKey_Slash},
                           KeyName{"Semicolon", ImGuiKey_Semicolon},
                           KeyName{"Equal", ImGuiKey_Equal},
                           KeyName{"BracketLeft", ImGuiKey_LeftBracket},
                           KeyName{"Backslash", ImGuiKey_Backslash},
                           KeyName{"BracketRight", ImGuiKey_RightBracket},
                           KeyName{"Backquote", ImGuiKey_GraveAccent},
                           KeyName{"NumpadDecimal", ImGuiKey_KeypadDecimal},
                           KeyName{"NumpadDivide", ImGuiKey_KeypadDivide},
                           KeyName{"NumpadMultiply", ImGuiKey_KeypadMultiply},
                           KeyName{"NumpadSubtract", ImGuiKey_KeypadSubtract},
                           KeyName{"NumpadAdd", ImGuiKey_KeypadAdd},
                           KeyName{"NumpadEnter", ImGuiKey_KeypadEnter},
                           KeyName{"ShiftLeft", ImGuiKey_LeftShift},
                           KeyName{"ShiftRight", ImGuiKey_RightShift},
                           KeyName{"ControlLeft", ImGuiKey_LeftCtrl},
                           KeyName{"ControlRight", ImGuiKey_RightCtrl},
                           KeyName{"AltLeft", ImGuiKey_LeftAlt},
                           KeyName{"MetaLeft", ImGuiKey_LeftSuper},
                           KeyName{"MetaRight", ImGuiKey_RightSuper}};

// "KeyA", "Digit1", "Numpad1" and "F1" are counted; the others stand in the table.
ImGuiKey key_at(std::string_view code)
{
    const auto counted = [&](std::string_view before, char from, int first, int count)
    {
        const bool fits = code.size() == before.size() + 1 && code.starts_with(before);
        const int place = fits ? code.back() - from : -1;
        return place >= 0 && place < count ? first + place : static_cast<int>(ImGuiKey_None);
    };
    for (const int key : {counted("Key", 'A', ImGuiKey_A, 26), counted("Digit", '0', ImGuiKey_0, 10),
                          counted("Numpad", '0', ImGuiKey_Keypad0, 10), counted("F", '1', ImGuiKey_F1, 9),
                          counted("F1", '0', ImGuiKey_F10, 3)})
    {
        if (key != ImGuiKey_None)
        {
            return static_cast<ImGuiKey>(key);
        }
    }
    const auto* found = std::ranges::find(kKeys, code, &KeyName::code);
    return found == kKeys.end() ? ImGuiKey_None : found->key;
}

bool is_in(ImGuiKey key, std::initializer_list<ImGuiKey> keys)
{
    return std::ranges::find(keys, key) != keys.end();
}

bool is_letter(ImGuiKey key)
{
    return key >= ImGuiKey_A && key <= ImGuiKey_Z;
}

bool is_digit(ImGuiKey key)
{
    return key >= ImGuiKey_0 && key <= ImGuiKey_9;
}

// Keys that move or delete in a text field and in lists.
bool moves(ImGuiKey key)
{
    return is_in(key, {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow,
                       ImGuiKey_Home, ImGuiKey_End, ImGuiKey_Backspace, ImGuiKey_Delete, ImGuiKey_Enter});
}

} // namespace

bool BrowserKey::writes_by_alt_gr() const
{
    return ctrl && alt && !sign().empty();
}

std::string_view BrowserKey::sign() const
{
    const auto first = written.empty() ? 0 : static_cast<unsigned char>(written.front());
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return written.size() == length ? written : std::string_view();
}

ImGuiKey key_of(const BrowserKey& key)
{
    const std::string_view sign = key.sign();
    const char letter = sign.size() == 1 ? static_cast<char>(sign.front() | 0x20) : '\0';
    return letter >= 'a' && letter <= 'z' ? static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'a'))
                                          : key_at(key.code);
}

bool is_taken(const BrowserKey& pressed, bool typing)
{
    const ImGuiKey key = key_of(pressed);
    if (pressed.writes_by_alt_gr())
    {
        return true;
    }
    if (pressed.ctrl || pressed.meta)
    {
        const bool edits = moves(key) || is_in(key, {ImGuiKey_A, ImGuiKey_X});
        const bool acts =
            is_in(key, {ImGuiKey_B, ImGuiKey_C, ImGuiKey_E, ImGuiKey_G, ImGuiKey_I, ImGuiKey_K, ImGuiKey_M,
                        ImGuiKey_S, ImGuiKey_Y, ImGuiKey_Z, ImGuiKey_Equal, ImGuiKey_Minus,
                        ImGuiKey_KeypadAdd, ImGuiKey_KeypadSubtract, ImGuiKey_Enter});
        const bool browsers = pressed.shift && !moves(key) && key != ImGuiKey_Z;
        return !pressed.alt && !browsers && (acts || (typing && edits));
    }
    if (pressed.alt) // presses the buttons beside an answer, and moves lines of an order
    {
        return is_in(key, {ImGuiKey_UpArrow, ImGuiKey_DownArrow}) ||
               (typing && (is_letter(key) || is_digit(key)));
    }
    const bool function = key >= ImGuiKey_F1 && key <= ImGuiKey_F12;
    return function ? !pressed.shift &&
                          is_in(key, {ImGuiKey_F1, ImGuiKey_F2, ImGuiKey_F4, ImGuiKey_F8, ImGuiKey_F9})
                    : key != ImGuiKey_None || !pressed.sign().empty();
}

} // namespace ringside
