#include "ui/views/memory/memory/levers.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/draw/scopes.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

void draw_lever(const Frame& frame, const Painter& painter, Rect card, std::size_t index,
                std::optional<std::size_t>& pointed_at, Out& out)
{
    const Lever& lever = frame.now.levers()[index];
    const Press pressed = press(painter, card, lever.name.c_str(), 8);
    if (pressed.hovered || pressed.focused)
    {
        pointed_at = index;
    }
    painter.card(card, pressed.hovered || pressed.focused, false);
    if (pressed.clicked)
    {
        out.push(ChangeScenario{lever.after, false});
    }
    const float left = card.x + painter.px(48);
    const float right = card.right() - painter.px(12);
    const bool tall = card.h >= painter.px(80);
    const float first = card.y + painter.px(tall ? 24 : 18);
    if (index < 9)
    {
        painter.keycap(card.x + painter.px(12), first, std::to_string(index + 1));
    }
    const std::string saving = "\u2212" + format_bytes(lever.saving, painter.look.unit);
    const float w = painter.text(right, first, Type::mono_small, painter.theme.text, saving, Align::right);
    painter.text_within(left, first, right - w - painter.px(8) - left, Type::small_strong, painter.theme.text,
                        lever.name);
    painter.text_within(left, first + painter.px(24), right - left, Type::small, painter.theme.muted,
                        lever.cost);
    tooltip(painter, lever.name + ": " + lever.cost);
    if (tall)
    {
        const Bytes after = lever.memory.worst().total();
        const double capacity = lever.memory.capacity.value;
        const double most = std::max(capacity * 1.12, frame.now.report.memory.worst().total().value);
        const std::string total = format_bytes(after, painter.look.unit);
        const float room = painter.width(Type::mono_small, total) + painter.px(12);
        painter.meter({left, first + painter.px(46), right - left - room, painter.px(8)}, after.value,
                      capacity, most);
        painter.text(right, first + painter.px(50), Type::mono_small,
                     lever.fits ? painter.theme.text : painter.theme.warning, total, Align::right);
    }
}

} // namespace

void draw_levers(const Frame& frame, const Painter& painter, Rect area,
                 std::optional<std::size_t>& pointed_at, Out& out)
{
    const std::vector<Lever>& levers = frame.now.levers();
    painter.part("levers", area);
    const MemoryReport& memory = frame.now.report.memory;
    draw_chart_title(painter, area.cut_top(painter.px(36)),
                     memory.fits() ? "Ways to save memory" : "What would make it fit", {},
                     fmt::format("stage {}", memory.fullest));
    if (levers.empty())
    {
        empty_state(painter, area, "",
                    "No single change saves memory here. Try a smaller model, a larger GPU, or more GPUs.");
        return;
    }
    const float note = painter.px(28);
    const float tall = painter.px(96);
    const float gap = painter.px(8);
    const bool use_tall = area.h - note >= 3 * (tall + gap);
    const float height = use_tall ? tall : painter.px(60);
    const auto rows = static_cast<std::size_t>(std::max(0.0F, (area.h - note + gap) / (height + gap)));
    for (std::size_t i = 0; i < std::min(rows, levers.size()); ++i)
    {
        const Rect card = area.cut_top(height);
        area.cut_top(gap);
        const IdScope id(static_cast<int>(i));
        draw_lever(frame, painter, card, i, pointed_at, out);
    }
    const std::string hint = pointed_at
                                 ? fmt::format("Thin bars: with \u201c{}\u201d", levers[*pointed_at].name)
                                 : "Cheapest first. Point at one to compare.";
    painter.text_within(area.x, area.y + painter.px(10), area.w, Type::small, painter.theme.muted, hint);
}

} // namespace ringside
