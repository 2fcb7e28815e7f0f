#include "ui/views/drill/entry.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

bool is_typed(const Question& q)
{
    return q.kind == QuestionKind::numeric || (q.kind == QuestionKind::design && q.goal.has_value());
}

// A cross or a tick at the right of what was entered.
void draw_mark(const Painter& p, float x, float middle, bool right)
{
    if (right)
    {
        p.tick(x - p.px(8), middle, p.theme.ok);
        return;
    }
    const float u = p.px(8);
    p.line(x - u, middle - u, x + u, middle + u, p.theme.warning, p.px(4));
    p.line(x - u, middle + u, x + u, middle - u, p.theme.warning, p.px(4));
}

std::size_t choice_of(const Question& q, std::string_view text)
{
    const auto found =
        std::find_if(q.choices.begin(), q.choices.end(), [&](const ShownChoice& c) { return c.id == text; });
    return static_cast<std::size_t>(found - q.choices.begin());
}

} // namespace

bool AnswerEntry::is_said(const Question& q)
{
    return q.kind == QuestionKind::recall || (q.kind == QuestionKind::design && !q.goal);
}

void AnswerEntry::show(const Question& q, std::string_view place, std::string_view answer)
{
    const std::string now = fmt::format("{} {} {} {}", place, q.id, q.seed, q.stem);
    if (now == shown_)
    {
        return;
    }
    shown_ = now;
    typed_ = is_typed(q) ? std::string(answer) : "";
    choice_.reset();
    ruled_out_.clear();
    cursor_ = 0;
    wrong_from_.reset();
    focus_ = true;
    order_.resize(q.ordering.items.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (const std::size_t chosen = choice_of(q, answer); chosen < q.choices.size())
    {
        choice_ = chosen;
    }
    if (const auto order = parse_order(q.ordering, answer); !answer.empty() && !order_.empty() && order)
    {
        order_ = *order;
    }
}

std::string AnswerEntry::text(const Question& q) const
{
    if (is_typed(q))
    {
        return typed_.find_first_not_of(' ') == std::string::npos ? "" : typed_;
    }
    if (!q.choices.empty())
    {
        return choice_ ? q.choices[*choice_].id : "";
    }
    std::vector<std::string_view> ids;
    for (const std::size_t i : order_)
    {
        ids.push_back(q.ordering.items[i].id);
    }
    return fmt::format("{}", fmt::join(ids, ", "));
}

void AnswerEntry::was_wrong(const Question& q, const Verdict& verdict)
{
    focus_ = true;
    if (choice_ && !q.choices.empty())
    {
        ruled_out_.insert(*choice_);
        choice_.reset();
    }
    if (!order_.empty() && !verdict.correct)
    {
        wrong_from_ = check_order(q.ordering, order_).right;
    }
}

bool AnswerEntry::draw(Sheet& sheet, const Question& q, const EntryState& state)
{
    if (is_typed(q))
    {
        return draw_field(sheet, q, state);
    }
    if (!q.choices.empty())
    {
        draw_choices(sheet, q, state);
    }
    if (!q.ordering.items.empty())
    {
        draw_order(sheet, q, state);
    }
    return false;
}

// True when Enter was pressed in it.
bool AnswerEntry::draw_input(const Painter& p, Rect box)
{
    const FontScope font(p.look.fonts.of(Type::mono_title));
    const float pad = (box.h - p.height(Type::mono_title)) / 2;
    const StyleScope padding(ImGuiStyleVar_FramePadding, ImVec2{p.px(20), pad});
    const StyleScope border(ImGuiStyleVar_FrameBorderSize, 0.0F);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32_BLACK_TRANS);
    ImGui::SetCursorScreenPos(box.min());
    ImGui::SetNextItemWidth(box.w - p.px(56));
    if (focus_)
    {
        ImGui::SetKeyboardFocusHere();
        focus_ = false;
    }
    const std::string before = typed_;
    const bool done = ImGui::InputText("###answer", &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        typed_ = before; // ImGui would take back what was typed; Esc only leaves here
    }
    typed_.resize(std::min(typed_.size(), kLongestAnswer));
    ImGui::PopStyleColor();
    return done;
}

