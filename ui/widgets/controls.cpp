#include "ui/widgets/controls.h"

#include "core/base/text/hide_numbers.h"
#include "ui/draw/chart_record.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

// What is shown of "Title###id".
std::string_view visible(const char* label)
{
    const std::string_view all = label;
    return all.substr(0, all.find("##"));
}

} // namespace

Press press(const Painter& painter, Rect r, const char* label, float radius)
{
    return press(painter, r, label, radius, {});
}

Press press(const Painter& painter, Rect r, const char* label, float radius, const ReadAs& as)
{
    Press p;
    if (r.w < 1 || r.h < 1)
    {
        return p;
    }
    ImGui::SetCursorScreenPos(r.min());
    p.clicked = ImGui::InvisibleButton(label, {r.w, r.h});
    p.hovered = ImGui::IsItemHovered() || painter.walks_in(r);
    p.held = ImGui::IsItemActive();
    p.focused = ImGui::IsItemFocused() && GImGui->NavDisableMouseHover;
    read_item(painter, r, label, as);
    if (p.focused)
    {
        painter.outline(r.inset(-painter.px(2)), painter.theme.text, painter.px(2), painter.px(radius));
    }
    return p;
}

namespace
{

int steps_of(ImGuiID id, ImGuiKey back, ImGuiKey on)
{
    ImGui::SetKeyOwner(back, id);
    ImGui::SetKeyOwner(on, id);
    if (ImGui::IsKeyPressed(back, id, ImGuiInputFlags_Repeat))
    {
        return -1;
    }
    return ImGui::IsKeyPressed(on, id, ImGuiInputFlags_Repeat) ? 1 : 0;
}

} // namespace

int arrow_steps(ImGuiID id)
{
    return steps_of(id, ImGuiKey_LeftArrow, ImGuiKey_RightArrow);
}

int row_steps(ImGuiID id)
{
    return steps_of(id, ImGuiKey_UpArrow, ImGuiKey_DownArrow);
}

bool button(const Painter& painter, Rect r, const char* label, std::string_view key, ButtonStyle style)
{
    const Press p = press(painter, r, label);
    const Theme& t = painter.theme;
    const bool primary = style == ButtonStyle::primary;
    if (style != ButtonStyle::quiet || p.hovered)
    {
        painter.fill(r, primary ? t.text : p.hovered ? t.raised : t.control, painter.px(6));
    }
    if (style == ButtonStyle::plain)
    {
        painter.outline(r, t.line, 1, painter.px(6));
    }
    const std::string_view words = visible(label);
    const Type type = style == ButtonStyle::quiet ? Type::small : Type::small_strong;
    const float cap =
        key.empty()
            ? 0
            : std::max(painter.px(24), painter.width(Type::mono_small, key) + painter.px(12)) + painter.px(8);
    const float w = painter.width(type, words);
    const bool capped = cap > 0 && w + cap + painter.px(8) <= r.w;
    float x = std::max(r.x + painter.px(6), r.centre() - (w + (capped ? cap : 0)) / 2);
    if (capped)
    {
        painter.keycap(x, r.middle(), key);
        x += cap;
    }
    painter.text_within(x, r.middle(), r.right() - x, type, primary ? t.window : t.text, words);
    return p.clicked;
}

namespace
{

// All as wide as each other where every word fits, else as wide as their words want.
std::vector<float> segment_widths(const Painter& painter, float all, std::span<const std::string_view> words)
{
    const float each = all / static_cast<float>(words.size());
    std::vector<float> widths;
    float sum = 0;
    float widest = 0;
    for (const std::string_view word : words)
    {
        widths.push_back(painter.width(Type::small_strong, word));
        sum += widths.back();
        widest = std::max(widest, widths.back());
    }
    const float rest = (all - sum) / static_cast<float>(words.size());
    const bool even = widest + painter.px(8) <= each || rest < painter.px(8);
    for (float& w : widths)
    {
        w = even ? each : w + rest;
    }
    return widths;
}

} // namespace

