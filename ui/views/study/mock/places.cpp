#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/mock/parts.h"
#include "ui/widgets/list_detail.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool is_wrong(const MockSession& mock, const MockItem& item)
{
    return mock.stage != MockStage::running && item.grade && *item.grade == Grade::again;
}

void draw_place(const Painter& p, Rect r, const MockSession& mock, std::size_t i, bool hovered)
{
    const Theme& t = p.theme;
    const MockItem& item = mock.items[i];
    const bool here = mock.at == i;
    const bool filled = item.answered() && !is_wrong(mock, item);
    p.fill(r, filled ? t.text : hovered ? t.raised : t.control, p.px(4));
    if (is_wrong(mock, item))
    {
        p.hatch(r, t.warning, kExposedHatch);
    }
    p.outline(here ? r.inset(-p.px(3)) : r, here ? t.text : t.line, here ? p.px(2) : 1, p.px(4));
    const std::string number = std::to_string(i + 1);
    if (is_wrong(mock, item))
    {
        const float w = p.width(Type::mono_small, number) + p.px(6);
        p.fill({r.centre() - w / 2, r.y + p.px(3), w, r.h - p.px(6)}, t.window, p.px(2));
    }
    p.text(r.centre(), r.middle(), Type::mono_small,
           filled         ? t.window
           : item.skipped ? t.muted
                          : t.text,
           p.width(Type::mono_small, number) < r.w + p.px(4) ? number : "", Align::centre);
    if (item.skipped && !item.answered())
    {
        p.dashed(r.x + p.px(4), r.bottom() - p.px(4), r.right() - p.px(4), r.bottom() - p.px(4), t.muted,
                 p.px(1.5F));
    }
}

} // namespace

std::string state_words(const MockSession& mock, const MockItem& item)
{
    if (mock.stage != MockStage::running)
    {
        return verdict_of(item);
    }
    return item.answered() ? "answered" : item.skipped ? "skipped" : item.visited ? "open" : "";
}

std::optional<std::size_t> draw_places(const Painter& p, Rect row, const MockSession& mock)
{
    std::optional<std::size_t> pressed;
    const auto count = static_cast<float>(mock.items.size());
    const float step = std::min(p.px(40), (row.w - p.px(6)) / count);
    const float size = std::min(step - p.px(8), p.px(28));
    for (std::size_t i = 0; i < mock.items.size(); ++i)
    {
        const IdScope id(static_cast<int>(i));
        const Rect r{row.x + p.px(3) + step * static_cast<float>(i), row.middle() - p.px(14), size, p.px(28)};
        const Press press_here = press(p, r, "###place", 4);
        draw_place(p, r, mock, i, press_here.hovered);
        pressed = press_here.clicked ? std::optional(i) : pressed;
    }
    return pressed;
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