bool AnswerEntry::draw_field(Sheet& sheet, const Question& q, const EntryState& state)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const bool judged = state.verdict != nullptr;
    const bool right = judged && state.verdict->correct;
    const Rect box = sheet.row(q.kind == QuestionKind::numeric ? 72 : 60);
    p.fill(box, state.open ? t.panel : t.window, p.px(8));
    const Colour edge = judged && !right ? t.warning : state.open ? t.text : t.line;
    p.outline(box, edge, p.px(2), p.px(8));
    bool enter = false;
    if (state.open)
    {
        enter = draw_input(p, box);
    }
    else
    {
        p.text_within(box.x + p.px(20), box.middle(), box.w - p.px(76), Type::mono_title, t.text,
                      typed_.empty() ? "no answer" : typed_);
    }
    if (state.open && typed_.empty())
    {
        const std::string_view hint =
            q.kind == QuestionKind::numeric ? "a number with its unit" : "tp 8 pp 4 zero 1 micro 1";
        p.text_within(box.x + p.px(26), box.middle(), box.w - p.px(60), Type::mono, t.muted, hint);
    }
    if (judged)
    {
        draw_mark(p, box.right() - p.px(30), box.middle(), right);
    }
    sheet.gap(8);
    if (!state.unread.empty())
    {
        const float indent = p.px(26);
        p.triangle(sheet.x(), sheet.y() + p.px(11), t.warning);
        sheet.words(Type::small, Type::small_strong, t.text, fmt::format("No try used: {}", state.unread),
                    indent);
        sheet.gap(4);
    }
    return enter;
}

void AnswerEntry::draw_choices(Sheet& sheet, const Question& q, const EntryState& state)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    for (std::size_t i = 0; i < q.choices.size(); ++i)
    {
        const ShownChoice& c = q.choices[i];
        const bool wrong = ruled_out_.contains(i) || (choice_ == i && !c.right);
        if (q.kind == QuestionKind::diagnosis && !state.open && !wrong && !c.right)
        {
            continue; // what was neither so nor thought leaves its room to the why
        }
        const float left = p.px(48);
        const float value = state.open || c.value.empty() ? 0 : p.width(Type::mono, c.value) + p.px(60);
        const float words = sheet.width() - left - std::max(p.px(48), value);
        const Rect r = sheet.take(std::max(p.px(44), words_height(p, words, Type::small, c.says) + p.px(20)));
        const IdScope id(static_cast<int>(i));
        const bool out = ruled_out_.contains(i);
        const Press pressed = press(p, state.open && !out ? r : Rect{}, ("###choice " + c.id).c_str(), 8);
        if (pressed.clicked)
        {
            choice_ = i;
        }
        const bool chosen = choice_ == i;
        p.card(r, chosen && state.open, pressed.hovered);
        p.keycap(r.x + p.px(12), r.middle(), std::to_string(i + 1));
        const Colour ink = out && state.open ? t.muted : t.text;
        const float h = words_height(p, words, Type::small, c.says);
        p.paragraph({r.x + left, r.middle() - h / 2, words, 0}, Type::small, ink,
                    without_light_marks(c.says));
        if (out || (!state.open && (wrong || c.right)))
        {
            draw_mark(p, r.right() - p.px(26), r.middle(), !wrong);
        }
        if (value > 0)
        {
            p.text(r.right() - p.px(52), r.middle(), Type::mono, t.text, c.value, Align::right);
        }
        sheet.gap(8);
    }
}

void AnswerEntry::move(std::size_t from, std::ptrdiff_t by)
{
    const auto to =
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from) + by, 0, std::ssize(order_) - 1);
    const std::size_t item = order_[from];
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
    order_.insert(order_.begin() + to, item);
    cursor_ = static_cast<std::size_t>(to);
    wrong_from_.reset();
}