std::optional<std::size_t> segments(const Painter& painter, Rect r, std::span<const std::string_view> words,
                                    std::size_t chosen)
{
    const Theme& t = painter.theme;
    painter.fill(r, t.control, painter.px(6));
    painter.outline(r, t.line, 1, painter.px(6));
    std::optional<std::size_t> clicked;
    const std::vector<float> widths = segment_widths(painter, r.w, words);
    Rect rest = r;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const Rect part = rest.cut_left(widths[i]);
        const Press p = press(painter, part, std::string(words[i]).c_str(), 6,
                              {.role = ReadRole::choice, .on = i == chosen});
        if (i == chosen)
        {
            painter.fill(part, t.text, painter.px(6));
        }
        const Type type = i == chosen ? Type::small_strong : Type::small;
        const Colour colour = i == chosen ? t.window : p.hovered ? t.text : t.muted;
        painter.text(part.centre(), part.middle(), type, colour,
                     painter.shortened(type, words[i], part.w - painter.px(8)), Align::centre);
        if (p.clicked && i != chosen)
        {
            clicked = i;
        }
    }
    return clicked;
}

Rect progress_line(const Painter& p, Rect area, double done)
{
    Rect line = area.cut_top(p.px(4));
    area.cut_top(p.px(8));
    p.fill(line, p.theme.control);
    line.w *= static_cast<float>(done);
    p.fill(line, p.theme.text);
    return area;
}

bool toggle(const Painter& painter, Rect r, const char* label, bool on)
{
    const Press p = press(painter, r, label, 6, {.role = ReadRole::toggle, .on = on});
    const Theme& t = painter.theme;
    const Rect track{r.right() - painter.px(36), r.middle() - painter.px(10), painter.px(36), painter.px(20)};
    painter.text_within(r.x, r.middle(), track.x - r.x - painter.px(8), Type::small,
                        p.hovered ? t.text : t.muted, visible(label));
    painter.fill(track, on ? t.text : t.raised, painter.px(10));
    painter.outline(track, t.line, 1, painter.px(10));
    const float x = on ? track.right() - painter.px(10) : track.x + painter.px(10);
    painter.list.AddCircleFilled({x, track.middle()}, painter.px(7), on ? t.window : t.muted);
    return p.clicked;
}

bool dropdown(const Painter& painter, Rect r, const char* label, std::string_view shown)
{
    const Press p = press(painter, r, label, 6, {.role = ReadRole::menu, .value = shown});
    const Theme& t = painter.theme;
    painter.fill(r, p.hovered ? t.raised : t.control, painter.px(6));
    painter.outline(r, t.line, 1, painter.px(6));
    painter.text_within(r.x + painter.px(12), r.middle(), r.w - painter.px(44), Type::small_strong, t.text,
                        shown);
    const float x = r.right() - painter.px(18);
    const float u = painter.px(5);
    painter.list.AddTriangleFilled({x - u, r.middle() - u * 0.7F}, {x + u, r.middle() - u * 0.7F},
                                   {x, r.middle() + u}, t.muted);
    return p.clicked;
}

