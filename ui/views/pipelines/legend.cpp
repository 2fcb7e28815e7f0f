#include "ui/views/pipelines/legend.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace ringside
{

void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend)
{
    const Theme& t = painter.theme;
    const std::array<std::pair<std::string_view, Colour>, 3> colours{
        {{"forward F", t.forward.fill},
         {"input gradient I", t.backward_input.fill},
         {"weight gradient W", t.backward_weight.fill}}};
    float x = row.x;
    const auto item = [&](std::string_view name, auto&& box)
    {
        if (x + painter.px(24) + painter.width(Type::small, name) > row.right())
        {
            return;
        }
        box(Rect{x, row.middle() - painter.px(8), painter.px(16), painter.px(16)});
        x += painter.px(24) + painter.text(x + painter.px(24), row.middle(), Type::small, t.text, name) +
             painter.px(20);
    };
    for (const auto& [name, colour] : colours)
    {
        item(name, [&, c = colour](Rect r) { painter.fill(r, c); });
    }
    item("B = I and W in one",
         [&](Rect r)
         {
             painter.fill({r.x, r.y, r.w / 2, r.h}, t.backward_input.fill);
             painter.fill({r.x + r.w / 2, r.y, r.w / 2, r.h}, t.backward_weight.fill);
         });
    item("idle",
         [&](Rect r)
         {
             painter.hatch(r, t.idle_hatch, kIdleHatch);
             painter.outline(r, t.grid);
         });
    if (legend.counts_kept)
    {
        item("kept now",
             [&](Rect r)
             {
                 painter.text(r.centre(), r.middle(), Type::mono_small, t.of(Component::activations).fill,
                              "3", Align::centre);
             });
    }
    if (legend.micro_batch)
    {
        item(fmt::format("path of micro-batch {}", *legend.micro_batch),
             [&](Rect r)
             {
                 const std::array points{ImVec2{r.x, r.bottom() - 3}, ImVec2{r.centre(), r.bottom() - 3},
                                         ImVec2{r.centre(), r.y + 3}, ImVec2{r.right(), r.y + 3}};
                 painter.list.AddPolyline(points.data(), 4, t.text, 0, painter.px(2));
             });
    }
    if (legend.chunks)
    {
        item("darker: every second chunk",
             [&](Rect r) { painter.fill(r, mix(t.forward.fill, with_alpha(0xFF000000U, 1), 0.26F)); });
    }
}

} // namespace ringside
