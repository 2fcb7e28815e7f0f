#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/memory/recompute/pictures.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

void draw_recompute_panel(const Painter& p, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                          Out& out)
{
    const RecomputeChoices& c = desk.choices;
    PanelColumn column(p, area, out.animating);
    std::int64_t k = desk.segments(state);
    if (column.slide("Segments k", Track::even(1, static_cast<double>(c.layers), say_whole), k))
    {
        state.wished = k;
    }
    if (column.button(fmt::format("Least memory: {}###least", c.best).c_str(), "M"))
    {
        state.wished = 0;
    }
    const auto bytes = [&](Bytes b) { return format_bytes(b, p.look.unit); };
    column.fact("Layers L", grouped(c.layers), "Of the stage\u2019s longest chunk");
    column.fact("In flight n", grouped(c.in_flight),
                "Micro-batches in flight on the stage; each stores its inputs");
    column.fact("Layer input I", bytes(c.input), "2 s b h, sharded by t with sequence parallelism");
    column.fact("Whole layer A", bytes(c.layer), "Every tensor that its forward pass stores");
    column.fact("A / I", three_digits(c.layer / c.input), "The larger it is, the more segments are optimal");
    column.fact("\u221a(L A / n I)", three_digits(c.root),
                "Where n k I + (L / k) A is least: its derivative is zero. With A = I and n = 1 it is "
                "Chen\u2019s square root of L");
    column.gap();
    column.note(
        fmt::format("Full recomputation runs every layer\u2019s forward twice: **{} more FLOPs**, as a "
                    "backward costs two forwards.",
                    format_percent(c.settings[2].extra)));
}

} // namespace ringside
