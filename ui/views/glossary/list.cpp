#include "ui/views/glossary/list.h"

#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/list_row.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 30;    // [design px]
constexpr float kLetter = 28; // [design px] above the first term of a letter

void draw_row(const Painter& p, Rect row, const GlossaryTerm& term, bool chosen, bool hovered)
{
    const Theme& t = p.theme;
    list_row(p, row, chosen, hovered);
    const float used = p.text_within(row.x + p.px(14), row.middle(), row.w - p.px(20),
                                     chosen ? Type::small_strong : Type::small, t.text, term.term);
    const float from = row.x + p.px(14) + used + p.px(12);
    const float most = row.right() - p.px(8) - from;
    if (!term.also.empty() && p.width(Type::small, term.also.front()) <= most)
    {
        p.text(row.right() - p.px(8), row.middle(), Type::small, t.muted, term.also.front(), Align::right);
    }
}

// Brackets go through the views, as everywhere.
int leave_out_brackets(ImGuiInputTextCallbackData* data)
{
    const bool bracket = data->EventChar == '[' || data->EventChar == ']';
    auto& direction = *static_cast<int*>(data->UserData);
    direction = bracket ? (data->EventChar == ']' ? 1 : -1) : direction;
    return bracket ? 1 : 0;
}

void turn_to_neighbour(int direction, Out& out)
{
    const auto all = views();
    const auto at =
        std::find_if(all.begin(), all.end(), [](const ViewInfo* v) { return v->id == "glossary"; }) -
        all.begin();
    const auto count = std::ssize(all);
    out.push(OpenView{std::string(all[static_cast<std::size_t>((at + direction + count) % count)]->id)});
}

} // namespace

void GlossaryList::search()
{
    rows_ = search_terms(terms_, query_.data());
    const auto same =
        std::find_if(rows_.begin(), rows_.end(), [this](std::size_t row) { return terms_[row].id == id_; });
    // While something is typed the closest is shown, not the one from before.
    at_ = same == rows_.end() || query_[0] != 0 ? 0 : static_cast<std::size_t>(same - rows_.begin());
    id_ = rows_.empty() ? id_ : terms_[rows_[at_]].id;
    follow_ = true;
}

void GlossaryList::update(Terms terms)
{
    if (terms.data() != terms_.data() || terms.size() != terms_.size())
    {
        terms_ = terms;
        search();
    }
}

const GlossaryTerm* GlossaryList::chosen() const
{
    return rows_.empty() ? nullptr : &terms_[rows_[at_]];
}

void GlossaryList::choose(std::string_view id)
{
    const auto at = [&] {
        return std::find_if(rows_.begin(), rows_.end(),
                            [&](std::size_t row) { return terms_[row].id == id; });
    };
    id_ = id;
    if (at() == rows_.end())
    {
        query_ = {};
        search();
    }
    const auto found = at();
    at_ = found == rows_.end() ? 0 : static_cast<std::size_t>(found - rows_.begin());
    follow_ = true;
}

void GlossaryList::move(int by)
{
    if (rows_.empty() || by == 0)
    {
        return;
    }
    const auto to = static_cast<std::ptrdiff_t>(at_) + by;
    at_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, std::ssize(rows_) - 1));
    id_ = terms_[rows_[at_]].id;
    follow_ = true;
}

void GlossaryList::jump(std::string_view initial)
{
    const auto first = std::find_if(terms_.begin(), terms_.end(),
                                    [&](const GlossaryTerm& term) { return initial_of(term) == initial; });
    if (first != terms_.end())
    {
        query_ = {};
        search();
        choose(first->id);
    }
}

bool GlossaryList::draw_field(const Painter& p, Rect row, Out& out)
{
    const FontScope font(p.look.fonts.of(Type::body));
    const float high = ImGui::GetFontSize() + 2 * p.px(6);
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{p.px(12), p.px(6)});
    ImGui::SetCursorScreenPos({row.x, row.middle() - high / 2});
    ImGui::SetNextItemWidth(row.w);
    if (focus_)
    {
        GImGui->NavId = 0; // or the row that was pressed would take the keyboard back when it is drawn
        ImGui::SetKeyboardFocusHere();
        focus_ = false;
    }
    int direction = 0;
    const bool entered =
        ImGui::InputTextWithHint("###find word", "Type a word", query_.data(), query_.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_EscapeClearsAll |
                                     ImGuiInputTextFlags_CallbackCharFilter,
                                 leave_out_brackets, &direction);
    if (ImGui::IsItemEdited())
    {
        search();
        out.animating = true;
    }
    if (direction != 0)
    {
        turn_to_neighbour(direction, out);
    }
    return entered;
}

bool GlossaryList::draw_rows(const Painter& window, Rect area)
{
    bool pressed_one = false;
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###words", {area.w, area.h});
    ImGui::PushTabStop(false); // Tab goes from the field to what can be done with the word
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float w = area.w - p.px(14); // beside the scroll bar
    const bool letters = query_[0] == 0;
    float y = top.y;
    std::string letter;
    for (std::size_t i = 0; i < rows_.size(); ++i)
    {
        const GlossaryTerm& term = terms_[rows_[i]];
        if (const std::string initial = initial_of(term); letters && initial != letter)
        {
            letter = initial;
            p.text(top.x + p.px(14), y + p.px(kLetter) - p.px(12), Type::small_strong, p.theme.muted, letter);
            y += p.px(kLetter);
        }
        const Rect row{top.x, y, w, p.px(kRow)};
        y += p.px(kRow);
        const Press pressed = press(p, row, (term.term + "###word " + term.id).c_str(), 4);
        if (pressed.clicked)
        {
            choose(term.id);
            pressed_one = true;
        }
        if (i == at_ && follow_)
        {
            ImGui::SetScrollHereY();
        }
        if (row.bottom() > area.y && row.y < area.bottom())
        {
            draw_row(p, row, term, i == at_, pressed.hovered);
        }
    }
    follow_ = false;
    ImGui::PopTabStop();
    ImGui::SetCursorScreenPos({top.x, y - 1});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
    return pressed_one;
}

} // namespace ringside
