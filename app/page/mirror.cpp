#include "app/page/mirror.h"

#include <emscripten.h>

#include "app/page/canvas.h"
#include "core/base/json/json.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

// clang-format off
EM_JS(void, show_mirror, (const char* text), { if (window.showMirror) showMirror(JSON.parse(UTF8ToString(text))); });
// clang-format on

namespace ringside::page
{

namespace
{

constexpr double kPause = 0.25; // [s] between two tellings

struct Written
{
    unsigned id;
    std::string text;
};

struct Mirror
{
    Transcript transcript;
    std::size_t told = 0; // what stood in the page last
    double told_at = -1;
    std::optional<Written> written; // waits until its field has the keyboard
};

Mirror& mirror()
{
    static Mirror it;
    return it;
}

// What the keyboard is on; 0: nothing that shows it.
unsigned focused()
{
    const ImGuiContext& g = *GImGui;
    return g.IO.WantTextInput ? g.ActiveId : g.NavDisableHighlight ? 0 : g.NavId;
}

std::size_t sum_of(const Transcript& all, bool plays)
{
    std::size_t sum = focused() + (plays ? 1U : 0U);
    const auto add = [&sum](std::size_t more) { sum = sum * 1099511628211U + more; };
    const std::hash<std::string> text;
    for (const ReadPart& part : all.parts())
    {
        for (const float side : {part.rect.x, part.rect.y, part.rect.w, part.rect.h, part.position * 1000})
        {
            add(static_cast<std::size_t>(std::lround(side) + 65536));
        }
        add(text(part.text));
        add(text(part.value));
        add(text(part.tip));
        add((part.on ? 1U : 0U) + 2U * static_cast<unsigned>(part.role) + 64U * part.id);
    }
    for (const std::string& said : all.said())
    {
        add(text(said));
    }
    return sum;
}

nlohmann::json told(const ReadPart& part, float ratio)
{
    static constexpr std::array kRoles{"p",      "heading", "button", "choice",
                                       "toggle", "menu",    "slider", "field"};
    const Rect& r = part.rect;
    nlohmann::json all{{"role", kRoles.at(static_cast<std::size_t>(part.role))},
                       {"region", static_cast<int>(part.region)},
                       {"text", part.text},
                       {"on", part.on},
                       {"box", {r.x / ratio, r.y / ratio, r.w / ratio, r.h / ratio}}};
    if (part.id != 0)
    {
        all.update({{"id", part.id}, {"value", part.value}, {"tip", part.tip}, {"position", part.position}});
    }
    else
    {
        all["size"] = part.size / ratio;
    }
    return all;
}

void write_into_field()
{
    Mirror& m = mirror();
    if (m.written && GImGui->ActiveId == m.written->id)
    {
        ImGuiIO& io = ImGui::GetIO();
        for (const bool down : {true, false})
        {
            io.AddKeyEvent(ImGuiMod_Ctrl, down);
            io.AddKeyEvent(ImGuiKey_A, down);
        }
        io.AddInputCharactersUTF8(m.written->text.c_str());
        m.written.reset();
        wake();
    }
}

const ReadPart* control_of(unsigned id)
{
    const auto& all = mirror().transcript.parts();
    const auto found = std::ranges::find(all, id, &ReadPart::id);
    return id == 0 || found == all.end() ? nullptr : &*found;
}

// As Tab does; what is out of sight is scrolled into it.
bool focus(unsigned id)
{
    const ReadPart* part = control_of(id);
    ImGuiWindow* window = part == nullptr ? nullptr : ImGui::FindWindowByID(part->window);
    if (window == nullptr)
    {
        return false;
    }
    ImGuiContext& g = *GImGui;
    if (g.NavWindow == nullptr || g.NavWindow->RootWindow != window->RootWindow)
    {
        ImGui::FocusWindow(window);
    }
    ImGui::SetFocusID(id, window);
    g.NavDisableHighlight = false;
    g.NavDisableMouseHover = true;
    wake();
    return true;
}

} // namespace

Transcript& transcript()
{
    return mirror().transcript;
}

double show_transcript(double now, bool plays)
{
    Mirror& m = mirror();
    write_into_field();
    const std::size_t sum = sum_of(m.transcript, plays);
    if (sum == m.told)
    {
        return -1;
    }
    if (now - m.told_at < kPause)
    {
        return kPause;
    }
    m.told = sum;
    m.told_at = now;
    nlohmann::json all{{"parts", nlohmann::json::array()},
                       {"said", m.transcript.said()},
                       {"focus", focused()},
                       {"plays", plays}};
    const float ratio = pixel_ratio();
    for (const ReadPart& part : m.transcript.parts())
    {
        all["parts"].push_back(told(part, ratio));
    }
    show_mirror(all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return -1;
}

// A screen reader is on a control of the picture.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_focus(unsigned id)
{
    if (id != focused())
    {
        focus(id);
    }
}

// It presses one, or types into one.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_press(unsigned id)
{
    if (focus(id))
    {
        ImGui::ActivateItemByID(id);
        GImGui->NavNextActivateFlags |= ImGuiActivateFlags_PreferInput;
    }
}

// It moves a slider by a step up or down.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_step(unsigned id, int by)
{
    if (focus(id))
    {
        const ImGuiKey key = by < 0 ? ImGuiKey_LeftArrow : ImGuiKey_RightArrow;
        ImGui::GetIO().AddKeyEvent(key, true);
        ImGui::GetIO().AddKeyEvent(key, false);
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_write(unsigned id, const char* text)
{
    mirror().written = Written{id, text};
    if (GImGui->ActiveId != id)
    {
        ringside_press(id);
    }
    write_into_field();
}

} // namespace ringside::page
