#include <fmt/format.h>

#include "ui/draw/scopes.h"
#include "ui/views/study/drill/answer.h"
#include "ui/views/study/drill/parts.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string working_of(const SolutionStep& step)
{
    return step.working.empty()   ? step.formula
           : step.formula.empty() ? step.working
                                  : fmt::format("{} = {}", step.formula, step.working);
}

// Words at the left, the formula with its numbers under them, results one below the other at the right.
void draw_steps(Sheet& sheet, const Question& q)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    float results = 0;
    for (const SolutionStep& step : q.solution)
    {
        results = std::max(results, p.width(Type::mono, step.result));
    }
    for (std::size_t i = 0; i < q.solution.size(); ++i)
    {
        const SolutionStep& step = q.solution[i];
        const bool last = i + 1 == q.solution.size();
        Sheet left(p, {sheet.x(), sheet.y(), sheet.width() - results - p.px(24), 0});
        const Rect words = left.words(Type::small, t.text, step.says);
        left.words(Type::mono_small, t.muted, working_of(step));
        p.text(sheet.x() + sheet.width(), words.middle(), Type::mono, last ? t.text : t.muted, step.result,
               Align::right);
        sheet.take(left.y() - sheet.y());
        last ? sheet.gap(6) : sheet.rule(6, 7);
    }
}

void draw_terms(Sheet& sheet, const Question& q)
{
    for (const Term& term : q.engine)
    {
        sheet.gap(6);
        sheet.note(fmt::format("The engine: {}", term.label));
        sheet.words(Type::mono_small, sheet.p.theme.muted,
                    fmt::format("{} = {}", term.formula, term.working));
        sheet.note(term.source);
    }
}

void draw_choice(Sheet& sheet, const ShownChoice& c)
{
    for (const std::string* part : {&c.because, &c.fix})
    {
        if (!part->empty())
        {
            sheet.text(fmt::format("**{}** {}", part == &c.because ? "Why:" : "What to do:", *part));
            sheet.gap(4);
        }
    }
}

void draw_legal_order(Sheet& sheet, const Ordering& ordering)
{
    for (std::size_t i = 0; i < ordering.legal.size(); ++i)
    {
        const OrderedItem& item = ordering.items[ordering.legal[i]];
        sheet.text(fmt::format("{}. {}{}", i + 1, item.says,
                               item.value.empty() ? "" : fmt::format("  ({})", item.value)));
        sheet.gap(2);
    }
}

void draw_level(Sheet& sheet, const char* name, const std::vector<std::string>& points)
{
    if (points.empty())
    {
        return;
    }
    sheet.gap(4);
    sheet.words(Type::small_strong, sheet.p.theme.muted, name);
    for (const std::string& point : points)
    {
        sheet.point(point, sheet.p.theme.muted);
    }
}

} // namespace

std::string short_answer(const Question& q)
{
    const auto right =
        std::find_if(q.choices.begin(), q.choices.end(), [](const ShownChoice& c) { return c.right; });
    return q.kind == QuestionKind::numeric ? q.key_text : right != q.choices.end() ? right->says : "";
}

void draw_solution(Sheet& sheet, const Question& q)
{
    if (!q.solution.empty())
    {
        sheet.heading("Worked solution", q.key_text);
        draw_steps(sheet, q);
        draw_terms(sheet, q);
    }
    for (const ShownChoice& c : q.choices)
    {
        if (c.right)
        {
            draw_choice(sheet, c);
        }
    }
    if (!q.ordering.items.empty())
    {
        sheet.heading("An order that is right");
        draw_legal_order(sheet, q.ordering);
    }
    if (!q.answer.empty())
    {
        sheet.heading(q.choices.empty() && q.ordering.items.empty() ? "A good answer" : "Why");
        sheet.text(q.answer);
    }
    draw_level(sheet, "Lean", q.levels.lean);
    draw_level(sheet, "No hire", q.levels.no_hire);
    sheet.gap(10);
}

