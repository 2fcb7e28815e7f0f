#include <fmt/format.h>

#include "ui/draw/scopes.h"
#include "ui/views/study/drill/answer.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

// What is entered, on a card; what it is worth, once it is judged, at its right.
DrawnCard draw_entered(Sheet& sheet, const SheetCard& card, const std::string& value, bool open)
{
    const Painter& p = sheet.p;
    const bool shown = !open && !value.empty();
    SheetCard with = card;
    with.right = std::max(p.px(48), shown ? p.width(Type::mono, value) + p.px(60) : 0);
    const DrawnCard drawn = sheet.card(with);
    p.text(drawn.r.right() - p.px(52), drawn.r.middle(), Type::mono, p.theme.text, shown ? value : "",
           Align::right);
    return drawn;
}

} // namespace

bool AnswerEntry::is_said(const Question& q)
{
    return q.kind == QuestionKind::recall || (q.kind == QuestionKind::design && !q.goal);
}

bool AnswerEntry::show(const Question& q, std::string_view place, std::string_view answer)
{
    const std::string now = fmt::format("{} {} {} {}", place, q.id, q.seed, q.stem);
    if (now == shown_)
    {
        return false;
    }
    shown_ = now;
    field_.set(is_typed(q) ? std::string(answer) : "");
    choice_.reset();
    ruled_out_.clear();
    cursor_ = 0;
    wrong_from_.reset();
    meant_.clear();
    units_ = units_to_offer(q);
    field_.focus();
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
    return true;
}

