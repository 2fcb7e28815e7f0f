#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/mock/parts.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool passed(const MockItem& item)
{
    return item.grade && *item.grade != Grade::again;
}

Table<MockItem> table_of(const Painter& p, const StudyFrame& study, const MockSession& mock)
{
    const auto number = [&mock](const MockItem& item)
    { return std::to_string(&item - mock.items.data() + 1); };
    const auto mark = [](const Painter& at, Rect r, const MockItem& item, bool)
    {
        if (item.answered())
        {
            passed(item) ? at.tick(r.x, r.middle(), at.theme.ok)
                         : at.triangle(r.x, r.middle(), at.theme.warning);
        }
    };
    const auto late = [](const MockItem& item)
    { return item.card.target_s > 0 && seconds_of(item) > item.card.target_s; };
    const Colour muted = p.theme.muted;
    return {{{"", [number, muted](const MockItem& item) { return Cell(number(item), muted); }},
             Column<MockItem>("", [&study](const MockItem& item)
                              { return (item.follows ? "\u21b3 " : "") + title_of(study, item.card.family); })
                 .words()
                 .wide(120),
             {"time",
              [late, &p](const MockItem& item)
              { return Cell(clock_words(seconds_of(item)), late(item) ? p.theme.text : p.theme.muted); },
              2},
             {"target",
              [muted](const MockItem& item)
              { return Cell(item.card.target_s > 0 ? clock_words(item.card.target_s) : "", muted); },
              1},
             Column<MockItem>("verdict", [](const MockItem& item) { return verdict_of(item); })
                 .words()
                 .with(24, mark)},
            [number](const MockItem& item) { return "###row " + number(item); },
            nullptr,
            32};
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
    sheet.say("Passed by kind: " + words + ".");
}

} // namespace

int passed_in(const MockSession& mock)
{
    return static_cast<int>(std::count_if(mock.items.begin(), mock.items.end(), passed));
}

std::vector<std::string> wrong_in(const MockSession& mock)
{
    std::vector<std::string> wrong;
    for (const MockItem& item : mock.items)
    {
        if (!passed(item))
        {
            wrong.push_back(item.card.family);
        }
    }
    return wrong;
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
    const Table<MockItem> table = table_of(p, study, mock);
    const TableEvent event =
        table.draw(p, sheet.take(table_height(p, mock.items.size(), table.pitch)), mock.items);
    sheet.gap(8);
    sheet.note("A row opens its question with answer and solution.");
    return event.pressed;
}

} // namespace ringside
