// The pages of alignment and what a user has set in them.
#pragma once

#include "core/base/derived.h"
#include "core/serving/alignment.h"
#include "ui/shell/paged_view.h"
#include "ui/shell/tween.h"

namespace ringside
{

inline constexpr std::size_t kGroup = 8;

struct AlignmentState
{
    AlignmentSetup setup;
    AlignmentRecipe recipe = AlignmentRecipe::ppo;
    double beta = 0.1;     // of DPO
    double chosen = 4;     // [nats] log-ratio to the reference
    double rejected = -2;  // [nats]
    double doubt = 0.1;    // of the gold reward with best of n; reinforcement has four times that
    double penalty = 0.06; // on d^2
    std::array<bool, kGroup> right{true, true, false, false, false, false, false, false};
    GroupBaseline baseline = GroupBaseline::deviations;
    Tween most; // of the bars' scale

    // Every recipe's copies, worked out again only when something changes.
    const AlignmentReport& of(const Scenario& scenario, AlignmentRecipe recipe);

private:
    Derived<std::pair<Scenario, AlignmentSetup>, std::array<AlignmentReport, kAlignmentRecipes>> reports_;
};
using AlignmentRoom = PageRoom<AlignmentState>;

extern const Page<AlignmentState> copies_of_models_page, dpo_page, over_optimization_page, group_page;

// GPUs of the scenario's kind that hold so much at least, nothing else counted.
std::int64_t gpus_for(const Scenario& scenario, const AlignmentReport& report);

// "−2.5"
std::string signed_words(double value);

} // namespace ringside
