#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/mock/parts.h"
#include "ui/widgets/list_detail.h"
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

std::string state_words(const MockSession& mock, const MockItem& item)
{
    if (mock.stage != MockStage::running)
    {
        return verdict_of(item);
    }
    return item.answered() ? "answered" : item.skipped ? "skipped" : item.visited ? "open" : "";
}

Pip pip_of(const MockSession& mock, const MockItem& item)
{
    const bool wrong = mock.stage != MockStage::running && item.grade && *item.grade == Grade::again;
    return wrong ? Pip::failed : item.answered() ? Pip::passed : item.skipped ? Pip::skipped : Pip::waiting;
}

std::optional<std::size_t> draw_mock_panel(const Painter& p, Rect area, const MockSession& mock)
{
    const Theme& t = p.theme;
    const bool runs = mock.stage == MockStage::running;
    Sheet sheet(p, area);
    sheet.heading(!runs ? "The clock has stopped" : mock.paused ? "Paused" : "Time left");
    sheet.words(Type::display, t.text, clock_words(static_cast<double>(mock.left_ms()) / 1000));
    const Rect bar = sheet.row(6);
    const float share = static_cast<float>(mock.left_ms()) / static_cast<float>(mock.minutes * kMinuteMs);
    p.fill(bar, t.raised, p.px(3));
    p.fill({bar.x, bar.y, bar.w * share, bar.h}, t.text, p.px(3));
    sheet.gap(16);
    std::optional<std::size_t> pressed;
    // As many as there is room for, around the one that is on.
    const std::size_t count = mock.items.size();
    const float left = area.bottom() - sheet.y();
    const float step = std::max(p.px(24), std::min(p.px(34), left / static_cast<float>(count)));
    const auto room = std::min(count, static_cast<std::size_t>(std::max(1.0F, left / step + 0.01F)));
    const std::size_t first = std::min(count - room, mock.at > room / 2 ? mock.at - room / 2 : 0);
    for (std::size_t i = first; i < first + room; ++i)
    {
        const MockItem& item = mock.items[i];
        const StudyTopic* topic = find_topic(item.topic);
        const std::string words = state_words(mock, item);
        const std::string time = item.visited ? clock_words(seconds_of(item)) : "";
        const std::string name =
            fmt::format("{}{}  {}###listed {}", item.follows ? "\u21b3 " : "", i + 1,
                        words.empty() && topic != nullptr ? topic->name : std::string_view(words), i);
        pressed = list_line(p, sheet.take(step), {name, time, mock.at == i}) ? std::optional(i) : pressed;
    }
    return pressed;
}

} // namespace ringside
