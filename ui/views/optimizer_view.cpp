// The optimizer's dials: the learning rate over the run, clipping, what AdamW does on a valley, and the batch
// beyond which a larger one no longer pays.
#include <fmt/format.h>

#include "ui/shell/view.h"
#include "ui/views/optimizer/pages.h"
#include "ui/views/optimizer/panel.h"
#include "ui/views/optimizer/words.h"

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
    void keys(const Frame& frame, Out& out) override;
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
    const OptimizerPage page = state_.page;
    draw_optimizer_panel(painter, area, state_, frame);
    out.animating = out.animating || page != state_.page;
    return true;
}

void OptimizerView::keys(const Frame&, Out& out)
{
    const auto pressed = [&](ImGuiKey key)
    {
        const bool now = ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl;
        out.animating = out.animating || now;
        return now;
    };
    for (std::size_t i = 0; i < kDecays; ++i)
    {
        if (!pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i))))
        {
            continue;
        }
        if (state_.page == OptimizerPage::schedule)
        {
            state_.rate.decay = static_cast<Decay>(i);
        }
        else if (i < kSteppers)
        {
            state_.descent.stepper = static_cast<Stepper>(i);
        }
    }
    if (pressed(ImGuiKey_Y))
    {
        state_.page =
            static_cast<OptimizerPage>((static_cast<std::size_t>(state_.page) + 1) % kOptimizerPages.size());
    }
    if (pressed(ImGuiKey_R))
    {
        ++state_.descent.seed;
    }
    if (pressed(ImGuiKey_I))
    {
        state_.descent.bias_correction = !state_.descent.bias_correction;
    }
}

constexpr std::array<std::string_view, 2> kControls{"micro_batches", "training.tokens"};
constexpr std::array kKeys{KeyHelp{"1 to 5", "Shape of the decay; on a valley 1 to 4: the optimizer"},
                           KeyHelp{"Y", "Rate, clipping, descent, batch"}, KeyHelp{"R", "Other noise"},
                           KeyHelp{"I", "Bias correction on and off"},
                           KeyHelp{"drag", "Peak, floor, gradient, start, batch"}};

} // namespace

extern const ViewInfo optimizer_view;
const ViewInfo optimizer_view{46,
                              "optimizer",
                              "Training",
                              "Optimizer",
                              "How large is a step?",
                              "Learning-rate schedules, clipping, AdamW on a valley, the critical batch",
                              kControls,
                              kKeys,
                              [] { return std::unique_ptr<View>(std::make_unique<OptimizerView>()); },
                              kPages};

} // namespace ringside
