// Learning rate and optimizer: the schedule over the run, clipping, AdamW on a quadratic loss, and the batch
// beyond which a larger one no longer pays.
#include "ui/views/training/optimizer/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 6> kPages{"optimizer/rate",  "optimizer/clip", "optimizer/valley",
                                                 "optimizer/batch", "optimizer/muon", "optimizer/width"};

class OptimizerView final : public PagedView<OptimizerState>
{
public:
    OptimizerView()
        : PagedView(kPages, {&rate_page, &clip_page, &descent_page, &critical_page, &muon_page, &width_page})
    {
    }

    ViewKeys keys() override
    {
        return {{"1 to 5", "Shape of the decay; on a quadratic loss 1 to 4: the optimizer",
                 [this](const KeyPress& k)
                 {
                     if (shows(rate_page))
                     {
                         state_.rate.decay = static_cast<Decay>(k.which);
                     }
                     else if (k.which < kSteppers)
                     {
                         state_.descent.stepper = static_cast<Stepper>(k.which);
                     }
                 }},
                turn_key("Schedule, clipping, quadratic loss, critical batch, Muon, width"),
                {"R", "New gradient noise", [this] { ++state_.descent.seed; }},
                {"I", "Bias correction on and off", flips(state_.descent.bias_correction)},
                {"drag", "Peak, minimum, gradient, start, batch"}};
    }
};

} // namespace

extern const ViewInfo optimizer_view{
    20,
    "optimizer",
    ViewGroup::training,
    "Optimizer",
    "Learning rate and optimizer",
    "Learning-rate schedules, gradient clipping, AdamW on a quadratic loss, the critical batch size, Muon, "
    "muP",
    {"micro_batches", "training.tokens"},
    make_view<OptimizerView>,
    kPages};

} // namespace ringside
