#include "ui/views/errata/list.h"

#include <fmt/format.h>

#include "core/study/deck.h"
#include "ui/shell/scopes.h"
#include "ui/views/errata/marks.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/list_row.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 30;
constexpr const char* kTopics = "topics of errata";

std::string_view topic_name(std::string_view id)
{
    const StudyTopic* topic = find_topic(id);
    return topic == nullptr ? id : topic->name;
}

void draw_row(const Painter& p, Rect row, const Erratum& e, bool chosen, bool hovered)
{
    const Theme& t = p.theme;
    list_row(p, row, chosen, hovered);
    const Colour ink = chosen || hovered ? t.text : t.muted;
    draw_mark(p, {row.x + p.px(20), row.middle()}, e.kind, ink);
    const float id = p.text(row.x + p.px(38), row.middle(), Type::mono_small, t.muted, e.id);
    const float from = row.x + p.px(48) + id;
    p.text_within(from, row.middle(), row.right() - from - p.px(6), chosen ? Type::small_strong : Type::small,
                  t.text, e.title);
}

} // namespace

bool ErrataList::lets_through(const Erratum& e) const
{
    return (topic_.empty() || e.topic == topic_) && (!kind_ || e.kind == *kind_) && matches(e, query_.data());
}

void ErrataList::update(const ErrataFrame& gallery)
{
    rows_.clear();
    for (const Erratum& e : gallery.errata)
    {
        if (lets_through(e))
        {
            rows_.push_back(&e);
        }
    }
    const auto same =
        std::find_if(rows_.begin(), rows_.end(), [this](const Erratum* e) { return e->id == id_; });
    at_ = same == rows_.end() ? 0 : static_cast<std::size_t>(same - rows_.begin());
}

void ErrataList::move(int by)
{
    const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
    if (last < 0)
    {
        return;
    }
    at_ =
        static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(at_) + by, 0, last));
    id_ = rows_[at_]->id;
    follow_ = true;
}

void ErrataList::narrow_to(ErratumKind kind)
{
    kind_ = kind_ == kind ? std::nullopt : std::optional(kind);
    follow_ = true;
}

void ErrataList::clear()
{
    query_ = {};
    topic_.clear();
    kind_.reset();
    follow_ = true;
}

// While the text has the keyboard, up and down still choose.
void ErrataList::draw_find(const Painter& p, Rect row, Out& out)
{
    const FontScope font(p.look.fonts.of(Type::small));
    const float high = ImGui::GetFontSize() + 2 * p.px(6);
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{p.px(10), p.px(6)});
    ImGui::SetCursorScreenPos({row.x, row.middle() - high / 2});
    ImGui::SetNextItemWidth(row.w);
    if (focus_)
    {
        ImGui::SetKeyboardFocusHere();
        focus_ = false;
    }
    const bool done = ImGui::InputTextWithHint("###find errata", "Find (F)", query_.data(), query_.size(),
                                               ImGuiInputTextFlags_EnterReturnsTrue);
    follow_ = follow_ || ImGui::IsItemEdited();
    if (ImGui::IsItemActive())
    {
        const int by = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
                       (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
        move(by);
        out.animating = out.animating || by != 0;
    }
    if (done)
    {
        GImGui->NavDisableHighlight = true; // up and down are the list's again
    }
}

void ErrataList::draw_kinds(const Painter& p, Rect row, const ErrataFrame& gallery)
{
    const Theme& t = p.theme;
    const float w = row.w / static_cast<float>(kErratumKinds);
    for (std::size_t i = 0; i < kErratumKinds; ++i)
    {
        const auto kind = static_cast<ErratumKind>(i);
        const Rect cell{row.x + w * static_cast<float>(i), row.y, w - p.px(4), row.h};
        const bool on = kind_ == kind;
        const Press pressed = press(p, cell, fmt::format("###kind {}", name_of(kind)).c_str());
        p.fill(cell, on ? t.raised : pressed.hovered ? t.raised : t.control, p.px(6));
        p.outline(cell, on ? t.text : t.line, on ? p.px(2) : 1, p.px(6));
        const auto count = std::count_if(gallery.errata.begin(), gallery.errata.end(),
                                         [kind](const Erratum& e) { return e.kind == kind; });
        const std::string number = std::to_string(count);
        const bool room = cell.w >= p.width(Type::mono_small, number) + p.px(30);
        draw_mark(p, {room ? cell.x + p.px(15) : cell.centre(), cell.middle()}, kind, on ? t.text : t.muted);
        if (room)
        {
            p.text(cell.right() - p.px(8), cell.middle(), Type::mono_small, on ? t.text : t.muted, number,
                   Align::right);
        }
        tooltip(p, fmt::format("{}: {} ({})", name_of(kind), words_of(kind), i + 1));
        if (pressed.clicked)
        {
            narrow_to(kind);
        }
    }
}

