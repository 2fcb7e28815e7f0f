// Where the seconds of a step go: from the model's arithmetic at the peak, loss by loss, to the step; what
// would help most; and the constants all of it hangs on.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "ui/shell/view.h"
#include "ui/views/performance/waterfall/constants.h"
#include "ui/views/performance/waterfall/panel.h"
#include "ui/views/performance/waterfall/rows.h"
#include "ui/views/performance/waterfall/tornado.h"

#include <array>

namespace ringside
{

namespace
{

constexpr double kOperationsAFrame = 60'000; // a few milliseconds

class WaterfallView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    // Of the scenario on show; begun anew when that changes.
    Sensitivity& sensitivity(const Frame& frame) const;
    Caption tornado_caption(const Frame& frame) const;

    Convention convention_;
    WaterfallPicture picture_ = WaterfallPicture::rows;
    WaterfallRows rows_;
    mutable std::optional<Sensitivity> sensitivity_;
};

Sensitivity& WaterfallView::sensitivity(const Frame& frame) const
{
    if (!sensitivity_ || sensitivity_->scenario() != frame.now.scenario)
    {
        sensitivity_.emplace(frame.now.scenario, frame.now.report.step);
        sensitivity_->advance(kOperationsAFrame);
    }
    return *sensitivity_;
}

void WaterfallView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    Sensitivity& all = sensitivity(frame);
    if (!all.done())
    {
        all.advance(kOperationsAFrame);
        out.animating = true;
    }
    switch (picture_)
    {
    case WaterfallPicture::rows:
        rows_.draw(frame, painter, area, convention_, out);
        break;
    case WaterfallPicture::tornado:
        draw_tornado(painter, area, all, out);
        break;
    case WaterfallPicture::constants:
        draw_constants(frame, painter, area);
        break;
    }
}

Caption WaterfallView::tornado_caption(const Frame& frame) const
{
    const Sensitivity& all = sensitivity(frame);
    Caption caption;
    caption.sentence =
        all.done() ? say_move(all, all.best()) : "Sensitivity: each setting one step down and up.";
    caption.formula =
        "change = step \u00d7 tokens now / tokens then \u00d7 GPUs then / GPUs now \u2212 step now";
    caption.source =
        "Everything else stays: data parallelism takes what GPUs are left, micro-batches what is "
        "left of the batch. Hatched with a cross: does not fit in memory.";
    return caption;
}

Caption WaterfallView::caption(const Frame& frame) const
{
    if (picture_ == WaterfallPicture::tornado)
    {
        return tornado_caption(frame);
    }
    if (picture_ == WaterfallPicture::constants)
    {
        const Gpu& gpu = frame.now.scenario.cluster.gpu;
        Caption caption;
        caption.sentence = fmt::format(
            "**{} constants** turn the data sheet into times, the same for every scenario on this GPU.",
            fields_of(Calibration{}).size());
        caption.formula =
            fmt::format("product \u2265 FLOPs / ({} \u00d7 {} TFLOP/s);  ring = start + hops + bytes "
                        "/ ({} \u00d7 {} GB/s)",
                        constant_words(frame, "gemm_efficiency").value, plain_number(gpu.bf16_tflops),
                        constant_words(frame, "link_efficiency").value,
                        plain_number(node_link(frame.now.scenario.cluster)));
        caption.source = "docs/accuracy.md says how far measured steps are off.";
        return caption;
    }
    return waterfall_caption(frame, convention_);
}

bool WaterfallView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_waterfall_panel(frame, painter, area, sensitivity(frame), convention_, picture_, out);
    return true;
}

ViewKeys WaterfallView::keys()
{
    const auto go = [this](WaterfallPicture to) { picture_ = picture_ == to ? WaterfallPicture::rows : to; };
    return {{"W", "What helps most: every dial one notch down and up",
             [=, this] { go(WaterfallPicture::tornado); }},
            {"C", "The constants, with their sources", [=, this] { go(WaterfallPicture::constants); }},
            {"N", "What is counted: 6N, attention, causal, HFU", turns(convention_.numerator, 4)},
            {"P", "Against the dense or the sparse peak", turns(convention_.peak, 2)}};
}

constexpr std::array<std::string_view, 5> kControls{"model", "gpus", "tensor", "pipeline", "micro_batch"};

} // namespace

extern const ViewInfo waterfall_view;
const ViewInfo waterfall_view{
    18,
    "waterfall",
    "Performance",
    "Step time",
    "Step time and MFU",
    "From model FLOPs at peak to the step time, loss by loss, and what would help most",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<WaterfallView>()); }};

} // namespace ringside
