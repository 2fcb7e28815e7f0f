#include <fmt/format.h>

#include "core/base/text.h"
#include "core/memory/memory.h"
#include "ui/views/memory/activations/desk.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/stacked_bar.h"

namespace ringside
{

namespace
{

// What of a layer is stored on one GPU, against the layer unsharded; the scenario's own way is strong.
void draw_sharding(const Painter& p, PanelColumn& column, std::string_view words, std::string_view tip,
                   double bytes, double whole, bool own)
{
    const Ink& ink = p.theme.of(Component::activations);
    column.fact(words, format_bytes(Bytes(bytes), p.look.unit), tip, own ? FactInk::strong : FactInk::plain);
    const BarPart bar{bytes, plain_fill(own ? ink.fill : dim(p.theme, ink.fill, 0.55F))};
    draw_stacked_bar(p, column.row(8), std::span(&bar, 1), {whole, false});
    column.gap();
}

Scenario with_length(Scenario s, std::int64_t tokens)
{
    s.training.sequence_length = tokens;
    return s;
}

void draw_shardings(const Painter& p, PanelColumn& column, const Scenario& s, bool experts)
{
    const std::int64_t t = s.parallel.tensor;
    const LayerCuts cuts = layer_cuts(s, experts);
    column.label(fmt::format("Per layer with TP = {}", cuts.tensor));
    const bool sequence = s.parallel.sequence_parallel;
    draw_sharding(p, column, "unsharded",
                  "One GPU without tensor parallelism. Korthikanti et al. 2022, equation 1", cuts.whole,
                  cuts.whole, t == 1);
    draw_sharding(p, column, "TP only",
                  "Tensor parallelism alone: inputs of norms and linear layers, and dropout masks outside of "
                  "them, stay "
                  "whole on every GPU: 10 + 24/t in place of 34. Korthikanti et al. 2022, equation 2",
                  cuts.products, cuts.whole, t > 1 && !sequence);
    draw_sharding(p, column, "TP + sequence parallel",
                  "With sequence parallelism everything is sharded by t, with the same traffic. Korthikanti "
                  "et al. 2022, "
                  "equation 4",
                  cuts.all, cuts.whole, t > 1 && sequence);
}

} // namespace

void draw_activations_panel(const Painter& p, Rect area, const Frame& frame, const ShapeStops& stops,
                            ActivationsState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const LayerTensors layer = layer_tensors(s, state);
    PanelColumn column(p, area, out.animating);
    column.choice({"In order", "Largest first"}, state.by_size);
    if (layer.both)
    {
        column.choice({"Experts", "Dense"}, state.other_kind);
    }
    // The scenario that `change` makes of a stop is asked for.
    const auto slide = [&](const char* label, std::int64_t value, std::span<const double> at, auto change)
    {
        if (column.slide(label, Track::at(at, say_whole), value))
        {
            out.push(ChangeScenario{change(s, value), ImGui::IsMouseDown(0)});
        }
    };
    slide("Sequence s", s.training.sequence_length, stops.lengths, with_length);
    slide("Heads a", s.model.heads, stops.heads, with_heads);
    slide("Width h", s.model.hidden, stops.widths, with_width);
    draw_shardings(p, column, s, layer.experts);
}

} // namespace ringside
