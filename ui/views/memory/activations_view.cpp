// What does the forward pass store? One layer's tensors with their bytes, the largest hottest, and what
// FlashAttention, recomputation and sharding take away.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/model/attention.h"
#include "ui/shell/view.h"
#include "ui/views/memory/activations/model.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

class ActivationsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return activations_caption(frame, state_); }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    ActivationsState state_;
    Derived<Scenario, ShapeStops> stops_;
};

void ActivationsView::draw(const Frame& frame, const Painter& p, Rect area, Out&)
{
    const Scenario& s = frame.now.scenario;
    const LayerTensors layer = layer_tensors(s, state_);
    state_.hovered = {};
    const Rect head = area.cut_top(p.px(28));
    const std::string_view kind = !layer.both ? "layer" : layer.experts ? "expert layer" : "dense layer";
    draw_chart_title(p, head, fmt::format("{} {}", attends_alike(s.model) ? "One" : "Mean", kind),
                     fmt::format("one micro-batch of {} \u00d7 {} tokens, on one GPU", s.training.micro_batch,
                                 grouped(s.training.sequence_length)));
    const float strip = std::clamp(area.h * 0.13F, p.height(Type::small) * 2, p.px(96));
    draw_layer_strip(p, area.cut_top(std::min(area.h, strip)), frame, layer, state_);
    area.cut_top(std::min(area.h, p.px(8)));
    draw_tensor_rows(p, area, frame, layer, state_);
}

bool ActivationsView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_activations_panel(painter, area, frame, stops_.of(frame.now.scenario, shape_stops), state_, out);
    return true;
}

ViewKeys ActivationsView::keys()
{
    return {{"F", "FlashAttention on and off",
             [](const KeyPress& k)
             { change_training(k, [](Training& t) { t.flash_attention = !t.flash_attention; }); }},
            {"R", "Recomputation: none, selective, full, alternate",
             [](const KeyPress& k) { change_training(k, [](Training& t) { turn(t.recompute, 4); }); }},
            {"O", "In order of computation, or largest first", flips(state_.by_size)},
            {"E", "Expert layer, or dense layer", flips(state_.other_kind)},
            {"click", "Keep a tensor\u2019s formula in the caption"}};
}

} // namespace

extern const ViewInfo activations_view{
    30,
    "activations",
    ViewGroup::memory,
    "Activations",
    "Activation memory",
    "One layer's stored tensors and their bytes; FlashAttention, recomputation and sharding",
    {"model", "tensor", "parallel.sequence_parallel", "micro_batch", "training.flash_attention",
     "training.recompute"},
    make_view<ActivationsView>};

} // namespace ringside
