#include <fmt/format.h>

#include "ui/views/pipeline/pipelines/pictures.h"
#include "ui/widgets/fill.h"

#include <array>

namespace ringside
{

void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend)
{
    const Theme& t = painter.theme;
    std::vector<LegendItem> items{{"forward F", {t.forward}},
                                  {"input gradient I", {t.backward_input}},
                                  {"weight gradient W", {t.backward_weight}},
                                  {"B = I + W", {t.backward_input, t.backward_weight.fill}},
                                  {"idle", idle_fill(t)}};
    if (legend.counts_stored)
    {
        items.push_back({.name = "stored now",
                         .box = [&](Rect r)
                         {
                             painter.text(r.centre(), r.middle(), Type::mono_small,
                                          t.of(Component::activations).fill, "3", Align::centre);
                         }});
    }
    if (legend.micro_batch)
    {
        items.push_back({.name = fmt::format("path of micro-batch {}", *legend.micro_batch),
                         .box = [&](Rect r)
                         {
                             const std::array points{ImVec2{r.x, r.bottom() - 3},
                                                     ImVec2{r.centre(), r.bottom() - 3},
                                                     ImVec2{r.centre(), r.y + 3}, ImVec2{r.right(), r.y + 3}};
                             painter.list.AddPolyline(points.data(), 4, t.text, 0, painter.px(2));
                         }});
    }
    if (legend.chunks)
    {
        items.push_back({"darker: every second chunk",
                         plain_fill(mix(t.forward.fill, with_alpha(0xFF000000U, 1), 0.26F))});
    }
    draw_legend(painter, row, items);
}

} // namespace ringside
