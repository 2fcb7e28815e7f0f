#include "ui/widgets/answer_field.h"

#include <misc/cpp/imgui_stdlib.h>

#include "ui/draw/scopes.h"

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

bool AnswerField::draw(const Painter& p, Rect box, const AnswerFieldLook& look, bool& animating)
{
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
