#include "ui/widgets/answer_field.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::size_t kLongestText = 200;

// What ImGui's own copy of the text has to follow.
struct TextEdit
{
    const std::string* put; // null: what was typed stays
    bool select;
    bool to_end;
};

int edit_text(ImGuiInputTextCallbackData* data)
{
    const TextEdit& edit = *static_cast<TextEdit*>(data->UserData);
    if (edit.put != nullptr)
    {
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, edit.put->c_str());
    }
    if (edit.select)
    {
        data->SelectAll();
    }
    else if (edit.to_end || edit.put != nullptr)
    {
        data->CursorPos = data->BufTextLen;
        data->ClearSelection();
    }
    return 0;
}

bool is_digit(ImWchar sign)
{
    return sign >= '0' && sign <= '9';
}

// Whether the keyboard is on something else that shows it.
bool ring_elsewhere(ImGuiID id)
{
    const ImGuiContext& g = *GImGui;
    return !g.NavDisableHighlight && g.NavId != 0 && g.NavId != id;
}

} // namespace

void AnswerField::set(std::string text)
{
    text_ = std::move(text);
    put_ = text_;
}

bool AnswerField::waits(ImGuiID id) const
{
    const ImGuiContext& g = *GImGui;
    if (g.ActiveId == id || ImGui::IsMouseDown(0) ||
        ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    {
        return false;
    }
    const bool taken = g.ActiveId != 0 || (g.NavActivateId != 0 && g.NavActivateId != id);
    const bool digit = std::ranges::any_of(ImGui::GetIO().InputQueueCharacters, is_digit);
    return asked_ || (!taken && (digit || !ring_elsewhere(id)));
}

// Next frame it is active. The item that had the keyboard gives it up, or it would have it back when it is
// drawn.
void AnswerField::take(ImGuiID id)
{
    ImGuiContext& g = *GImGui;
    ImGui::SetFocusID(id, g.CurrentWindow);
    g.NavDisableHighlight = true;
    g.NavNextActivateId = id;
    g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
    ImGuiIO& io = ImGui::GetIO();
    io.WantTextInput = true;
    if (fresh_ || io.KeyCtrl || io.InputQueueCharacters.empty())
    {
        return;
    }
    text_ = std::exchange(select_, false) ? "" : text_;
    for (const ImWchar sign : io.InputQueueCharacters)
    {
        char letters[5] = {};
        ImTextCharToUtf8(letters, sign);
        text_ += sign >= ' ' ? letters : "";
    }
    io.InputQueueCharacters.resize(0);
}

// Whatever stands behind the last figure or bracket gives way to the unit; a text without a number stays.
std::string with_unit(std::string_view text, std::string_view unit)
{
    const std::size_t end = text.find_last_of("0123456789)");
    return end == std::string_view::npos ? std::string(text)
                                         : fmt::format("{} {}", text.substr(0, end + 1), unit);
}

// At the right of the box; what is left of it is the field's.
Rect AnswerField::draw_units(const Painter& p, Rect box, std::span<const std::string> units)
{
    const float gap = p.px(6);
    const auto width = [&](std::string_view unit) { return p.width(Type::small_strong, unit) + p.px(54); };
    const float caption = p.width(Type::small, "Alt") + gap;
    float all = caption;
    std::size_t shown = 0;
    while (shown < units.size() && all + gap + width(units[shown]) < box.w - p.px(170))
    {
        all += gap + width(units[shown++]);
    }
    if (shown == 0)
    {
        return box;
    }
    Rect row = box.cut_right(all);
    p.text(row.x + gap, row.middle(), Type::small, p.theme.muted, "Alt");
    row.cut_left(caption);
    for (std::size_t i = 0; i < shown; ++i)
    {
        row.cut_left(gap);
        const Rect r = row.cut_left(width(units[i]));
        const std::string label = fmt::format("{}###unit {}", units[i], i);
        const auto key = static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i));
        const bool typed = ImGui::GetIO().KeyAlt && ImGui::IsKeyPressed(key, false);
        if (button(p, {r.x, r.middle() - p.px(17), r.w, p.px(34)}, label.c_str(), std::to_string(i + 1)) ||
            typed)
        {
            set(with_unit(text_, units[i]));
            focus();
        }
    }
    return box;
}

bool AnswerField::draw(const Painter& p, Rect whole, const AnswerFieldLook& look, bool& animating)
{
    const Rect box = box_ = draw_units(p, whole, look.units);
    const Colour line = held_ ? p.theme.text : p.theme.line;
    p.fill(box, p.theme.panel, p.px(8));
    p.outline(box, look.edge != 0 ? look.edge : line, p.px(2), p.px(8));
    const FontScope font(p.look.fonts.of(look.type));
    const float pad = p.px(14);
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{pad, (box.h - ImGui::GetFontSize()) / 2});
    const StyleScope border(ImGuiStyleVar_FrameBorderSize, 0.0F);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32_BLACK_TRANS);
    ImGui::SetCursorScreenPos(box.min());
    ImGui::SetNextItemWidth(box.w - look.right);
    const ImGuiID id = ImGui::GetID(look.id);
    const bool waiting = waits(id);
    if (waiting)
    {
        take(id);
    }
    if (GImGui->ActiveId != id)
    {
        put_.reset(); // it starts from text_
    }
    const std::string before = text_;
    TextEdit edit{put_ ? &*put_ : nullptr, select_, waiting};
    const bool done = ImGui::InputText(
        look.id, &text_, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways, edit_text,
        &edit);
    held_ = ImGui::IsItemActive();
    read_field(p, look.hint.empty() ? "Your answer" : look.hint, text_);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        text_ = before; // ImGui would take back what was typed; Esc only leaves here
    }
    text_.resize(std::min(text_.size(), kLongestText));
    ImGui::PopStyleColor();
    if (held_)
    {
        asked_ = select_ = false;
        put_.reset();
    }
    fresh_ = false;
    animating = animating || (!held_ && (waiting || done));
    if (text_.empty())
    {
        p.text_within(box.x + pad + p.px(6), box.middle(), box.w - pad - p.px(12), Type::small, p.theme.muted,
                      look.hint);
    }
    return done;
}

std::string letter_key(std::string_view letter)
{
    return (ImGui::GetIO().WantTextInput ? "Alt " : "") + std::string(letter);
}

} // namespace ringside
