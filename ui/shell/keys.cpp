#include "ui/shell/frame/frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/pictures/timeline.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace ringside
{

namespace
{

struct NamedKey
{
    std::string_view name;
    ImGuiKey key;
};
constexpr std::array kNamedKeys{
    NamedKey{"Esc", ImGuiKey_Escape},          NamedKey{"Enter", ImGuiKey_Enter},
    NamedKey{"PgDn", ImGuiKey_PageDown},       NamedKey{"PgUp", ImGuiKey_PageUp},
    NamedKey{"Space", ImGuiKey_Space},         NamedKey{"Delete", ImGuiKey_Delete},
    NamedKey{"Backspace", ImGuiKey_Backspace}, NamedKey{"\u2190", ImGuiKey_LeftArrow},
    NamedKey{"\u2192", ImGuiKey_RightArrow},   NamedKey{"\u2191", ImGuiKey_UpArrow},
    NamedKey{"\u2193", ImGuiKey_DownArrow}};

ImGuiKey key_of(std::string_view word)
{
    const char c = word.size() == 1 ? word[0] : '\0';
    if (c >= 'A' && c <= 'Z')
    {
        return static_cast<ImGuiKey>(ImGuiKey_A + (c - 'A'));
    }
    if (c >= '0' && c <= '9')
    {
        return static_cast<ImGuiKey>(ImGuiKey_0 + (c - '0'));
    }
    if (word.size() > 1 && word[0] == 'F')
    {
        const int number = std::atoi(std::string(word.substr(1)).c_str());
        return number >= 1 && number <= 12 ? static_cast<ImGuiKey>(ImGuiKey_F1 + (number - 1))
                                           : ImGuiKey_None;
    }
    const auto named = std::ranges::find(kNamedKeys, word, &NamedKey::name);
    return named == kNamedKeys.end() ? ImGuiKey_None : named->key;
}

bool typed_sign(std::string_view word)
{
    const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    return word == "." && std::find(queue.begin(), queue.end(), static_cast<ImWchar>('.')) != queue.end();
}

bool is_pressed(ImGuiKey key, bool repeats)
{
    const bool arrow = key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow;
    const bool digit = key >= ImGuiKey_0 && key <= ImGuiKey_9;
    const bool of_widgets = arrow || key == ImGuiKey_Enter;
    const bool taken = of_widgets && !GImGui->NavDisableHighlight && GImGui->NavId != 0;
    return key != ImGuiKey_None && !taken &&
           (ImGui::IsKeyPressed(key, repeats || arrow) ||
            (key == ImGuiKey_Enter && ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)) ||
            (digit &&
             ImGui::IsKeyPressed(static_cast<ImGuiKey>(key - ImGuiKey_0 + ImGuiKey_Keypad0), false)));
}

// The words of a row.
std::vector<std::string_view> split_keys(std::string_view row)
{
    std::vector<std::string_view> words;
    while (!row.empty())
    {
        const std::size_t end = std::min(row.find_first_of(" ,"), row.size());
        if (end > 0)
        {
            words.push_back(row.substr(0, end));
        }
        row.remove_prefix(std::min(end + 1, row.size()));
    }
    return words;
}

// Which of the row's keys are pressed: of "1 to 4" the digits from 1 to 4.
std::vector<std::size_t> pressed_in(const ViewKey& row)
{
    std::vector<std::size_t> pressed;
    std::size_t which = 0;
    ImGuiKey last = ImGuiKey_None;
    const auto look = [&](ImGuiKey key, bool sign)
    {
        if (sign || is_pressed(key, row.repeats))
        {
            pressed.push_back(which);
        }
        which += sign || key != ImGuiKey_None ? 1 : 0;
    };
    bool range = false;
    for (const std::string_view word : split_keys(row.key))
    {
        const ImGuiKey key = key_of(word);
        for (int between = last + 1; range && between < key; ++between)
        {
            look(static_cast<ImGuiKey>(between), false);
        }
        look(key, typed_sign(word));
        range = word == "\u2026" || word == "to";
        last = range ? last : key;
    }
    return pressed;
}

} // namespace

bool have_space(std::span<const ViewKey> keys)
{
    const auto names_space = [](const ViewKey& row)
    {
        const auto names = split_keys(row.key);
        return std::any_of(names.begin(), names.end(),
                           [](std::string_view name) { return key_of(name) == ImGuiKey_Space; });
    };
    return std::any_of(keys.begin(), keys.end(), names_space);
}

void do_keys(std::span<const ViewKey> keys, const Frame& frame, Out& out)
{
    for (const ViewKey& row : keys)
    {
        for (const std::size_t which : row.act ? pressed_in(row) : std::vector<std::size_t>())
        {
            row.act({frame, out, which});
            out.animating = true;
        }
    }
}

void change_training(const KeyPress& press, const std::function<void(Training&)>& change)
{
    Scenario next = press.frame.own();
    change(next.training);
    if (next != press.frame.own() || press.frame.shows_example)
    {
        press.out.push(ChangeScenario{std::move(next), false});
    }
}

void add_zoom(ViewKeys& keys, TimeZoom& zoom, std::function<double(const Frame&)> length)
{
    keys.emplace_back(
        "W S", "Zoom in, zoom out; or the wheel",
        [&zoom, length](const KeyPress& k)
        { zoom.zoom(k.frame.playback.t, k.which == 0 ? 0.8 : 1.25, length(k.frame)); },
        true);
    keys.emplace_back(
        "A D", "Left, right; or drag",
        [&zoom, length](const KeyPress& k) { zoom.aside(k.which == 0 ? -0.1 : 0.1, length(k.frame)); }, true);
    keys.emplace_back("F", "Fit the whole step", [&zoom] { zoom.reset(); });
}

} // namespace ringside