std::ptrdiff_t AnswerEntry::draw_item(Sheet& sheet, const Question& q, const EntryState& state,
                                      std::size_t place)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const OrderedItem& item = q.ordering.items[order_[place]];
    const float left = p.px(48);
    const float value = state.open || item.value.empty() ? 0 : p.width(Type::mono, item.value) + p.px(60);
    const float words = sheet.width() - left - std::max(p.px(48), value);
    const float h = words_height(p, words, Type::small, item.says);
    const Rect r = sheet.take(std::max(p.px(40), h + p.px(18)));
    const Press pressed = press(p, state.open ? r : Rect{}, ("###item " + item.id).c_str(), 8);
    const bool wrong = wrong_from_ && *wrong_from_ == place;
    p.card(r, state.open && place == cursor_, pressed.hovered);
    if (wrong)
    {
        p.outline(r, t.warning, p.px(2), p.px(8));
        draw_mark(p, r.right() - p.px(26), r.middle(), false);
    }
    p.text(r.x + p.px(24), r.middle(), Type::mono_small, t.muted, std::to_string(place + 1), Align::centre);
    p.paragraph({r.x + left, r.middle() - h / 2, words, 0}, Type::small, t.text,
                without_light_marks(item.says));
    if (value > 0)
    {
        p.text(r.right() - p.px(52), r.middle(), Type::mono, t.text, item.value, Align::right);
    }
    std::ptrdiff_t dragged = 0;
    if (pressed.held)
    {
        cursor_ = place;
        const float mouse = ImGui::GetIO().MousePos.y;
        const bool up = place > 0 && mouse < r.y - p.px(8);
        const bool down = place + 1 < order_.size() && mouse > r.bottom() + p.px(8);
        dragged = up ? -1 : down ? 1 : 0;
    }
    sheet.gap(6);
    return dragged;
}

void AnswerEntry::draw_order(Sheet& sheet, const Question& q, const EntryState& state)
{
    const IdScope id("order");
    const std::size_t count = order_.size();
    if (!state.open)
    {
        const bool wrong = state.verdict != nullptr && !state.verdict->correct;
        wrong_from_ = wrong ? std::optional(check_order(q.ordering, order_).right) : std::nullopt;
    }
    std::size_t from = 0;
    std::ptrdiff_t by = 0;
    for (std::size_t place = 0; place < count; ++place)
    {
        const std::ptrdiff_t dragged = draw_item(sheet, q, state, place);
        from = dragged != 0 ? place : from;
        by = dragged != 0 ? dragged : by;
    }
    if (by != 0)
    {
        move(from, by);
    }
    if (state.open)
    {
        sheet.words(Type::small, Type::small_strong, sheet.p.theme.muted,
                    "\u2191 \u2193 choose an item, Alt \u2191 \u2193 move it; or drag.");
        sheet.gap(8);
    }
}

void AnswerEntry::keys(const Question& q)
{
    for (std::size_t i = 0; i < std::min<std::size_t>(9, q.choices.size()); ++i)
    {
        const auto digit = static_cast<int>(i);
        const bool pressed = ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + digit), false) ||
                             ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_Keypad1 + digit), false);
        if (pressed && !ruled_out_.contains(i))
        {
            choice_ = i;
        }
    }
    const int by =
        (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
    if (by == 0)
    {
        return;
    }
    if (!order_.empty() && ImGui::GetIO().KeyAlt)
    {
        move(cursor_, by);
    }
    else if (!order_.empty())
    {
        const auto last = std::ssize(order_) - 1;
        cursor_ = static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cursor_) + by, 0, last));
    }
    else if (!q.choices.empty())
    {
        const auto count = std::ssize(q.choices);
        auto at = choice_ ? static_cast<std::ptrdiff_t>(*choice_) : (by > 0 ? -1 : count);
        for (std::ptrdiff_t step = 0; step < count; ++step)
        {
            at = (at + by + count) % count;
            if (!ruled_out_.contains(static_cast<std::size_t>(at)))
            {
                choice_ = static_cast<std::size_t>(at);
                break;
            }
        }
    }
}

} // namespace ringside
