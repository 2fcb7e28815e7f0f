#include "tests/ui/harness.h"

#include "tests/source_path.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace
{

using ringside::Rect;
using ringside::test::Item;

// What the hooks of ImGui report; one window at a time.
struct Recorder
{
    std::vector<Item> items;               // of the frame being drawn
    std::map<ImGuiID, std::size_t> places; // in items
    std::vector<std::string> clashes;      // two labelled items of one id
    std::string assertion;                 // the first one
};

Recorder& recorder()
{
    static Recorder only;
    return only;
}

Rect rect_of(const ImRect& r)
{
    return {r.Min.x, r.Min.y, r.GetWidth(), r.GetHeight()};
}

} // namespace

// What imgui_asserts.h makes of IM_ASSERT.
void ringside_imgui_assertion_failed(const char* expression, const char* file, int line);
void ringside_imgui_assertion_failed(const char* expression, const char* file, int line)
{
    if (recorder().assertion.empty())
    {
        recorder().assertion = fmt::format("{}:{}: {}", file, line, expression);
    }
}

// ImGui declares these and leaves them to the program built with IMGUI_ENABLE_TEST_ENGINE.
void ImGuiTestEngineHook_ItemAdd(ImGuiContext* context, ImGuiID id, const ImRect& box,
                                 const ImGuiLastItemData* data);
void ImGuiTestEngineHook_ItemInfo(ImGuiContext* context, ImGuiID id, const char* label,
                                  ImGuiItemStatusFlags flags);
void ImGuiTestEngineHook_Log(ImGuiContext* context, const char* format, ...);
const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext* context, ImGuiID id);

void ImGuiTestEngineHook_ItemAdd(ImGuiContext* context, ImGuiID id, const ImRect& box,
                                 const ImGuiLastItemData*)
{
    ImRect seen = box;
    seen.ClipWithFull(context->CurrentWindow->ClipRect);
    Recorder& r = recorder();
    r.places[id] = r.items.size();
    r.items.push_back({"", id, rect_of(box), rect_of(seen)});
}

void ImGuiTestEngineHook_ItemInfo(ImGuiContext*, ImGuiID id, const char* label, ImGuiItemStatusFlags)
{
    Recorder& r = recorder();
    const auto place = r.places.find(id);
    if (place == r.places.end() || label == nullptr)
    {
        return;
    }
    Item& item = r.items[place->second];
    const auto twin = std::find_if(r.items.begin(), r.items.end(),
                                   [&](const Item& other)
                                   { return &other != &item && other.id == id && !other.label.empty(); });
    if (twin != r.items.end())
    {
        r.clashes.push_back(fmt::format("{} and {}", twin->label, label));
    }
    item.label = label;
}

void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}

const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID)
{
    return nullptr;
}

