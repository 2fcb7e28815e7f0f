#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/mock/parts.h"
#include "ui/widgets/list_detail.h"

#include <algorithm>

namespace ringside
{

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
