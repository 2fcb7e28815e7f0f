#include "ui/views/planner/launch/layout_strip.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/scenario.h"
#include "ui/draw/theme.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kThinnest = 3; // a row or a column [design px]
constexpr float kLegend = 132; // [design px]

// Its outline is the replica's, the bar above it the stages', the bar beside it the ranks' of a stage.
void draw_replica(const Painter& p, Rect box, std::int64_t stages, std::int64_t ranks)
{
    const Theme& t = p.theme;
    const float bar = p.px(3);
    p.outline(box, t.data.fill, 1, p.px(3));
    Rect cells = box.inset(p.px(3));
    p.fill({cells.x + bar, cells.y, cells.w - bar, bar - p.px(1)}, t.pipeline.fill);
    p.fill({cells.x, cells.y + bar, bar - p.px(1), cells.h - bar}, t.tensor.fill);
    cells = {cells.x + bar, cells.y + bar, cells.w - bar, cells.h - bar};
    const auto fit = [&](std::int64_t count, float room)
    { return std::clamp<std::int64_t>(count, 1, std::max(1, static_cast<int>(room / p.px(kThinnest)))); };
    const std::int64_t columns = fit(stages, cells.w);
    const std::int64_t rows = fit(ranks, cells.h);
    const float w = cells.w / static_cast<float>(columns);
    const float h = cells.h / static_cast<float>(rows);
    for (std::int64_t i = 0; i < columns * rows; ++i)
    {
        const auto column = static_cast<float>(i % columns);
        const auto row = static_cast<float>(i / columns);
        const float late = columns > 1 ? column / static_cast<float>(columns - 1) : 0;
        p.fill({cells.x + w * column, cells.y + h * row, w - p.px(1), h - p.px(1)},
               mix(t.muted, t.raised, 0.6F * late));
    }
}

} // namespace

void draw_layout_strip(const Painter& p, Rect area, const Scenario& s)
{
    const Theme& t = p.theme;
    const Parallel& parallel = s.parallel;
    const std::int64_t replicas = data_parallel(s);
    const std::int64_t ranks = parallel.tensor * parallel.context;
    p.part("layout", area);
    const std::array<std::pair<Colour, std::string>, 3> legend{
        {{t.data.fill, counted(replicas, "replica")},
         {t.pipeline.fill, counted(parallel.pipeline, "stage")},
         {t.tensor.fill, parallel.context > 1
                             ? fmt::format("TP {} \u00d7 CP {}", parallel.tensor, parallel.context)
                             : counted(parallel.tensor, "tensor rank")}}};
    Rect words = area.cut_left(p.px(kLegend));
    const float pitch = words.h / static_cast<float>(legend.size());
    for (const auto& [colour, text] : legend)
    {
        const Rect row = words.cut_top(pitch);
        p.fill({row.x, row.middle() - p.px(4), p.px(8), p.px(8)}, colour, p.px(2));
        p.text_within(row.x + p.px(16), row.middle(), row.w - p.px(24), Type::small, t.muted, text);
    }
    const float least = std::clamp(p.px(kThinnest) * static_cast<float>(parallel.pipeline) + p.px(10),
                                   p.px(24), std::max(p.px(24), area.w / 4));
    const auto room = std::max<std::int64_t>(1, static_cast<std::int64_t>(area.w / (least + p.px(6))));
    const bool all = replicas <= room;
    const std::string more = fmt::format("\u2026 {}", replicas);
    area.cut_right(all ? 0 : p.width(Type::small, more) + p.px(12));
    const std::int64_t boxes = all ? replicas : std::max<std::int64_t>(1, room - 1);
    const float each = std::min(p.px(120), area.w / static_cast<float>(boxes));
    for (std::int64_t i = 0; i < boxes; ++i)
    {
        const Rect box = area.cut_left(each);
        draw_replica(p, {box.x, box.y, box.w - p.px(6), box.h}, parallel.pipeline, ranks);
    }
    if (!all)
    {
        p.text(area.x + p.px(4), area.middle(), Type::small, t.muted, more);
    }
}

} // namespace ringside
