#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/stacked_bar.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

Table<StepStrategy> strategies_table(const StepCases& cases, StepStrategy chosen, const Look& look)
{
    using C = Column<StepStrategy>;
    const auto of = [&cases](StepStrategy s) -> const StepLife&
    { return cases[static_cast<std::size_t>(s)].life; };
    const auto gigabytes = [of, unit = look.unit](auto bytes)
    {
        return [=](StepStrategy s)
        {
            const Bytes b = bytes(of(s));
            return Cell(b.value > 0 ? format_gigabytes(b, unit) : "\u2013");
        };
    };
    const auto sent = [gigabytes](StepKind kind)
    { return gigabytes([kind](const StepLife& life) { return life.sent_of(kind); }); };
    double longest = 1e-12;
    for (const StepCase& each : cases)
    {
        longest = std::max(longest, each.life.total);
    }
    return {
        {{fmt::format("{} per rank", look.gigabyte()), [](StepStrategy s) { return name_of(s); }},
         C("time", nullptr, kAlways, "Compute, then exposed communication")
             .wide(60,
                   [of, longest](const Painter& p, Rect r, StepStrategy s, bool)
                   {
                       const std::array parts{BarPart{of(s).compute, {p.theme.forward}},
                                              BarPart{of(s).exposed, waiting_fill(p.theme)}};
                       draw_stacked_bar(p, {r.x, r.y + r.h * 0.2F, r.w, r.h * 0.6F}, parts, {longest, false});
                   }),
         {"exposed", [of](StepStrategy s) { return format_seconds(Seconds(of(s).exposed)); }, 8},
         {"compute / step", [of](StepStrategy s) { return format_percent(of(s).efficiency()); }, 5},
         {"all-gather", sent(StepKind::all_gather), 1},
         {"reduce-scatter", sent(StepKind::reduce_scatter), 2},
         {"all-reduce", sent(StepKind::all_reduce), 3},
         {"sent", gigabytes([](const StepLife& life) { return life.all_sent(); }), 7},
         {"unsharded",
          gigabytes([](const StepLife& life) { return life.peak_weights + life.peak_gradients; }), 6,
          "Whole weights and gradients in memory, each at its peak"}},
        [](StepStrategy s) { return fmt::format("compare {}", name_of(s)); },
        [chosen](StepStrategy s) { return s == chosen; },
        84};
}

} // namespace

std::optional<StepStrategy> draw_step_compare(const Painter& p, Rect area, const StepCases& cases,
                                              StepStrategy chosen)
{
    constexpr auto rows = rows_of<StepStrategy, kStepStrategies>();
    const TableEvent event = strategies_table(cases, chosen, p.look).draw(p, area, rows);
    return event.pressed ? std::optional(rows.at(*event.pressed)) : std::nullopt;
}

} // namespace ringside
