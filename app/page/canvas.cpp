#include "app/page/canvas.h"

#include <emscripten.h>
#include <emscripten/html5.h>

#include "app/session/browser_keys.h"
#include "app/session/touch.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

// clang-format off
EM_JS(void, set_cursor_name, (const char* name), { document.getElementById('canvas').style.cursor = UTF8ToString(name); });
EM_JS(void, write_clipboard, (const char* text), {
    if (navigator.clipboard) navigator.clipboard.writeText(UTF8ToString(text)).catch(() => {});
});
// The keyboard of a phone comes up for an element that can be written in.
EM_JS(void, show_keyboard, (int on), {
    const field = document.getElementById('typing');
    if (on) { field.focus({ preventScroll: true }); } else { document.getElementById('canvas').focus({ preventScroll: true }); }
});
EM_JS(void, mark_embedded, (int on), { document.body.dataset.embedded = on ? 'yes' : 'no'; });
EM_JS(int, has_focus, (), { return document.hasFocus(); });
EM_JS(void, give_focus_back, (), { document.activeElement.blur(); window.parent.focus(); });
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
    Touch touch;
    bool types = false;    // a phone's keyboard is up
    bool embedded = false; // in another page
};

Canvas& canvas()
{
    static Canvas it;
    return it;
}

BrowserKey read(const EmscriptenKeyboardEvent& e)
{
    return {e.code, e.key, e.ctrlKey != 0, e.shiftKey != 0, e.altKey != 0, e.metaKey != 0};
}

EM_BOOL on_key(int type, const EmscriptenKeyboardEvent* e, void*)
{
    ImGuiIO& io = ImGui::GetIO();
    const bool down = type == EMSCRIPTEN_EVENT_KEYDOWN;
    const BrowserKey pressed = read(*e);
    const bool writes = pressed.writes_by_alt_gr();
    io.AddKeyEvent(ImGuiMod_Ctrl, (pressed.ctrl || pressed.meta) && !writes);
    io.AddKeyEvent(ImGuiMod_Shift, pressed.shift);
    io.AddKeyEvent(ImGuiMod_Alt, pressed.alt && !writes);
    wake();
    const ImGuiKey key = key_of(pressed);
    const bool embedded = canvas().embedded;
    if (down && (!is_taken(pressed, io.WantTextInput) || (embedded && key == ImGuiKey_Tab)))
    {
        return EM_FALSE;
    }
    if (down && embedded && key == ImGuiKey_Escape && !io.WantTextInput)
    {
        give_focus_back();
    }
    if (key != ImGuiKey_None)
    {
        io.AddKeyEvent(key, down);
    }
    if (!down && (key == ImGuiKey_LeftSuper || key == ImGuiKey_RightSuper))
    {
        io.ClearInputKeys(); // a Mac tells of no key that was let go while Cmd was held
    }
    if (down && !pressed.sign().empty() && (writes || (!pressed.ctrl && !pressed.meta && !pressed.alt)))
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
    if (canvas().embedded && has_focus() == 0)
    {
        return EM_FALSE;
    }
    const float click = e->deltaMode == DOM_DELTA_PIXEL ? kWheelPixels : kWheelLines;
    ImGui::GetIO().AddMouseWheelEvent(-static_cast<float>(e->deltaX) / click,
                                      -static_cast<float>(e->deltaY) / click);
    wake();
    return EM_TRUE;
}

EM_BOOL on_touch(int type, const EmscriptenTouchEvent* e, void*)
{
    const float ratio = pixel_ratio();
    Touch& touch = canvas().touch;
    touch.set_pixel_ratio(ratio);
    if (type == EMSCRIPTEN_EVENT_TOUCHCANCEL)
    {
        touch.cancel();
    }
    else
    {
        std::array<ImVec2, 2> fingers;
        std::size_t down = 0;
        for (int i = 0; i < e->numTouches && down < fingers.size(); ++i)
        {
            const EmscriptenTouchPoint& finger = e->touches[i];
            const bool lifted = type == EMSCRIPTEN_EVENT_TOUCHEND && finger.isChanged;
            if (!lifted)
            {
                fingers[down++] = {static_cast<float>(finger.targetX) * ratio,
                                   static_cast<float>(finger.targetY) * ratio};
            }
        }
        touch.move({fingers.data(), down}, emscripten_get_now() / 1000);
    }
    wake();
    return canvas().embedded ? EM_FALSE : EM_TRUE; // a swipe along the other page is that page's
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
    const ImGuiIO& io = ImGui::GetIO();
    if (const bool types = io.WantTextInput && io.MouseSource == ImGuiMouseSource_TouchScreen;
        types != c.types)
    {
        c.types = types;
        show_keyboard(types ? 1 : 0);
    }
    // ImGui takes a key down and up in a frame each: what was typed faster than it draws waits in its queue.
    const bool waiting = ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
    c.frames = rest == 0 || waiting ? kFramesPerEvent : c.frames - 1;
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

void set_finger_draws(bool draws)
{
    canvas().touch.set_draws(draws);
}

void set_embedded(bool embedded)
{
    canvas().embedded = embedded;
    mark_embedded(embedded ? 1 : 0);
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

// What a phone's keyboard wrote; a key of it by its name in the browser.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_type(const char* text, const char* key)
{
    ImGuiIO& io = ImGui::GetIO();
    io.AddInputCharactersUTF8(text);
    if (const ImGuiKey pressed = key_of({key, key}); pressed != ImGuiKey_None)
    {
        io.AddKeyEvent(pressed, true);
        io.AddKeyEvent(pressed, false);
    }
    wake();
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
