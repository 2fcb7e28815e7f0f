#include "ui/views/activations/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/memory.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 2> kOrders{"As made", "Largest"};
constexpr std::array<std::string_view, 2> kKinds{"Experts", "Dense"};

class ShapePanel
{
public:
    ShapePanel(const Painter& painter, Rect& area, const Frame& frame, ActivationsState& state, Out& out)
        : p_(painter), area_(area), frame_(frame), state_(state), out_(out)
    {
    }

    // The scenario that `change` makes of a stop is asked for.
    template <class Change>
    void slide(const char* label, std::int64_t value, std::span<const double> stops, Change change)
    {
        const auto next = stop_slider(p_, area_.cut_top(p_.px(44)), label, grouped(value), stops,
                                      static_cast<double>(value), state_.entry);
        if (next && std::llround(*next) != value)
        {
            out_.push(
                ChangeScenario{change(frame_.now.scenario, std::llround(*next)), ImGui::IsMouseDown(0)});
        }
    }

    // What of a layer is kept on one GPU, against the layer uncut; the scenario's own way is strong.
    void cut(std::string_view words, std::string_view tip, double bytes, double whole, bool own)
    {
        const Theme& t = p_.theme;
        const Rect row = area_.cut_top(p_.px(38));
        const Rect line{row.x, row.y, row.w, p_.px(20)};
        const std::string number = format_bytes(Bytes(bytes), p_.look.unit);
        const float w = p_.text(line.right(), line.middle(), Type::mono_small, own ? t.text : t.muted, number,
                                Align::right);
        p_.text_within(line.x, line.middle(), line.w - w - p_.px(8), own ? Type::small_strong : Type::small,
                       own ? t.text : t.muted, words);
        const Rect track{row.x, line.bottom() + p_.px(3), row.w, p_.px(8)};
        p_.fill(track, t.raised, p_.px(2));
        const Ink& ink = t.of(Component::activations);
        p_.fill({track.x, track.y, std::max(2.0F, track.w * static_cast<float>(bytes / std::max(1.0, whole))),
                 track.h},
                own ? ink.fill : dim(t, ink.fill, 0.55F), p_.px(2));
        press(p_, row, fmt::format("###cut {}", words).c_str(), 4);
        tooltip(p_, tip);
    }

private:
    const Painter& p_;
    Rect& area_;
    const Frame& frame_;
    ActivationsState& state_;
    Out& out_;
};

Scenario with_length(Scenario s, std::int64_t tokens)
{
    s.training.sequence_length = tokens;
    return s;
}

void draw_cuts(const Painter& p, Rect& area, ShapePanel& panel, const Scenario& s, bool experts)
{
    const std::int64_t t = s.parallel.tensor;
    const LayerCuts cuts = layer_cuts(s, experts);
    p.text_within(
        area.x, area.y + p.px(12), area.w, Type::small_strong, p.theme.text,
        fmt::format("{} {} GPUs", t > 1 ? "A layer on each of" : "A layer, if cut over", cuts.tensor));
    area.cut_top(p.px(26));
    const bool sequence = s.parallel.sequence_parallel;
    panel.cut("uncut", "One GPU without tensor parallelism. Korthikanti et al. 2022, equation 1", cuts.whole,
              cuts.whole, t == 1);
    panel.cut(
        "products cut",
        "Tensor parallelism alone: inputs of norms and products, and dropout masks outside of them, stay "
        "whole on "
        "every GPU: 10 + 24/t in place of 34. Korthikanti et al. 2022, equation 2",
        cuts.products, cuts.whole, t > 1 && !sequence);
    panel.cut(
        "sequence cut too",
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
    if (const auto order = segments(p, area.cut_top(p.px(32)), kOrders, state.by_size ? 1 : 0))
    {
        state.by_size = *order == 1;
        out.animating = true;
    }
    area.cut_top(p.px(8));
    if (layer.both)
    {
        if (const auto kind = segments(p, area.cut_top(p.px(32)), kKinds, state.other_kind ? 1 : 0))
        {
            state.other_kind = *kind == 1;
            out.animating = true;
        }
        area.cut_top(p.px(8));
    }
    ShapePanel panel(p, area, frame, state, out);
    panel.slide("Sequence s", s.training.sequence_length, stops.lengths(), with_length);
    panel.slide("Heads a", s.model.heads, stops.heads(), with_heads);
    panel.slide("Width h", s.model.hidden, stops.widths(), with_width);
    area.cut_top(p.px(4));
    draw_cuts(p, area, panel, s, layer.experts);
}

} // namespace ringside
