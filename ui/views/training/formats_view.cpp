// What numbers of few bits can hold: their range and precision, sums that stand still, scales shared by
// blocks, and gradients that need a loss scale.
#include <fmt/format.h>

#include "ui/shell/view.h"
#include "ui/views/training/formats/bits.h"
#include "ui/views/training/formats/blocks.h"
#include "ui/views/training/formats/panel.h"
#include "ui/views/training/formats/sums.h"
#include "ui/views/training/formats/words.h"
#include "ui/widgets/choice.h"

#include <utility>

namespace ringside
{

namespace
{

constexpr const char* kPopup = "choose a number format";

constexpr std::array<std::string_view, 4> kPages{"formats/bits", "formats/sums", "formats/blocks",
                                                 "formats/scale"};

class FormatsView final : public View
{
public:
    FormatsView()
    {
        state_.numbers = made_up_numbers(state_.seed);
        state_.run.start = 0x1p24;
        state_.run.rule.growth_interval = 50;
        state_.run.spread = {-22, 4};
    }

    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return formats_caption(state_, frame, runs_); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    void draw_popup(const Painter& painter, Out& out);

    FormatsState state_;
    LossScaleRuns runs_;
    bool choosing_ = false;
};

Motion FormatsView::motion(const Frame& frame) const
{
    Motion motion;
    if (state_.page == FormatsPage::sums)
    {
        motion.duration = static_cast<double>(state_.walk.steps);
        motion.per_second = 24;
        motion.rest = motion.duration;
        motion.label = fmt::format("{}/{}", addition_at(state_, frame), state_.walk.steps);
    }
    else if (state_.page == FormatsPage::gradients)
    {
        const std::size_t steps = loss_scale_steps(state_);
        motion.duration = static_cast<double>(steps - 1);
        motion.per_second = static_cast<double>(state_.run.rule.growth_interval);
        motion.rest = motion.duration;
        motion.label = fmt::format("step {}/{}", loss_step_at(state_, frame) + 1, steps);
    }
    return motion;
}

void FormatsView::draw_popup(const Painter& painter, Out& out)
{
    std::vector<Choosable> choices;
    for (const NumberFormat& f : number_formats())
    {
        choices.push_back({f.name, f.name, f.source});
    }
    if (std::exchange(choosing_, false))
    {
        ImGui::OpenPopup(kPopup);
    }
    if (const auto chosen = choice_popup(painter, kPopup, choices))
    {
        state_.chosen = static_cast<FormatId>(*chosen);
        out.animating = true;
    }
}

void FormatsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_popup(painter, out);
    switch (state_.page)
    {
    case FormatsPage::bits:
        draw_bits_page(painter, area, state_, frame);
        break;
    case FormatsPage::sums:
        draw_sums_page(painter, area, state_, frame, out);
        break;
    case FormatsPage::blocks:
        draw_blocks_page(painter, area, state_);
        break;
    case FormatsPage::gradients:
        draw_gradients_page(painter, area, state_, frame, runs_.of(state_, shown_format(state_, frame)), out);
        break;
    }
}

bool FormatsView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    choosing_ = draw_formats_panel(painter, area, state_, frame, runs_, out) || choosing_;
    return true;
}

ViewKeys FormatsView::keys()
{
    return {{"1 to 7", "FP32, TF32, BF16, FP16, E4M3, E5M2, E2M1",
             [this](const KeyPress& k) { state_.chosen = static_cast<FormatId>(k.which); }},
            {"F", "Choose a format from a list", [this] { choosing_ = true; }},
            {"Y", "Bits, sums, blocks, loss scale", turns(state_.page, kFormatsPages.size())},
            {"R", "Draw again", [this] { state_.numbers = made_up_numbers(++state_.seed); }},
            {"D", "Loss scale: changing or fixed", flips(state_.run.rule.dynamic)},
            {"O", "8-bit formats saturate or not; in blocks the outlier",
             [this]
             {
                 state_.saturate = state_.saturate != (state_.page == FormatsPage::bits);
                 if (state_.page == FormatsPage::blocks)
                 {
                     turn_outlier(state_);
                 }
             }},
            {"drag", "The number, its neighbours, bars, the bell"}};
}

constexpr std::array<std::string_view, 1> kControls{"training.precision"};

} // namespace

extern const ViewInfo formats_view;
const ViewInfo formats_view{28,
                            "formats",
                            "Training",
                            "Number formats",
                            "Number formats",
                            "FP32 to FP4 bit by bit: range, precision, lost sums, block scales, loss scaling",
                            kControls,
                            [] { return std::unique_ptr<View>(std::make_unique<FormatsView>()); },
                            kPages};

} // namespace ringside
