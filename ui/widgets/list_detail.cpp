#include "ui/widgets/list_detail.h"

#include <fmt/format.h>

#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kTwoPanes = 600; // [design px] below it there is room for one
constexpr int kPage = 10;        // rows

int pressed_steps()
{
    return key_steps(ImGuiKey_UpArrow, ImGuiKey_DownArrow) +
           kPage * key_steps(ImGuiKey_PageUp, ImGuiKey_PageDown);
}

// Brackets go through the views, as everywhere.
int leave_out_brackets(ImGuiInputTextCallbackData* data)
{
    const bool bracket = data->EventChar == '[' || data->EventChar == ']';
    auto& direction = *static_cast<int*>(data->UserData);
    direction = bracket ? (data->EventChar == ']' ? 1 : -1) : direction;
    return bracket ? 1 : 0;
}

} // namespace

bool ListDetail::keyboard_is_free()
{
    return GImGui->NavDisableHighlight || GImGui->NavId == 0;
}

void ListDetail::list(std::vector<ListRow> rows, bool nearest)
{
    rows_ = std::move(rows);
    const auto same = std::ranges::find(rows_, id_, &ListRow::id);
    at_ = nearest || same == rows_.end() ? 0 : static_cast<std::size_t>(same - rows_.begin());
    id_ = nearest && !rows_.empty() ? rows_[at_].id : id_;
}

std::string ListDetail::place() const
{
    return rows_.empty() ? std::string() : fmt::format("{} of {}", at_ + 1, rows_.size());
}

void ListDetail::choose(std::string_view id)
{
    id_ = id;
    const auto same = std::ranges::find(rows_, id_, &ListRow::id);
    at_ = same == rows_.end() ? at_ : static_cast<std::size_t>(same - rows_.begin());
    follow_ = true;
}

void ListDetail::move(int by)
{
    if (by != 0)
    {
        move_to(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(at_) + by)));
    }
}

void ListDetail::move_to(std::size_t row)
{
    if (!rows_.empty())
    {
        at_ = std::min(row, rows_.size() - 1);
        choose(rows_[at_].id);
    }
}

void ListDetail::find()
{
    focus_ = true;
    listing_ = listing_ || !words_.typed;
}

bool ListDetail::keys()
{
    const int by = words_.typed || keyboard_is_free() ? pressed_steps() : 0;
    move(by);
    return by != 0;
}

void ListDetail::own_arrows() const
{
    if (words_.typed || keyboard_is_free())
    {
        const ImGuiID id = ImGui::GetID(words_.name);
        ImGui::SetKeyOwner(ImGuiKey_UpArrow, id);
        ImGui::SetKeyOwner(ImGuiKey_DownArrow, id);
    }
}

// While it has the keyboard, up and down still choose.
void ListDetail::draw_field(const Painter& p, Rect row, ListEvent& event)
{
    const FontScope font(p.look.fonts.of(words_.typed ? Type::body : Type::small));
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{p.px(12), p.px(6)});
    ImGui::SetCursorScreenPos({row.x, row.middle() - ImGui::GetFontSize() / 2 - p.px(6)});
    ImGui::SetNextItemWidth(row.w);
    if (std::exchange(focus_, false))
    {
        GImGui->NavId = 0; // or the row that was pressed would take the keyboard back when it is drawn
        ImGui::SetKeyboardFocusHere();
    }
    event.entered = ImGui::InputTextWithHint(
        fmt::format("###find {}", words_.name).c_str(), words_.hint, query_.data(), query_.size(),
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_EscapeClearsAll |
            ImGuiInputTextFlags_CallbackCharFilter,
        leave_out_brackets, &event.bracket);
    read_field(p, words_.hint, query_.data());
    const bool edited = ImGui::IsItemEdited();
    follow_ = follow_ || edited;
    const int by = ImGui::IsItemActive() ? pressed_steps() : 0;
    move(by);
    event.changed = event.changed || edited || by != 0;
    if (event.entered && !words_.typed)
    {
        GImGui->NavDisableHighlight = true; // up and down are the list's again
    }
}

