// The optimizer's dials: the learning rate over the run, clipping, what AdamW does on a valley, and the batch
// beyond which a larger one no longer pays.
#include <fmt/format.h>

#include "ui/shell/view.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/views/training/optimizer/panel.h"
#include "ui/views/training/optimizer/words.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kPages{"optimizer/rate", "optimizer/clip", "optimizer/valley",
                                                 "optimizer/batch"};

class OptimizerView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return optimizer_caption(state_, frame); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    OptimizerState state_;
};

Motion OptimizerView::motion(const Frame& frame) const
{
    Motion motion;
    if (state_.page == OptimizerPage::schedule)
    {
        motion.duration = 100;
        motion.per_second = 10;
        motion.rest = 40;
        motion.label = fmt::format("{}% of the run", std::llround(std::clamp(frame.playback.t, 0.0, 100.0)));
    }
    else if (state_.page == OptimizerPage::descent)
    {
        motion.duration = static_cast<double>(state_.descent.steps);
        motion.per_second = 12;
        motion.rest = motion.duration;
        motion.label = fmt::format("step {}/{}", descent_step_at(state_, frame), state_.descent.steps);
    }
    return motion;
}

void OptimizerView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    switch (state_.page)
    {
    case OptimizerPage::schedule:
        draw_rate_page(painter, area, state_, frame, out);
        break;
    case OptimizerPage::clip:
        draw_clip_page(painter, area, state_);
        break;
    case OptimizerPage::descent:
        draw_descent_page(painter, area, state_, frame);
        break;
    case OptimizerPage::batch:
        draw_batch_page(painter, area, state_, frame, out);
        break;
    }
}

bool OptimizerView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_optimizer_panel(painter, area, state_, frame, out);
    return true;
}

ViewKeys OptimizerView::keys()
{
    return {{"1 to 5", "Shape of the decay; on a valley 1 to 4: the optimizer",
             [this](const KeyPress& k)
             {
                 if (state_.page == OptimizerPage::schedule)
                 {
                     state_.rate.decay = static_cast<Decay>(k.which);
                 }
                 else if (k.which < kSteppers)
                 {
                     state_.descent.stepper = static_cast<Stepper>(k.which);
                 }
             }},
            {"Y", "Rate, clipping, descent, batch", turns(state_.page, kOptimizerPages.size())},
            {"R", "Other noise", [this] { ++state_.descent.seed; }},
            {"I", "Bias correction on and off", flips(state_.descent.bias_correction)},
            {"drag", "Peak, floor, gradient, start, batch"}};
}

constexpr std::array<std::string_view, 2> kControls{"micro_batches", "training.tokens"};

} // namespace

extern const ViewInfo optimizer_view;
const ViewInfo optimizer_view{
    27,
    "optimizer",
    "Training",
    "Optimizer",
    "Learning rate and optimizer",
    "Learning-rate schedules, gradient clipping, AdamW on a quadratic loss, the critical batch size",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<OptimizerView>()); },
    kPages};

} // namespace ringside
