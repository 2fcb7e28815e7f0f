// What numbers of few bits can hold: their range and precision, sums that stand still, scales shared by
// blocks, and gradients that need a loss scale.
#include <fmt/format.h>

#include "ui/shell/view.h"
#include "ui/views/formats/bits.h"
#include "ui/views/formats/blocks.h"
#include "ui/views/formats/panel.h"
#include "ui/views/formats/sums.h"
#include "ui/views/formats/words.h"
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
    void keys(const Frame& frame, Out& out) override;
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
    const FormatsPage page = state_.page;
    if (draw_formats_panel(painter, area, state_, frame, runs_))
    {
        choosing_ = true;
        out.animating = true;
    }
    out.animating = out.animating || page != state_.page;
    return true;
}

void FormatsView::keys(const Frame&, Out& out)
{
    const auto pressed = [&](ImGuiKey key)
    {
        const bool now = ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl;
        out.animating = out.animating || now;
        return now;
    };
    for (std::size_t i = 0; i < kFormats; ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i))))
        {
            state_.chosen = static_cast<FormatId>(i);
        }
    }
    if (pressed(ImGuiKey_F))
    {
        choosing_ = true;
    }
    if (pressed(ImGuiKey_Y))
    {
        state_.page =
            static_cast<FormatsPage>((static_cast<std::size_t>(state_.page) + 1) % kFormatsPages.size());
    }
    if (pressed(ImGuiKey_R))
    {
        ++state_.seed;
        state_.numbers = made_up_numbers(state_.seed);
    }
    if (pressed(ImGuiKey_D))
    {
        state_.run.rule.dynamic = !state_.run.rule.dynamic;
    }
    if (pressed(ImGuiKey_O))
    {
        state_.saturate = state_.page == FormatsPage::bits ? !state_.saturate : state_.saturate;
        if (state_.page == FormatsPage::blocks)
        {
            turn_outlier(state_);
        }
    }
}

constexpr std::array<std::string_view, 1> kControls{"training.precision"};
constexpr std::array kKeys{KeyHelp{"1 to 7", "FP32, TF32, BF16, FP16, E4M3, E5M2, E2M1"},
                           KeyHelp{"F", "Choose a format from a list"},
                           KeyHelp{"Y", "Bits, sums, blocks, loss scale"},
                           KeyHelp{"R", "Draw again"},
                           KeyHelp{"D", "Loss scale: changing or fixed"},
                           KeyHelp{"O", "8-bit formats saturate or not; in blocks the outlier"},
                           KeyHelp{"drag", "The number, its neighbours, bars, the bell"}};

} // namespace

extern const ViewInfo formats_view;
const ViewInfo formats_view{45,
                            "formats",
                            "Training",
                            "Formats",
                            "What can so few bits hold?",
                            "FP32 to FP4 bit by bit: range, precision, lost sums, block scales, loss scaling",
                            kControls,
                            kKeys,
                            [] { return std::unique_ptr<View>(std::make_unique<FormatsView>()); },
                            kPages};

} // namespace ringside
