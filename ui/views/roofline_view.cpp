// The roofline of one GPU: what its memory and its tensor cores allow, where the kernels of a layer lie, why
// a small product is slow, and how many blocks a multiprocessor holds.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/roofline/pictures.h"

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
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    const RooflineSheet& sheet(const Frame& frame) const
    {
        sheet_.refresh(frame.now.scenario, state_);
        return sheet_;
    }
    void next_product(const Frame& frame);

    RooflineState state_;
    RooflinePanel panel_;
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
    panel_.draw(painter, area, state_, sheet(frame), out);
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

void RooflineView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [&](ImGuiKey key)
    {
        const bool now = ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl;
        out.animating = out.animating || now;
        return now;
    };
    const auto turn = [](auto value, std::size_t count)
    { return static_cast<decltype(value)>((static_cast<std::size_t>(value) + 1) % count); };
    if (pressed(ImGuiKey_Y))
    {
        state_.page = turn(state_.page, kRooflinePages.size());
    }
    if (pressed(ImGuiKey_F))
    {
        state_.work = turn(state_.work, kRooflineWorks.size());
    }
    if (pressed(ImGuiKey_P))
    {
        next_product(frame);
    }
    if (pressed(ImGuiKey_R))
    {
        state_.moved.reset();
        state_.reach = 0;
        state_.capability.reset();
    }
    const bool blocks = state_.page == RooflinePage::occupancy;
    if (blocks && pressed(ImGuiKey_E))
    {
        state_.shape = kCopyingKernel;
    }
    if (blocks && pressed(ImGuiKey_G))
    {
        state_.shape = kMultiplyingKernel;
    }
}

constexpr std::array<std::string_view, 5> kControls{"model", "gpu", "tensor", "micro_batch",
                                                    "training.sequence_length"};
constexpr std::array kKeys{KeyHelp{"Y", "Roof, one product, blocks on a multiprocessor"},
                           KeyHelp{"F", "Forward, backward, decoding"},
                           KeyHelp{"P", "The next product of the layer"},
                           KeyHelp{"R", "Back to the scenario's product and GPU"},
                           KeyHelp{"E, G", "Blocks: an element-wise kernel, a GEMM"},
                           KeyHelp{"drag", "A kernel: more or fewer rows; M on the saw; what a block takes"},
                           KeyHelp{"click", "A kernel: its working"}};

} // namespace

extern const ViewInfo roofline_view;
const ViewInfo roofline_view{
    65,
    "roofline",
    "Scaling",
    "Roofline",
    "Why are small products slow?",
    "What memory and tensor cores allow, where each kernel of a layer lies, tiles and waves of a product, "
    "blocks on a multiprocessor",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<RooflineView>()); },
    kPages};

} // namespace ringside
