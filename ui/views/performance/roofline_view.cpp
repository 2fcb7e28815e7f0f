// The roofline of one GPU: what its memory and its tensor cores allow, where the kernels of a layer lie, why
// a small product is slow, and how many blocks a multiprocessor holds.
//
// Dragging a mark solves the intensity for the number of rows: the sequence length (powers of two that stay
// valid) in training, the batch in decoding. The intensity of element-wise kernels does not depend on it, so
// these do not move.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/performance/roofline/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSecondsOfPlay = 6; // for all waves, however many

constexpr std::array<std::string_view, 3> kPages{"roofline/roof", "roofline/product", "roofline/blocks"};

class RooflineView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return roofline_caption(state_, sheet(frame)); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    const RooflineSheet& sheet(const Frame& frame) const
    {
        sheet_.refresh(frame.now.scenario, state_);
        return sheet_;
    }
    void next_product(const Frame& frame);

    RooflineState state_;
    mutable RooflineSheet sheet_;
};

Motion RooflineView::motion(const Frame& frame) const
{
    Motion motion;
    if (state_.page == RooflinePage::product)
    {
        const double waves = sheet(frame).product(state_).tiling.waves;
        motion.duration = waves;
        motion.per_second = std::max(0.5, waves / kSecondsOfPlay);
        motion.rest = waves;
        motion.label =
            fmt::format("wave {}/{}", plain_number(std::ceil(std::clamp(frame.playback.t, 0.0, waves))),
                        plain_number(waves));
    }
    return motion;
}

void RooflineView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const RooflineSheet& now = sheet(frame);
    switch (state_.page)
    {
    case RooflinePage::roof:
        draw_roof(frame, painter, area, state_, now, out);
        break;
    case RooflinePage::product:
        draw_product(painter, area, state_, now, frame.playback.t, out);
        break;
    case RooflinePage::occupancy:
        draw_occupancy(painter, area, state_, now.scenario(), out);
        break;
    }
}

bool RooflineView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_roofline_panel(painter, area, state_, sheet(frame), out);
    return true;
}

void RooflineView::next_product(const Frame& frame)
{
    const auto products = sheet(frame).products();
    const RoofPoint* now = &sheet(frame).chosen(state_);
    const auto at = std::find(products.begin(), products.end(), now);
    const RoofPoint& next = at == products.end() || at + 1 == products.end() ? *products.front() : **(at + 1);
    state_.chosen = next.what.name;
    state_.pass = next.what.pass;
    state_.moved.reset();
    state_.reach = 0;
}

ViewKeys RooflineView::keys()
{
    return {{"Y", "Roof, one product, blocks on a multiprocessor", turns(state_.page, kRooflinePages.size())},
            {"F", "Forward, backward, decoding", turns(state_.work, kRooflineWorks.size())},
            {"P", "The next product of the layer", [this](const KeyPress& k) { next_product(k.frame); }},
            {"R", "Back to the scenario's product and GPU",
             [this]
             {
                 state_.moved.reset();
                 state_.reach = 0;
                 state_.capability.reset();
             }},
            {"E, G", "Blocks: an element-wise kernel, a GEMM",
             [this](const KeyPress& k)
             {
                 if (state_.page == RooflinePage::occupancy)
                 {
                     state_.shape = k.which == 0 ? kCopyingKernel : kMultiplyingKernel;
                 }
             }},
            {"drag", "A kernel: more or fewer rows; M on the saw; what a block takes"},
            {"click", "A kernel: its working"}};
}

constexpr std::array<std::string_view, 5> kControls{"model", "gpu", "tensor", "micro_batch",
                                                    "training.sequence_length"};

} // namespace

extern const ViewInfo roofline_view;
const ViewInfo roofline_view{19,
                             "roofline",
                             "Performance",
                             "Roofline",
                             "Roofline",
                             "What memory bandwidth and tensor cores allow, where each kernel of a layer "
                             "lies, tiles and waves of a GEMM, blocks on an SM",
                             kControls,
                             [] { return std::unique_ptr<View>(std::make_unique<RooflineView>()); },
                             kPages};

} // namespace ringside