namespace
{

std::string cost_words(const Attempt& attempt)
{
    if (attempt.hints == 0)
    {
        return attempt.looked ? "view looked at: best grade now Hard" : "the first makes Hard the best grade";
    }
    return attempt.hints + 1 == kMostHints ? "two used; the third makes it Again"
                                           : "one used: best grade now Hard";
}

// Its name, and below that in small windows, what it says.
bool draw_hint(Sheet& sheet, const std::string& hint, std::size_t number, std::size_t used)
{
    constexpr std::array<std::string_view, kMostHints> kNames{"Direction", "Insight", "Solution"};
    const Painter& p = sheet.p;
    const bool open = number < used;
    const bool next = number == used;
    const std::string name = fmt::format("**{}**{}", kNames.at(number), open ? ": " + hint : "");
    const DrawnCard card =
        sheet.card({.label = next ? "Next hint###hint" : "", .words = name, .right = p.px(64), .gap = 7});
    const Rect& r = card.r;
    p.text(r.x + p.px(24), r.middle(), Type::mono, p.theme.text, std::to_string(number + 1), Align::centre);
    if (!open)
    {
        const float left = p.px(64) + p.width(Type::small_strong, kNames.at(number));
        p.hatch({r.x + left, r.middle() - p.px(11), r.w - left - p.px(64), p.px(22)}, p.theme.idle_hatch,
                kIdleHatch);
    }
    if (next)
    {
        p.keycap(r.right() - p.px(40), r.middle(), "H");
    }
    return card.pressed.clicked;
}

} // namespace

bool draw_hints(Sheet& sheet, const Question& q, const Attempt& attempt)
{
    if (q.hints.empty())
    {
        return false;
    }
    sheet.heading("Hints", cost_words(attempt));
    bool asked = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(q.hints.size(), kMostHints); ++i)
    {
        asked = draw_hint(sheet, q.hints[i], i, static_cast<std::size_t>(attempt.hints)) || asked;
    }
    sheet.gap(6);
    return asked;
}

const std::vector<std::string>& points_of(const Question& question)
{
    static const std::vector<std::string> kWhole{"What the answer says"};
    const auto& points = question.rubric.empty() ? question.levels.strong : question.rubric;
    return points.empty() ? kWhole : points;
}

void Points::reset(std::size_t count)
{
    made_.assign(count, false);
    cursor_ = 0;
}

int Points::ticked() const
{
    return static_cast<int>(std::count(made_.begin(), made_.end(), true));
}

bool Points::draw(Sheet& sheet, const std::vector<std::string>& points)
{
    const Painter& p = sheet.p;
    bool changed = false;
    sheet.heading("Which points did you make?", "Space: made, \u2193: not");
    for (std::size_t i = 0; i < std::min(points.size(), made_.size()); ++i)
    {
        const IdScope id(static_cast<int>(i));
        const DrawnCard card = sheet.card({.label = "###point",
                                           .words = points[i],
                                           .left = 44,
                                           .right = p.px(12),
                                           .least = 36,
                                           .gap = 5,
                                           .chosen = i == cursor_});
        if (card.pressed.clicked)
        {
            made_[i] = !made_[i];
            cursor_ = last_ = i;
            changed = true;
        }
        const Rect box{card.r.x + p.px(12), card.r.middle() - p.px(10), p.px(20), p.px(20)};
        p.outline(box, p.theme.muted, 1, p.px(4));
        if (made_[i])
        {
            p.tick(box.x + p.px(3), box.middle(), p.theme.ok);
        }
    }
    sheet.gap(8);
    return changed;
}

bool Points::keys()
{
    const int by = key_steps(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
    cursor_ = by < 0 ? cursor_ - std::min<std::size_t>(cursor_, 1)
                     : std::min(cursor_ + (by > 0 ? 1 : 0), made_.size());
    if (ImGui::IsKeyPressed(ImGuiKey_Space, false) && cursor_ < made_.size())
    {
        made_[cursor_] = !made_[cursor_];
        last_ = cursor_;
        ++cursor_;
        return true;
    }
    return false;
}

} // namespace ringside