namespace
{

// Whether the value of the item of this id is being typed; the window remembers it, and ImGui what is typed.
enum Typing
{
    kNotTyping,
    kTypingAsked,
    kTyping
};

int& typing_of(ImGuiID id)
{
    return *ImGui::GetStateStorage()->GetIntRef(id, kNotTyping);
}

// The text field in place of the value; what was typed, once Enter is pressed.
std::optional<std::string> type_value(const Painter& painter, Rect r, int& typing, const SliderText& words)
{
    ImGui::SetCursorScreenPos({r.right() - painter.px(120), r.y - painter.px(4)});
    ImGui::SetNextItemWidth(painter.px(120));
    const FontScope font(painter.look.fonts.of(Type::mono_small));
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{painter.px(6), painter.px(3)});
    if (typing == kTypingAsked)
    {
        ImGui::SetKeyboardFocusHere();
    }
    const std::string_view label = words.label;
    const std::size_t own = label.rfind("###"); // ImGui's ids start over there
    const std::string id =
        "###type " + std::string(own == std::string_view::npos ? label : label.substr(own + 3));
    // The shown value is a good start when it reads back as a number.
    std::array<char, 48> text{};
    const std::string_view start = std::string_view(words.value).substr(0, text.size() - 1);
    std::copy(start.begin(), start.end(), text.begin());
    const bool done =
        ImGui::InputText(id.c_str(), text.data(), text.size(),
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    read_field(painter, visible(words.label), text.data());
    const bool active = ImGui::IsItemActive();
    typing = done || (typing == kTyping && !active) ? kNotTyping : active ? kTyping : typing;
    return done ? std::optional<std::string>(text.data()) : std::nullopt;
}

void draw_track(const Painter& painter, Rect r, float position, std::span<const float> ticks, bool held)
{
    const Theme& t = painter.theme;
    const float y = r.y + painter.px(28);
    const float knob = painter.px(8);
    const float left = r.x + knob;
    const float right = r.right() - knob;
    const float x = left + (right - left) * std::clamp(position, 0.0F, 1.0F);
    painter.fill({r.x, y - painter.px(2), r.w, painter.px(4)}, t.raised, painter.px(2));
    painter.fill({r.x, y - painter.px(2), x - r.x, painter.px(4)}, mix(t.text, t.window, 0.3F),
                 painter.px(2));
    if (ticks.size() <= 24)
    {
        for (const float tick : ticks)
        {
            const float at = std::round(left + (right - left) * tick);
            painter.line(at, y + painter.px(8), at, y + painter.px(11), t.line);
        }
    }
    painter.list.AddCircleFilled({x, y}, held ? knob * 1.15F : knob, t.text);
}

// A value where its label has no room: without "auto", or without a unit that the label says anyway.
std::string_view brief_value(std::string_view value)
{
    constexpr std::string_view kAuto = "auto  ";
    constexpr std::size_t kLongestSymbol = 5; // "TFLOPS" and longer are words
    if (value.starts_with(kAuto))
    {
        return value.substr(kAuto.size());
    }
    const std::size_t at = value.rfind(' ');
    const bool word = at != std::string_view::npos && value.size() - at - 1 > kLongestSymbol;
    return word ? value.substr(0, at) : value;
}

void label_and_value(const Painter& painter, Rect r, const SliderText& words, bool hovered, bool typing)
{
    const Theme& t = painter.theme;
    const float middle = r.y + painter.px(10);
    float x = r.x;
    if (words.fault)
    {
        painter.triangle(x, middle, t.warning);
        x += painter.px(22);
    }
    const std::string_view label = visible(words.label);
    const float room = r.right() - x - painter.width(Type::small, label) - painter.px(6);
    const bool roomy = painter.width(Type::mono_small, words.value) <= room;
    const std::string_view value = roomy ? std::string_view(words.value) : brief_value(words.value);
    const float value_width = typing ? painter.px(124) : painter.width(Type::mono_small, value);
    painter.text_within(x, middle, r.right() - value_width - painter.px(6) - x, Type::small,
                        hovered ? t.text : t.muted, label);
    if (!typing)
    {
        painter.text(r.right(), middle, Type::mono_small, words.fault ? t.warning : t.text, value,
                     Align::right);
    }
}

} // namespace

SliderChange slider(const Painter& painter, Rect r, const SliderText& words, float position)
{
    SliderChange change;
    int& state = typing_of(ImGui::GetID(words.label));
    const bool typing = state != kNotTyping;
    const Rect hit =
        typing ? Rect{r.x, r.y + painter.px(20), r.w, painter.px(22)} : Rect{r.x, r.y, r.w, painter.px(42)};
    const Press p = press(painter, hit, words.label, 6,
                          {.role = ReadRole::slider, .value = words.value, .position = position});
    const float knob = painter.px(8);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool on_track = ImGui::GetIO().MouseClickedPos[0].y >= r.y + painter.px(18);
    label_and_value(painter, r, words, p.hovered || p.held, typing);
    if (p.held && on_track && ImGui::IsMouseDown(0))
    {
        const float to = std::clamp((mouse.x - r.x - knob) / std::max(1.0F, r.w - 2 * knob), 0.0F, 1.0F);
        change = {SliderChange::Kind::dragged, to, 0, {}};
    }
    else if (p.clicked && (!on_track || !ImGui::IsMouseReleased(0)))
    {
        state = kTypingAsked; // on the value, or by Enter or Space
    }
    if (p.focused && !typing)
    {
        change.steps = arrow_steps(ImGui::GetItemID());
        change.kind = change.steps == 0 ? change.kind : SliderChange::Kind::stepped;
    }
    draw_track(painter, r, position, words.ticks, p.held);
    if (const auto text = typing ? type_value(painter, r, state, words) : std::nullopt)
    {
        change = {SliderChange::Kind::typed, 0, 0, *text};
    }
    return change;
}

SliderChange typed_number(const Painter& painter, Rect r, const SliderText& words)
{
    SliderChange change;
    int& state = typing_of(ImGui::GetID(words.label));
    const bool typing = state != kNotTyping;
    bool hovered = false;
    if (!typing)
    {
        const Press p = press(painter, r, words.label, 6, {.role = ReadRole::menu, .value = words.value});
        hovered = p.hovered;
        state = p.clicked ? kTypingAsked : state;
    }
    const Rect line{r.x, r.middle() - painter.px(10), r.w, r.h};
    label_and_value(painter, line, words, hovered, typing);
    if (const auto text = typing ? type_value(painter, line, state, words) : std::nullopt)
    {
        change = {SliderChange::Kind::typed, 0, 0, *text};
    }
    return change;
}

