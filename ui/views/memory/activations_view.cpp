// What does the forward pass leave behind? One layer's tensors with their bytes, the largest hottest, and
// what flash attention, recomputation and cutting take away.
#include <fmt/format.h>

#include "core/scenario/scenario.h"
#include "ui/shell/view.h"
#include "ui/views/memory/activations/panel.h"
#include "ui/views/memory/activations/rows.h"
#include "ui/views/memory/activations/words.h"

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
    ShapeStops stops_;
};

void ActivationsView::draw(const Frame& frame, const Painter& p, Rect area, Out&)
{
    const Scenario& s = frame.now.scenario;
    const LayerTensors layer = layer_tensors(s, state_);
    state_.hovered = {};
    const Rect head = area.cut_top(p.px(28));
    const std::string_view kind = !layer.both     ? "One layer"
                                  : layer.experts ? "One expert layer"
                                                  : "One dense layer";
    const float w = p.text_within(head.x, head.middle(), head.w, Type::small_strong, p.theme.text, kind);
    const std::string of = fmt::format("one micro-batch of {} \u00d7 {} tokens, on one GPU",
                                       s.training.micro_batch, grouped(s.training.sequence_length));
    if (w + p.px(12) + p.width(Type::small, of) <= head.w)
    {
        p.text(head.x + w + p.px(12), head.middle(), Type::small, p.theme.muted, of);
    }
    const float strip = std::clamp(area.h * 0.13F, p.height(Type::small) * 2, p.px(96));
    draw_layer_strip(p, area.cut_top(std::min(area.h, strip)), frame, layer, state_);
    area.cut_top(std::min(area.h, p.px(8)));
    draw_tensor_rows(p, area, frame, layer, state_);
}

bool ActivationsView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    stops_.update(frame.now.scenario);
    draw_activations_panel(painter, area, frame, stops_, state_, out);
    return true;
}

ViewKeys ActivationsView::keys()
{
    return {{"F", "Flash attention on and off",
             [](const KeyPress& k)
             { change_training(k, [](Training& t) { t.flash_attention = !t.flash_attention; }); }},
            {"R", "Recompute none, selective, full",
             [](const KeyPress& k) { change_training(k, [](Training& t) { turn(t.recompute, 3); }); }},
            {"O", "In the order they are made, or the largest first", flips(state_.by_size)},
            {"E", "A layer with experts, or a dense one", flips(state_.other_kind)},
            {"click", "Keep a tensor\u2019s formula in the caption"}};
}

constexpr std::array<std::string_view, 6> kControls{"model",
                                                    "tensor",
                                                    "parallel.sequence_parallel",
                                                    "micro_batch",
                                                    "training.flash_attention",
                                                    "training.recompute"};

} // namespace

extern const ViewInfo activations_view;
const ViewInfo activations_view{
    4,
    "activations",
    "Memory",
    "Activations",
    "Activation memory of one layer",
    "One layer's stored tensors and their bytes; FlashAttention, recomputation and sharding",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<ActivationsView>()); }};

} // namespace ringside
