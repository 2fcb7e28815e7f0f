#include "ui/views/network/step/compare.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/step/picture.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Compute, then what it waited for, on one scale for all.
void draw_bar(const Painter& p, Rect cell, const StepLife& life, double longest, bool lit)
{
    const Rect bar{cell.x, cell.y + p.px(6), cell.w, cell.h - p.px(11)};
    const auto width = [&](double seconds) { return bar.w * static_cast<float>(seconds / longest); };
    const Colour work = lit ? p.theme.forward.fill : dim(p.theme, p.theme.forward.fill, 0.45F);
    p.fill({bar.x, bar.y, width(life.compute), bar.h}, work);
    draw_fill(p, {bar.x + width(life.compute), bar.y, width(life.exposed), bar.h}, waiting_fill(p.theme));
}

Table<StepStrategy> table_of(const StepLives& lives, const Look& look)
{
    using C = Column<StepStrategy>;
    const ByteUnit unit = look.unit;
    const auto sent = [&lives, unit](StepKind kind)
    {
        return [&lives, unit, kind](StepStrategy s)
        {
            const Bytes bytes = lives.of(s).sent_of(kind);
            return Cell(bytes.value > 0 ? format_gigabytes(bytes, unit) : "\u2013");
        };
    };
    const double longest = std::max(1e-12, lives.longest());
    return {
        {{"Compare", [](StepStrategy s) { return name_of(s); }},
         C("compute, then exposed", nullptr)
             .wide(40, [&lives, longest](const Painter& p, Rect r, StepStrategy s, bool lit)
                   { draw_bar(p, r, lives.of(s), longest, lit); }),
         {"gather", sent(StepKind::all_gather), 1},
         {"scatter", sent(StepKind::reduce_scatter), 2},
         {"reduce", sent(StepKind::all_reduce), 3},
         {fmt::format("sent {}", look.gigabyte()),
          [&lives, unit](StepStrategy s) { return format_gigabytes(lives.of(s).all_sent(), unit); }, 5},
         {"exposed", [&lives](StepStrategy s) { return format_seconds(Seconds(lives.of(s).exposed)); }, 6},
         {"efficient", [&lives](StepStrategy s) { return format_percent(lives.of(s).efficiency()); }, 4}},
        [](StepStrategy s) { return fmt::format("compare {}", name_of(s)); },
        [&lives](StepStrategy s) { return s == lives.options().strategy; }};
}

} // namespace

float step_compare_height(const Painter& painter)
{
    return table_height(painter, kStepStrategies);
}

std::optional<StepStrategy> draw_step_compare(const Painter& p, Rect area, const StepLives& lives)
{
    constexpr auto rows = rows_of<StepStrategy, kStepStrategies>();
    const TableEvent event = table_of(lives, p.look).draw(p, area, rows);
    return event.pressed ? std::optional(rows.at(*event.pressed)) : std::nullopt;
}

} // namespace ringside