ListEvent ListDetail::draw_rows(const Painter& window, Rect area, const ListParts& parts)
{
    ListEvent event;
    own_arrows();
    if (rows_.empty())
    {
        if (parts.none)
        {
            parts.none(area);
        }
        return event;
    }
    ScrolledSheet sheet(window, area, fmt::format("###{}", words_.name).c_str());
    ImGui::PushTabStop(false); // Tab goes from the field to what can be done with what is chosen
    const Painter& p = sheet->p;
    std::string_view group;
    for (std::size_t i = 0; i < rows_.size(); ++i)
    {
        const ListRow& each = rows_[i];
        if (each.group != group)
        {
            group = each.group;
            sheet->gap(i > 0 && !each.says.empty() ? 8 : 0);
            Rect head = sheet->row(28);
            head.cut_left(p.px(14));
            p.text(head.right() - p.px(16), head.middle(), Type::small, p.theme.muted, each.says,
                   Align::right);
            p.text_within(head.x, head.middle(), head.w - p.px(each.says.empty() ? 0 : 88),
                          Type::small_strong, p.theme.muted, each.group);
        }
        const Rect row = sheet->row(parts.height);
        const Press pressed = press(p, row, each.label.c_str(), 4);
        if (i == at_ && follow_)
        {
            ImGui::SetScrollHereY();
        }
        if (pressed.clicked)
        {
            choose(each.id);
            event.pressed = event.changed = true;
        }
        if (row.bottom() > area.y && row.y < area.bottom())
        {
            parts.row(p, row, i, i == at_, pressed.hovered);
        }
    }
    follow_ = false;
    ImGui::PopTabStop();
    return event;
}

void ListDetail::draw_list(const Painter& p, Rect area, const ListParts& parts, ListEvent& event)
{
    if (parts.filters)
    {
        parts.filters(area);
    }
    area.cut_bottom(p.px(8));
    const ListEvent rows = draw_rows(p, area, parts);
    event.pressed = rows.pressed;
    event.changed = event.changed || rows.changed;
    listing_ = listing_ && !rows.pressed;
    focus_ = focus_ || (rows.pressed && words_.typed);
}

// A row above it to go back and forth.
void ListDetail::draw_one(const Painter& p, Rect area, const ListParts& parts, ListEvent& event)
{
    Rect row = area.cut_top(p.px(40));
    const Rect other = row.cut_right(std::min(row.w * 0.4F, p.px(96)));
    row.cut_right(p.px(8));
    if (words_.typed || listing_)
    {
        draw_field(p, row, event);
    }
    else
    {
        p.text(row.x, row.middle(), Type::small, p.theme.muted, place());
    }
    const std::string label = fmt::format("{}###list {}", listing_ ? "Back" : "List", words_.name);
    if (button(p, {other.x, other.middle() - p.px(16), other.w, p.px(32)}, label.c_str(),
               words_.typed ? "" : "L"))
    {
        turn();
        event.changed = true;
    }
    area.cut_top(p.px(8));
    listing_ ? draw_list(p, area, parts, event) : parts.detail(area);
}

ListEvent ListDetail::draw(const Painter& p, Rect area, bool narrow, const ListParts& parts)
{
    ListEvent event;
    own_arrows();
    if (narrow || area.w < p.px(kTwoPanes))
    {
        draw_one(p, area, parts, event);
        return event;
    }
    Rect list = area.cut_left(std::clamp(area.w * 0.34F, p.px(232), p.px(320)));
    area.cut_left(p.px(12));
    p.line(area.x, area.y, area.x, area.bottom() - p.px(8), p.theme.grid);
    area.cut_left(p.px(20));
    draw_field(p, list.cut_top(p.px(40)), event);
    list.cut_top(p.px(4));
    draw_list(p, list, parts, event);
    area.cut_bottom(p.px(8));
    parts.detail(area);
    return event;
}

void list_row(const Painter& p, Rect row, bool chosen, bool hovered)
{
    if (chosen || hovered)
    {
        p.fill(row, chosen ? p.theme.raised : p.theme.control, p.px(4));
    }
    if (chosen)
    {
        p.fill({row.x, row.y + p.px(4), p.px(3), row.h - p.px(8)}, p.theme.text);
    }
}

bool list_line(const Painter& p, Rect row, const ListLine& line)
{
    const Press pressed = press(p, row, line.label.c_str(), 4);
    list_row(p, row, line.chosen, pressed.hovered);
    const float used = line.right.empty() ? 0 : p.width(Type::mono_small, line.right) + p.px(14);
    const Colour ink = line.ink == 0 || pressed.hovered ? p.theme.text : line.ink;
    p.text_within(row.x + p.px(8), row.middle(), row.w - used - p.px(16), Type::small, ink,
                  std::string_view(line.label).substr(0, line.label.find("##")));
    p.text(row.right() - p.px(8), row.middle(), Type::mono_small, p.theme.muted, line.right, Align::right);
    return pressed.clicked;
}

} // namespace ringside
