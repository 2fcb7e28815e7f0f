#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"

#include <algorithm>

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

} // namespace ringside
