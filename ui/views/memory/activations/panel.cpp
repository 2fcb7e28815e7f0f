#include "ui/views/memory/activations/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/memory/memory.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>

namespace ringside
{

namespace
{

// What of a layer is kept on one GPU, against the layer unsharded; the scenario's own way is strong.
void draw_cut(const Painter& p, PanelColumn& column, std::string_view words, std::string_view tip,
              double bytes, double whole, bool own)
{
    const Theme& t = p.theme;
    const Rect row = column.row(38);
    const Rect line{row.x, row.y, row.w, p.px(20)};
    const std::string number = format_bytes(Bytes(bytes), p.look.unit);
    const float w =
        p.text(line.right(), line.middle(), Type::mono_small, own ? t.text : t.muted, number, Align::right);
    p.text_within(line.x, line.middle(), line.w - w - p.px(8), own ? Type::small_strong : Type::small,
                  own ? t.text : t.muted, words);
    const Rect track{row.x, line.bottom() + p.px(3), row.w, p.px(8)};
    p.fill(track, t.raised, p.px(2));
    const Ink& ink = t.of(Component::activations);
    const float share = static_cast<float>(bytes / std::max(1.0, whole));
    p.fill({track.x, track.y, std::max(2.0F, track.w * share), track.h},
           own ? ink.fill : dim(t, ink.fill, 0.55F), p.px(2));
    press(p, row, fmt::format("###cut {}", words).c_str(), 4);
    tooltip(p, tip);
}

Scenario with_length(Scenario s, std::int64_t tokens)
{
    s.training.sequence_length = tokens;
    return s;
}

void draw_cuts(const Painter& p, PanelColumn& column, const Scenario& s, bool experts)
{
    const std::int64_t t = s.parallel.tensor;
    const LayerCuts cuts = layer_cuts(s, experts);
    column.label(
        fmt::format("{} {} GPUs", t > 1 ? "A layer on each of" : "Per layer with TP =", cuts.tensor));
    const bool sequence = s.parallel.sequence_parallel;
    draw_cut(p, column, "uncut", "One GPU without tensor parallelism. Korthikanti et al. 2022, equation 1",
             cuts.whole, cuts.whole, t == 1);
    draw_cut(
        p, column, "TP only",
        "Tensor parallelism alone: inputs of norms and products, and dropout masks outside of them, stay "
        "whole on "
        "every GPU: 10 + 24/t in place of 34. Korthikanti et al. 2022, equation 2",
        cuts.products, cuts.whole, t > 1 && !sequence);
    draw_cut(
        p, column, "TP + sequence parallelism",
        "With sequence parallelism: everything is cut by t, at the same traffic. Korthikanti et al. 2022, "
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
    column.choice({"As made", "Largest"}, state.by_size);
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
    slide("Sequence s", s.training.sequence_length, stops.lengths(), with_length);
    slide("Heads a", s.model.heads, stops.heads(), with_heads);
    slide("Width h", s.model.hidden, stops.widths(), with_width);
    draw_cuts(p, column, s, layer.experts);
}

} // namespace ringside
