#include "ui/views/mock/scorecard.h"

#include <fmt/format.h>

#include "ui/shell/scopes.h"
#include "ui/views/drill/finish.h"
#include "ui/views/drill/head.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool passed(const MockItem& item)
{
    return item.grade && *item.grade != Grade::again;
}

double seconds_of(const MockItem& item)
{
    return static_cast<double>(item.spent_ms) / 1000;
}

struct Columns
{
    float number, time, target, verdict; // widths
};

bool draw_row(Sheet& sheet, const StudyFrame& study, const MockSession& mock, std::size_t i, const Columns& c)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const MockItem& item = mock.items[i];
    const IdScope id(static_cast<int>(i));
    Rect r = sheet.row(32);
    const Press here = press(p, r, "###row", 4);
    if (here.hovered)
    {
        p.fill(r, t.control, p.px(4));
    }
    p.line(r.x, r.bottom(), r.right(), r.bottom(), t.grid);
    const Rect number = r.cut_left(c.number);
    p.text(number.x + p.px(4), number.middle(), Type::mono_small, t.muted, std::to_string(i + 1));
    const Rect verdict = r.cut_right(c.verdict);
    const Rect target = r.cut_right(c.target);
    const Rect time = r.cut_right(c.time);
    const std::string name = (item.follows ? "\u21b3 " : "") + title_of(study, item.card.family);
    p.text_within(r.x, r.middle(), r.w - p.px(8), Type::small, t.text, name);
    const bool late = item.card.target_s > 0 && seconds_of(item) > item.card.target_s;
    p.text(time.right() - p.px(12), r.middle(), Type::mono_small, late ? t.text : t.muted,
           clock_words(seconds_of(item)), Align::right);
    p.text(target.right() - p.px(12), r.middle(), Type::mono_small, t.muted,
           item.card.target_s > 0 && c.target > 0 ? clock_words(item.card.target_s) : "", Align::right);
    float x = verdict.x + p.px(8);
    if (item.answered())
    {
        passed(item) ? p.tick(x, r.middle(), t.ok) : p.triangle(x, r.middle(), t.warning);
    }
    x += p.px(24);
    p.text_within(x, r.middle(), verdict.right() - x, Type::small, t.text, verdict_of(item));
    return here.clicked;
}

void draw_kinds(Sheet& sheet, const MockSession& mock)
{
    std::string words;
    for (std::size_t kind = 0; kind < kKindGroups; ++kind)
    {
        const auto of = [&](const MockItem& item) { return static_cast<std::size_t>(item.group) == kind; };
        const auto all = std::count_if(mock.items.begin(), mock.items.end(), of);
        const auto good = std::count_if(mock.items.begin(), mock.items.end(),
                                        [&](const MockItem& item) { return of(item) && passed(item); });
        words += all == 0 ? ""
                          : fmt::format("{}{} **{} of {}**", words.empty() ? "" : ", ",
                                        name_of(static_cast<KindGroup>(kind)), good, all);
    }
    sheet.words(Type::body, Type::body_strong, sheet.p.theme.text, "Passed by kind: " + words + ".");
}

} // namespace

int passed_in(const MockSession& mock)
{
    return static_cast<int>(std::count_if(mock.items.begin(), mock.items.end(), passed));
}

std::optional<std::size_t> draw_scorecard(Sheet& sheet, const StudyFrame& study, const MockSession& mock)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const Rect head = sheet.row(56);
    const std::string score = fmt::format("{} of {}", passed_in(mock), mock.items.size());
    const float used = p.text(head.x, head.middle(), Type::display, t.text, score) + p.px(16);
    p.text_within(head.x + used, head.middle() + p.px(4), head.w - used, Type::small, t.muted,
                  fmt::format("passed in {} of {} minutes",
                              clock_words(static_cast<double>(mock.elapsed_ms) / 1000), mock.minutes));
    draw_kinds(sheet, mock);
    sheet.gap(12);
    const float clock = p.width(Type::mono_small, "00:00") + p.px(16);
    const bool wide = sheet.width() > p.px(560);
    const Columns c{p.px(36), clock, wide ? clock : 0, p.width(Type::small, "I could teach it") + p.px(48)};
    const Rect names = sheet.row(24);
    const float right = names.right() - c.verdict;
    p.text(right - c.target - p.px(12), names.middle(), Type::small, t.muted, "time", Align::right);
    p.text(right - p.px(12), names.middle(), Type::small, t.muted, wide ? "target" : "", Align::right);
    p.text(right + p.px(32), names.middle(), Type::small, t.muted, "verdict");
    std::optional<std::size_t> pressed;
    for (std::size_t i = 0; i < mock.items.size(); ++i)
    {
        pressed = draw_row(sheet, study, mock, i, c) ? std::optional(i) : pressed;
    }
    sheet.gap(8);
    sheet.words(Type::small, Type::small_strong, t.muted,
                "A row opens its question with answer and solution.");
    return pressed;
}

} // namespace ringside
