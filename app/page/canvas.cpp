#include "app/page/canvas.h"

#include <emscripten.h>
#include <emscripten/html5.h>

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

// clang-format off
EM_JS(void, set_cursor_name, (const char* name), { document.getElementById('canvas').style.cursor = UTF8ToString(name); });
EM_JS(void, write_clipboard, (const char* text), {
    if (navigator.clipboard) navigator.clipboard.writeText(UTF8ToString(text)).catch(() => {});
});
EM_JS(void, say_context_is_lost, (), { document.getElementById('lost').hidden = false; });
// clang-format on

namespace ringside::page
{

namespace
{

constexpr const char* kCanvas = "#canvas";
constexpr int kFramesPerEvent = 3;    // ImGui needs a frame to react and one to settle
constexpr double kLongestFrame = 0.1; // [s] that a frame moves what moves
constexpr float kWheelPixels = 100;   // that browsers send for one click of the wheel
constexpr float kWheelLines = 3;      // the same, where they count lines

struct Canvas
{
    DrawFrame draw;
    std::string clipboard;
    int frames = 0;   // still to draw without being asked
    bool due = false; // a frame is asked for
    long timer = 0;
    double last = 0; // [s]
    int fingers = 0;
    ImVec2 fingers_at;
};

Canvas& canvas()
{
    static Canvas it;
    return it;
}

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
ImGuiKey key_of(std::string_view code)
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

// What a browser does with a key that no page should take from it: reload, full screen, its tools, tabs,
// address.
bool is_the_browsers(const EmscriptenKeyboardEvent& e)
{
    const std::string_view code = e.code;
    const bool with_ctrl = e.ctrlKey != 0 || e.metaKey != 0;
    constexpr std::array<std::string_view, 3> kPlain{"F5", "F11", "F12"};
    constexpr std::array<std::string_view, 9> kCtrl{"KeyW", "KeyT", "KeyN",   "KeyR", "KeyL",
                                                    "KeyP", "KeyV", "Digit0", "Tab"};
    const auto in = [&](const auto& keys) { return std::ranges::find(keys, code) != keys.end(); };
    return in(kPlain) || (with_ctrl && in(kCtrl)) || e.altKey != 0;
}

void modifiers(const EmscriptenKeyboardEvent& e)
{
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, e.ctrlKey != 0 || e.metaKey != 0);
    io.AddKeyEvent(ImGuiMod_Shift, e.shiftKey != 0);
    io.AddKeyEvent(ImGuiMod_Alt, e.altKey != 0);
}

EM_BOOL on_key(int type, const EmscriptenKeyboardEvent* e, void*)
{
    const bool down = type == EMSCRIPTEN_EVENT_KEYDOWN;
    modifiers(*e);
    wake();
    if (down && is_the_browsers(*e))
    {
        return EM_FALSE;
    }
    ImGuiIO& io = ImGui::GetIO();
    if (const ImGuiKey key = key_of(e->code); key != ImGuiKey_None)
    {
        io.AddKeyEvent(key, down);
    }
    // A key that writes is named by what it writes, one character; the others by a word.
    const std::string_view written = e->key;
    const auto first = written.empty() ? 0 : static_cast<unsigned char>(written.front());
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (down && e->ctrlKey == 0 && e->metaKey == 0 && written.size() == length)
    {
        io.AddInputCharactersUTF8(e->key);
    }
    return EM_TRUE;
}

EM_BOOL on_mouse(int type, const EmscriptenMouseEvent* e, void*)
{
    ImGuiIO& io = ImGui::GetIO();
    const float ratio = pixel_ratio();
    io.AddMousePosEvent(static_cast<float>(e->targetX) * ratio, static_cast<float>(e->targetY) * ratio);
    if (type == EMSCRIPTEN_EVENT_MOUSEDOWN || type == EMSCRIPTEN_EVENT_MOUSEUP)
    {
        constexpr std::array kButtons{0, 2, 1}; // the browser's second is the middle one
        io.AddMouseButtonEvent(kButtons.at(std::min<std::size_t>(e->button, 2)),
                               type == EMSCRIPTEN_EVENT_MOUSEDOWN);
    }
    wake();
    return type == EMSCRIPTEN_EVENT_MOUSEDOWN ? EM_FALSE : EM_TRUE; // the press gives the page the keyboard
}

EM_BOOL on_leave(int, const EmscriptenMouseEvent*, void*)
{
    ImGui::GetIO().AddMousePosEvent(-1, -1);
    wake();
    return EM_FALSE;
}

EM_BOOL on_wheel(int, const EmscriptenWheelEvent* e, void*)
{
    const float click = e->deltaMode == DOM_DELTA_PIXEL ? kWheelPixels : kWheelLines;
    ImGui::GetIO().AddMouseWheelEvent(-static_cast<float>(e->deltaX) / click,
                                      -static_cast<float>(e->deltaY) / click);
    wake();
    return EM_TRUE;
}

// One finger points, two scroll.
EM_BOOL on_touch(int type, const EmscriptenTouchEvent* e, void*)
{
    ImGuiIO& io = ImGui::GetIO();
    Canvas& c = canvas();
    const float ratio = pixel_ratio();
    const bool over = type == EMSCRIPTEN_EVENT_TOUCHEND || type == EMSCRIPTEN_EVENT_TOUCHCANCEL;
    const ImVec2 at{static_cast<float>(e->touches[0].targetX) * ratio,
                    static_cast<float>(e->touches[0].targetY) * ratio};
    const int fingers = over ? 0 : e->numTouches;
    if (fingers == 2 && c.fingers == 2)
    {
        io.AddMouseWheelEvent((at.x - c.fingers_at.x) / (kWheelPixels * ratio),
                              (at.y - c.fingers_at.y) / (kWheelPixels * ratio));
    }
    else
    {
        io.AddMousePosEvent(at.x, at.y);
    }
    if (fingers != c.fingers)
    {
        io.AddMouseButtonEvent(0, fingers == 1);
    }
    c.fingers = fingers;
    c.fingers_at = at;
    wake();
    return EM_TRUE;
}

EM_BOOL on_focus(int type, const EmscriptenFocusEvent*, void*)
{
    ImGui::GetIO().AddFocusEvent(type == EMSCRIPTEN_EVENT_FOCUS);
    wake();
    return EM_FALSE;
}

void take_size()
{
    double width = 0;
    double height = 0;
    emscripten_get_element_css_size(kCanvas, &width, &height);
    const double ratio = emscripten_get_device_pixel_ratio();
    const int wide = std::max(1, static_cast<int>(width * ratio + 0.5));
    const int high = std::max(1, static_cast<int>(height * ratio + 0.5));
    int now_wide = 0;
    int now_high = 0;
    emscripten_get_canvas_element_size(kCanvas, &now_wide, &now_high);
    if (wide != now_wide || high != now_high)
    {
        emscripten_set_canvas_element_size(kCanvas, wide, high);
    }
    ImGui::GetIO().DisplaySize = {static_cast<float>(wide), static_cast<float>(high)};
}

void show_cursor()
{
    static constexpr std::array<const char*, ImGuiMouseCursor_COUNT> kNames{
        "default",     "text",        "move",    "ns-resize",  "ew-resize",
        "nesw-resize", "nwse-resize", "pointer", "not-allowed"};
    static int shown = ImGuiMouseCursor_Arrow;
    const int wanted = ImGui::GetMouseCursor();
    if (wanted != shown && wanted >= 0)
    {
        set_cursor_name(kNames.at(static_cast<std::size_t>(wanted)));
        shown = wanted;
    }
}

EM_BOOL on_frame(double now_ms, void*);

void ask_for_frame()
{
    Canvas& c = canvas();
    if (!c.due && c.draw)
    {
        c.due = true;
        emscripten_request_animation_frame(on_frame, nullptr);
    }
}

EM_BOOL on_frame(double now_ms, void*)
{
    Canvas& c = canvas();
    c.due = false;
    const double now = now_ms / 1000;
    const double seconds = std::clamp(now - std::exchange(c.last, now), 1e-4, kLongestFrame);
    take_size();
    const double rest = c.draw(now, seconds);
    show_cursor();
    c.frames = rest == 0 ? kFramesPerEvent : c.frames - 1;
    if (c.frames > 0)
    {
        ask_for_frame();
    }
    else if (rest > 0)
    {
        emscripten_clear_timeout(c.timer);
        c.timer = emscripten_set_timeout([](void*) { wake(); }, rest * 1000, nullptr);
    }
    return EM_FALSE;
}

} // namespace