std::string AnswerEntry::text(const Question& q) const
{
    if (is_typed(q))
    {
        return field_.empty() ? "" : field_.text();
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
    field_.focus();
    field_.select();
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

bool AnswerEntry::draw(Sheet& sheet, const Question& q, const EntryState& state, bool& animating)
{
    if (is_typed(q))
    {
        return draw_field(sheet, q, state, animating);
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

// How a number is read, before it is graded: in the field, or under it where that is too narrow.
void AnswerEntry::draw_reading(Sheet& sheet, const Question& q, Rect box) const
{
    const Painter& p = sheet.p;
    const std::string read = reading_of(q, field_.text());
    if (read.empty())
    {
        return;
    }
    const std::string words = fmt::format("Read as {}", read);
    const float room = box.w - p.width(Type::mono_title, field_.text()) - p.px(96);
    if (p.width(Type::small, words) < room)
    {
        p.text(box.right() - p.px(56), box.middle(), Type::small, p.theme.muted, words, Align::right);
        return;
    }
    sheet.note(words);
    sheet.gap(4);
}

void AnswerEntry::draw_unread(Sheet& sheet, std::string_view unread)
{
    const Painter& p = sheet.p;
    p.triangle(sheet.x(), sheet.y() + p.px(11), p.theme.warning);
    sheet.words(Type::small, p.theme.text, fmt::format("No try used: {}", unread), p.px(26));
    sheet.gap(4);
    std::vector<KeyButton> buttons;
    for (std::size_t i = 0; offers_meanings() && i < meant_.size(); ++i)
    {
        buttons.push_back({fmt::format("{}###meant {}", meant_[i], i), fmt::format("Alt {}", i + 1),
                           [this, i] { take_meaning(i); }});
    }
    sheet.buttons(buttons);
}

void AnswerEntry::tried(const Question& q)
{
    const auto ask = to_ask(q, field_.text());
    meant_for_ = field_.text();
    meant_ = ask ? ask->choices : std::vector<std::string>{};
}

void AnswerEntry::take_meaning(std::size_t choice)
{
    field_.set(meant_[choice]);
    taken_ = true;
    meant_.clear();
}

bool AnswerEntry::draw_field(Sheet& sheet, const Question& q, const EntryState& state, bool& animating)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const bool numeric = q.kind == QuestionKind::numeric;
    const bool judged = state.verdict != nullptr;
    const bool right = judged && state.verdict->correct;
    const Colour edge = judged && !right ? t.warning : 0;
    Rect box = sheet.row(numeric ? 72 : 60);
    bool enter = false;
    if (state.open)
    {
        const std::string_view hint = !numeric         ? "tp 8 pp 4 zero 1 micro 1"
                                      : q.unit.empty() ? "a number"
                                                       : "a number with its unit";
        const std::span<const std::string> units =
            offers_meanings() ? std::span<const std::string>{} : units_;
        enter = field_.draw(p, box, {"###answer", hint, Type::mono_title, edge, p.px(56), units}, animating);
        enter = std::exchange(taken_, false) || enter;
        box = field_.box();
    }
    else
    {
        p.fill(box, t.window, p.px(8));
        p.outline(box, edge != 0 ? edge : t.line, p.px(2), p.px(8));
        p.text_within(box.x + p.px(20), box.middle(), box.w - p.px(76), Type::mono_title, t.text,
                      field_.text().empty() ? "no answer" : field_.text());
    }
    if (judged)
    {
        draw_mark(p, box.right() - p.px(30), box.middle(), right);
    }
    sheet.gap(8);
    if (state.open)
    {
        draw_reading(sheet, q, box);
    }
    if (!state.unread.empty())
    {
        draw_unread(sheet, state.unread);
    }
    return enter;
}

void AnswerEntry::draw_choices(Sheet& sheet, const Question& q, const EntryState& state)
{
    const Painter& p = sheet.p;
    for (std::size_t i = 0; i < q.choices.size(); ++i)
    {
        const ShownChoice& c = q.choices[i];
        const bool out = ruled_out_.contains(i);
        const bool wrong = out || (choice_ == i && !c.right);
        if (q.kind == QuestionKind::diagnosis && !state.open && !wrong && !c.right)
        {
            continue; // what was neither so nor thought leaves its room to the why
        }
        const SheetCard card{.label = state.open && !out ? "###choice " + c.id : "",
                             .words = c.says,
                             .ink = out && state.open ? p.theme.muted : p.theme.text,
                             .chosen = choice_ == i && state.open};
        const auto [r, pressed] = draw_entered(sheet, card, c.value, state.open);
        choice_ = pressed.clicked ? i : choice_;
        p.keycap(r.x + p.px(12), r.middle(), std::to_string(i + 1));
        if (out || (!state.open && (wrong || c.right)))
        {
            draw_mark(p, r.right() - p.px(26), r.middle(), !wrong);
        }
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
    const OrderedItem& item = q.ordering.items[order_[place]];
    const SheetCard card{.label = state.open ? "###item " + item.id : "",
                         .words = item.says,
                         .least = 40,
                         .gap = 6,
                         .chosen = state.open && place == cursor_};
    const auto [r, pressed] = draw_entered(sheet, card, item.value, state.open);
    p.text(r.x + p.px(24), r.middle(), Type::mono_small, p.theme.muted, std::to_string(place + 1),
           Align::centre);
    if (wrong_from_ == place)
    {
        p.outline(r, p.theme.warning, p.px(2), p.px(8));
        draw_mark(p, r.right() - p.px(26), r.middle(), false);
    }
    if (!pressed.held)
    {
        return 0;
    }
    cursor_ = place;
    const float mouse = ImGui::GetIO().MousePos.y;
    const bool up = place > 0 && mouse < r.y - p.px(8);
    const bool down = place + 1 < order_.size() && mouse > r.bottom() + p.px(8);
    return up ? -1 : down ? 1 : 0;
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
        sheet.note("\u2191 \u2193 choose an item, Alt \u2191 \u2193 move it; or drag.");
        sheet.gap(8);
    }
}

void AnswerEntry::keys(const Question& q)
{
    const std::size_t meanings = offers_meanings() ? meant_.size() : 0;
    if (const auto digit = digit_pressed(std::max(meanings, q.choices.size())))
    {
        if (meanings > 0)
        {
            take_meaning(*digit);
            return;
        }
        choice_ = ruled_out_.contains(*digit) ? choice_ : digit;
    }
    const int by = key_steps(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
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