void ErrataList::draw_topics(const Painter& p, Rect row, const ErrataFrame& gallery)
{
    const std::string shown = topic_.empty() ? "All topics" : std::string(topic_name(topic_));
    if (dropdown(p, row, "###topic of errata", shown))
    {
        ImGui::OpenPopup(kTopics);
    }
    if (!ImGui::IsPopupOpen(kTopics))
    {
        return;
    }
    std::vector<std::string> counts{fmt::format("{} errata", gallery.errata.size())};
    std::vector<Choosable> items{{"all", "All topics", ""}};
    for (const StudyTopic& topic : study_topics())
    {
        const auto count = std::count_if(gallery.errata.begin(), gallery.errata.end(),
                                         [&](const Erratum& e) { return e.topic == topic.id; });
        if (count > 0)
        {
            counts.push_back(count == 1 ? "1 erratum" : fmt::format("{} errata", count));
            items.push_back({topic.id, topic.name, ""});
        }
    }
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        items[i].says = counts[i];
    }
    if (const auto at = choice_popup(p, kTopics, items))
    {
        topic_ = *at == 0 ? std::string() : std::string(items[*at].id);
        follow_ = true;
    }
}

bool ErrataList::draw_rows(const Painter& window, Rect area)
{
    bool pressed_one = false;
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###errata", {area.w, area.h});
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float high = p.px(kRow);
    const float w = area.w - p.px(14); // beside the scroll bar
    for (std::size_t i = 0; i < rows_.size(); ++i)
    {
        const Rect row{top.x, top.y + high * static_cast<float>(i), w, high};
        const Press pressed =
            press(p, row, fmt::format("{}###erratum {}", rows_[i]->title, rows_[i]->id).c_str(), 4);
        if (pressed.clicked)
        {
            at_ = i;
            id_ = rows_[i]->id;
            pressed_one = true;
        }
        if (i == at_ && follow_)
        {
            ImGui::SetScrollHereY();
        }
        if (area.contains({area.centre(), row.middle()}))
        {
            draw_row(p, row, *rows_[i], i == at_, pressed.hovered);
        }
    }
    follow_ = false;
    ImGui::SetCursorScreenPos({top.x, top.y + high * static_cast<float>(rows_.size()) - 1});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
    return pressed_one;
}

void ErrataList::draw_none(const Painter& p, Rect area)
{
    area.cut_top(p.px(16));
    const float used = p.paragraph({area.x, area.y, area.w, 0}, Type::small, p.theme.muted,
                                   "Nothing is that. Try fewer letters, or all kinds and topics.");
    area.cut_top(used + p.px(12));
    if (button(p, {area.x, area.y, std::min(area.w, p.px(160)), p.px(32)}, "Show all###all errata", "0"))
    {
        clear();
    }
}

bool ErrataList::draw(const Painter& p, Rect area, const ErrataFrame& gallery, Out& out)
{
    draw_find(p, area.cut_top(p.px(36)), out);
    area.cut_top(p.px(4));
    if (area.h >= p.px(220))
    {
        draw_topics(p, area.cut_top(p.px(32)), gallery);
        area.cut_top(p.px(8));
    }
    if (area.h >= p.px(160))
    {
        draw_kinds(p, area.cut_top(p.px(30)), gallery);
        area.cut_top(p.px(12));
    }
    area.cut_bottom(p.px(8));
    if (rows_.empty())
    {
        draw_none(p, area);
        return false;
    }
    return draw_rows(p, area);
}

} // namespace ringside