void wake()
{
    canvas().frames = kFramesPerEvent;
    ask_for_frame();
}

bool start_canvas()
{
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = EM_FALSE;
    wanted.depth = EM_FALSE;
    wanted.antialias = EM_FALSE; // ImGui smooths its own edges
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context(kCanvas, &wanted);
    return context > 0 && emscripten_webgl_make_context_current(context) == EMSCRIPTEN_RESULT_SUCCESS;
}

void start_frames(DrawFrame draw)
{
    canvas().draw = std::move(draw);
    ImGuiIO& io = ImGui::GetIO();
    io.GetClipboardTextFn = [](void*) { return canvas().clipboard.c_str(); };
    io.SetClipboardTextFn = [](void*, const char* text) { set_clipboard(text); };
    const char* window = EMSCRIPTEN_EVENT_TARGET_WINDOW;
    emscripten_set_keydown_callback(window, nullptr, EM_FALSE, on_key);
    emscripten_set_keyup_callback(window, nullptr, EM_FALSE, on_key);
    emscripten_set_focus_callback(window, nullptr, EM_FALSE, on_focus);
    emscripten_set_blur_callback(window, nullptr, EM_FALSE, on_focus);
    emscripten_set_mousemove_callback(kCanvas, nullptr, EM_FALSE, on_mouse);
    emscripten_set_mousedown_callback(kCanvas, nullptr, EM_FALSE, on_mouse);
    emscripten_set_mouseup_callback(window, nullptr, EM_FALSE, on_mouse);
    emscripten_set_mouseleave_callback(kCanvas, nullptr, EM_FALSE, on_leave);
    emscripten_set_wheel_callback(kCanvas, nullptr, EM_FALSE, on_wheel);
    emscripten_set_touchstart_callback(kCanvas, nullptr, EM_FALSE, on_touch);
    emscripten_set_touchmove_callback(kCanvas, nullptr, EM_FALSE, on_touch);
    emscripten_set_touchend_callback(kCanvas, nullptr, EM_FALSE, on_touch);
    emscripten_set_touchcancel_callback(kCanvas, nullptr, EM_FALSE, on_touch);
    emscripten_set_resize_callback(window, nullptr, EM_FALSE,
                                   [](int, const EmscriptenUiEvent*, void*) -> EM_BOOL
                                   {
                                       wake();
                                       return EM_FALSE;
                                   });
    emscripten_set_webglcontextlost_callback(kCanvas, nullptr, EM_FALSE,
                                             [](int, const void*, void*) -> EM_BOOL
                                             {
                                                 say_context_is_lost();
                                                 return EM_TRUE;
                                             });
    wake();
}

float pixel_ratio()
{
    return static_cast<float>(emscripten_get_device_pixel_ratio());
}

std::string clipboard()
{
    return canvas().clipboard;
}

void set_clipboard(const std::string& text)
{
    canvas().clipboard = text;
    write_clipboard(text.c_str());
}

// The browser tells what is pasted only on a paste; then the chord reaches ImGui.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_paste(const char* text)
{
    canvas().clipboard = text;
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    io.AddKeyEvent(ImGuiKey_V, true);
    io.AddKeyEvent(ImGuiKey_V, false);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    wake();
}

} // namespace ringside::page