namespace ringside::test
{

namespace
{

// U+2C7C, a small j below the line: in the fonts' ranges and in no text of ours.
constexpr ImWchar kStandIn = 0x2C7C;

bool fits(std::string_view label, std::string_view wanted)
{
    const std::size_t marks = label.find("##");
    if (label == wanted || label.substr(0, marks) == wanted)
    {
        return true;
    }
    const std::size_t id = label.find("###");
    return id != std::string_view::npos && label.substr(id + 3) == wanted;
}

std::string fault_of(const ImDrawCmd& command, const ImDrawList& list)
{
    const ImVec4& clip = command.ClipRect;
    for (const float edge : {clip.x, clip.y, clip.z, clip.w})
    {
        if (!std::isfinite(edge) || std::abs(edge) > 1e6F)
        {
            return fmt::format("clip rectangle {} {} {} {}", clip.x, clip.y, clip.z, clip.w);
        }
    }
    if (clip.z < clip.x || clip.w < clip.y)
    {
        return fmt::format("clip rectangle turned inside out: {} {} {} {}", clip.x, clip.y, clip.z, clip.w);
    }
    for (unsigned i = command.IdxOffset; i < command.IdxOffset + command.ElemCount; ++i)
    {
        if (i >= static_cast<unsigned>(list.IdxBuffer.Size) ||
            list.IdxBuffer[static_cast<int>(i)] + command.VtxOffset >=
                static_cast<unsigned>(list.VtxBuffer.Size))
        {
            return "an index beyond the vertices";
        }
    }
    return {};
}

} // namespace

std::string take_assertion()
{
    return std::exchange(recorder().assertion, {});
}

Window::Window(ImVec2 size, Preferences preferences)
    : drawing(find_fonts(test::source_path("assets"))), own_(presets(), default_scenario(presets())),
      shown_(&own_)
{
    recorder() = Recorder();
    GImGui->TestEngineHookItems = true;
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
    session().set_preferences(preferences);
    session().to_clipboard = [this](const std::string& text) { clipboard = text; };
    session().from_clipboard = [this] { return clipboard; };
    resize(size);
    move_to({-100, -100});
    frames(3);
}

Window::~Window()
{
    GImGui->TestEngineHookItems = false;
}

void Window::resize(ImVec2 size)
{
    ImGui::GetIO().DisplaySize = size;
}

void Window::mark_missing_glyphs()
{
    missing_.clear();
    for (ImFont* font : drawing.fonts().faces)
    {
        if (const ImFontGlyph* glyph = font->FindGlyphNoFallback(kStandIn))
        {
            font->FallbackGlyph = glyph;
            missing_[font] = {glyph->U0, glyph->V0};
        }
    }
}

bool Window::frame(double seconds)
{
    if (drawing.prepare(session().preferences(), 1))
    {
        mark_missing_glyphs();
    }
    Recorder& r = recorder();
    r.items.clear();
    r.places.clear();
    r.clashes.clear();
    clock_ += seconds;
    const bool more = drawing.build(session(), clock_, seconds);
    const std::string assertion = take_assertion();
    INFO("view " << session().view() << ", " << ImGui::GetIO().DisplaySize.x << " x "
                 << ImGui::GetIO().DisplaySize.y);
    REQUIRE(assertion == "");
    REQUIRE(r.clashes == std::vector<std::string>{});
    return more;
}

void Window::frames(int count, double seconds)
{
    for (int i = 0; i < count; ++i)
    {
        frame(seconds);
    }
}

int Window::settle(int most)
{
    for (int i = 1; i <= most; ++i)
    {
        if (!frame())
        {
            return i;
        }
    }
    FAIL("still moving after " << most << " frames in view " << session().view());
    return most;
}

Drawn Window::drawn() const
{
    Drawn all;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
    {
        const ImDrawList& list = *data->CmdLists[i];
        for (const ImDrawVert& v : list.VtxBuffer)
        {
            ++all.vertices;
            if (!std::isfinite(v.pos.x) || !std::isfinite(v.pos.y) || std::abs(v.pos.x) > 1e6F ||
                std::abs(v.pos.y) > 1e6F)
            {
                all.fault = fmt::format("a corner at {}, {}", v.pos.x, v.pos.y);
            }
            all.missing_glyphs += std::any_of(missing_.begin(), missing_.end(),
                                              [&](const auto& font)
                                              { return v.uv.x == font.second.x && v.uv.y == font.second.y; })
                                      ? 1U
                                      : 0U;
        }
        for (const ImDrawCmd& command : list.CmdBuffer)
        {
            ++all.commands;
            const std::string fault = fault_of(command, list);
            all.fault = all.fault.empty() ? fault : all.fault;
        }
    }
    return all;
}

void Window::open(std::string_view view)
{
    session().apply(OpenView{std::string(view)});
    frames(3);
}

const std::vector<Item>& Window::items() const
{
    return recorder().items;
}

const Item* Window::seek(std::string_view label) const
{
    const auto& all = items();
    const auto found =
        std::find_if(all.rbegin(), all.rend(), [label](const Item& item) { return fits(item.label, label); });
    return found == all.rend() ? nullptr : &*found;
}

const Item& Window::find(std::string_view label) const
{
    const Item* found = seek(label);
    INFO("there are: " << fmt::format("{}", fmt::join(labels(), ", ")));
    INFO("looking for: " << label);
    REQUIRE(found != nullptr);
    return *found;
}

std::vector<std::string> Window::labels() const
{
    std::vector<std::string> all;
    for (const Item& item : items())
    {
        if (!item.label.empty())
        {
            all.push_back(item.label);
        }
    }
    return all;
}

std::string Window::focused() const
{
    const auto& all = items();
    const auto found = std::find_if(
        all.begin(), all.end(), [](const Item& item) { return item.id == GImGui->NavId && item.id != 0; });
    return found == all.end() ? std::string() : found->label;
}

void Window::move_to(ImVec2 at)
{
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
}

void Window::hover(std::string_view label, double seconds)
{
    const Rect r = find(label).visible;
    move_to({r.centre(), r.middle()});
    frames(2);
    frame(seconds);
    frame();
}

void Window::press_at(ImVec2 at)
{
    ImGuiIO& io = ImGui::GetIO();
    move_to(at);
    frame();
    io.AddMouseButtonEvent(0, true);
    frame();
    io.AddMouseButtonEvent(0, false);
    frame();
    // Two clicks in a row are no double click; and what a click opens takes a few frames to get the keyboard.
    frame(1);
    frames(2);
}

void Window::double_click(ImVec2 at)
{
    ImGuiIO& io = ImGui::GetIO();
    move_to(at);
    frame();
    for (const bool down : {true, false, true, false})
    {
        io.AddMouseButtonEvent(0, down);
        frame();
    }
    frame(1); // what follows is no third click
}

void Window::wheel(ImVec2 at, float turns)
{
    move_to(at);
    frame();
    ImGui::GetIO().AddMouseWheelEvent(0, turns);
    frames(2);
}

void Window::scroll_to(std::string_view label)
{
    const auto whole = [&]
    {
        const Item* item = seek(label);
        return item != nullptr && item->visible.h >= item->rect.h * 0.9F && item->visible.w > 0;
    };
    if (whole())
    {
        return;
    }
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const ImVec2 panel{size.x - 20, size.y / 2};
    wheel(panel, 1000);
    for (int i = 0; i < 200 && !whole(); ++i)
    {
        wheel(panel, -1);
    }
}

void Window::click(std::string_view label)
{
    scroll_to(label);
    const Rect r = find(label).visible;
    INFO("pressing " << label);
    REQUIRE(r.w > 0.0F);
    press_at({r.centre(), r.middle()});
}

void Window::drag(std::string_view label, float from, float to, const std::function<void()>& each)
{
    constexpr int kSteps = 12;
    scroll_to(label);
    const Rect r = find(label).rect;
    // A slider's track lies in the lower part of it.
    const float y = r.y + r.h * 0.67F;
    const float knob = std::round(8 * session().preferences().text_scale);
    const auto x = [&](float share) { return r.x + knob + (r.w - 2 * knob) * share; };
    ImGuiIO& io = ImGui::GetIO();
    move_to({x(from), y});
    frame();
    io.AddMouseButtonEvent(0, true);
    frame();
    for (int i = 0; i <= kSteps; ++i)
    {
        move_to({x(from + (to - from) * static_cast<float>(i) / kSteps), y});
        frame();
        if (each)
        {
            each();
        }
    }
    io.AddMouseButtonEvent(0, false);
    frames(2);
}

void Window::type(std::string_view text)
{
    ImGui::GetIO().AddInputCharactersUTF8(std::string(text).c_str());
    frames(2);
}

void Window::key(ImGuiKey key, ImGuiKeyChord modifiers)
{
    ImGuiIO& io = ImGui::GetIO();
    const auto hold = [&](bool down)
    {
        for (const ImGuiKey modifier : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt})
        {
            if ((modifiers & modifier) != 0)
            {
                io.AddKeyEvent(modifier, down);
            }
        }
    };
    // What a keyboard types with these keys; signs are read as characters, wherever the keyboard has them.
    static constexpr std::array<std::pair<ImGuiKey, char>, 8> kSigns{{{ImGuiKey_Comma, ','},
                                                                      {ImGuiKey_Period, '.'},
                                                                      {ImGuiKey_LeftBracket, '['},
                                                                      {ImGuiKey_RightBracket, ']'},
                                                                      {ImGuiKey_Slash, '?'},
                                                                      {ImGuiKey_Backslash, '\\'},
                                                                      {ImGuiKey_Equal, '='},
                                                                      {ImGuiKey_Minus, '-'}}};
    hold(true);
    io.AddKeyEvent(key, true);
    for (const auto& [sign_key, sign] : kSigns)
    {
        if (key == sign_key && (modifiers & ImGuiMod_Ctrl) == 0)
        {
            io.AddInputCharacter(static_cast<unsigned>(sign));
        }
    }
    frame();
    io.AddKeyEvent(key, false);
    hold(false);
    frames(2);
}

void Window::type_value(std::string_view label, std::string_view value)
{
    scroll_to(label);
    const Rect r = find(label).rect;
    press_at({r.right() - 10, r.y + r.h * 0.24F});
    type(value);
    key(ImGuiKey_Enter);
}

} // namespace ringside::test