void tip_card(const Painter& under, Rect bounds, ImVec2 at, std::string_view heading,
              std::span<const TipLine> lines, std::string_view foot)
{
    if (under.look.no_tips)
    {
        return;
    }
    std::string told(heading);
    for (const TipLine& line : lines)
    {
        told += ". " + line.label + " " + line.value;
    }
    read_aloud(under.look, told);
    const Painter painter(*ImGui::GetForegroundDrawList(), under.look);
    const float margin = painter.px(16);
    const float row = painter.px(24);
    float w = painter.width(Type::small_strong, heading);
    for (const TipLine& line : lines)
    {
        w = std::max(w, painter.width(Type::small, line.label) + painter.width(Type::mono_small, line.value) +
                            painter.px(24) + (line.swatch != 0 ? painter.px(24) : 0));
    }
    w = std::max(w, painter.width(Type::small, foot)) + 2 * margin;
    const float h = row * static_cast<float>(lines.size() + 1 + (foot.empty() ? 0 : 1)) + margin;
    Rect card{at.x + painter.px(16), at.y + painter.px(12), w, h};
    if (card.right() > bounds.right())
    {
        card.x = at.x - painter.px(16) - w;
    }
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    card.x = std::max(0.0F, std::min(std::max(card.x, bounds.x), window.x - w));
    card.y = std::max(bounds.y, std::min(card.y, bounds.bottom() - h));
    card.y = std::max(0.0F, std::min(card.y, window.y - h));
    if (under.look.record != nullptr)
    {
        under.look.record->tips.push_back(card);
    }
    painter.fill(card, painter.theme.control, painter.px(8));
    painter.outline(card, painter.theme.text, 1, painter.px(8));
    float y = card.y + margin / 2 + row / 2;
    painter.text(card.x + margin, y, Type::small_strong, painter.theme.text, heading);
    for (const TipLine& line : lines)
    {
        y += row;
        float x = card.x + margin;
        if (line.swatch != 0)
        {
            painter.fill({x, y - painter.px(7), painter.px(14), painter.px(14)}, line.swatch);
            x += painter.px(24);
        }
        painter.text(x, y, Type::small, painter.theme.text, line.label);
        painter.text(card.right() - margin, y, Type::mono_small, painter.theme.text, line.value,
                     Align::right);
    }
    if (!foot.empty())
    {
        painter.text(card.x + margin, y + row, Type::small, painter.theme.muted, foot);
    }
}

void tooltip(const Painter& painter, std::string_view text)
{
    // Where items lie on each other, only the one that a press would reach: each of two would begin the
    // other's delay again, so that no tip ever showed.
    const ImGuiID id = ImGui::GetItemID();
    const bool reached = id == 0 || GImGui->HoveredId == id || GImGui->NavDisableMouseHover;
    if (painter.look.transcript != nullptr && !painter.look.hide_numbers)
    {
        painter.look.transcript->describe(text);
    }
    if (reached && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort | ImGuiHoveredFlags_NoSharedDelay))
    {
        tooltip_at_mouse(painter, text);
    }
}

void tooltip_at_mouse(const Painter& painter, std::string_view text)
{
    if (text.empty() || painter.look.no_tips)
    {
        return;
    }
    if (painter.look.record != nullptr)
    {
        painter.look.record->tips.emplace_back();
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {painter.px(12), painter.px(8)});
    if (ImGui::BeginTooltip())
    {
        ImGui::PushFont(painter.look.fonts.of(Type::small));
        ImGui::PushTextWrapPos(painter.px(340));
        const std::string hidden =
            painter.look.hide_numbers ? hide_numbers(text, painter.look.known_numbers) : std::string();
        text = painter.look.hide_numbers ? hidden : text;
        ImGui::TextUnformatted(text.data(), text.data() + text.size());
        read_aloud(painter.look, text);
        ImGui::PopTextWrapPos();
        ImGui::PopFont();
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar();
}

bool tip_shows()
{
    const ImGuiWindow* window = ImGui::FindWindowByName("##Tooltip_00");
    return (window != nullptr && window->Active) || !ImGui::GetForegroundDrawList()->VtxBuffer.empty();
}

} // namespace ringside
