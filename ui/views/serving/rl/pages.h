// The pages of RL systems and what was set in them.
#pragma once

#include "core/base/derived.h"
#include "core/evaluate/rollout.h"
#include "core/serving/load.h"
#include "core/training/off_policy.h"
#include "ui/shell/paged_view.h"

namespace ringside
{

struct RlState
{
    const RolloutReport& step_of(const Scenario& scenario) const
    {
        return step_.of({scenario, asked(scenario)},
                        [](const From& from) { return rollout_report(from.first, from.second); });
    }
    const std::vector<RolloutReport>& split_of(const Scenario& scenario) const
    {
        return split_.of({scenario, asked(scenario)},
                         [](const From& from) { return rollout_split(from.first, from.second); });
    }
    RolloutSetup asked(const Scenario& scenario) const
    {
        RolloutSetup all = setup;
        all.engine_gpus = engine_gpus.value_or(scenario.parallel.tensor);
        return all;
    }

    // GRPO as it was published: its reward is held to a reference, and a rule scores.
    RolloutSetup setup{.reference = true};
    std::optional<std::int64_t> engine_gpus; // nothing: as the scenario's tensor parallelism
    double token_spread = kTokenSpread;      // standard deviation of a token's log-ratio
    double weight_cap = kWeightCap;

private:
    using From = std::pair<Scenario, RolloutSetup>;
    Derived<From, RolloutReport> step_;
    Derived<From, std::vector<RolloutReport>> split_;
};
using RlRoom = PageRoom<RlState>;

// The panel of step and split.
void panel_rollout(PanelColumn& column, const RlRoom& room);

extern const Page<RlState> rl_step_page, rl_split_page, rl_weights_page;

std::string seconds_words(double seconds);
// "12 s to 20 s": the step over the range of its engines' TPOT; training is taken as it is.
std::string step_range_words(const Frame& frame, const RolloutReport& report);
// Even the largest engine does not hold the model: said in the picture's place.
bool says_no_room(const RlRoom& room, const RolloutReport& report);
Caption no_room_caption();

} // namespace ringside
