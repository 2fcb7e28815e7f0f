// What happens to a training while it runs: knobs that are turned, and what a demonstration does to it on
// purpose. Plain values.
//
// A knob counts when it is let go, so that one drag is one break in the curve. What same_state() forbids
// starts the run again.
#pragma once

#include "core/lab/config.h"

#include <string>
#include <vector>

namespace ringside
{

// A knob that was turned, as people read it.
struct KnobChange
{
    std::int64_t step = 0; // steps made before
    std::string knob;      // "learning rate"
    std::string from;      // "4e-03"
    std::string to;

    bool operator==(const KnobChange&) const = default;
};
// Every difference between two configurations of one run.
std::vector<KnobChange> knob_changes(const TrainerConfig& now, const TrainerConfig& next, std::int64_t step);

// What is done to a run once it has made `step` steps.
struct Intervention
{
    enum class Kind : std::uint8_t
    {
        turn_knobs,
        forget_optimizer, // moments and their count, as when a checkpoint was saved without them
        damage_weight     // the highest bit of one weight's exponent flips: 0.02 becomes 6.8e36
    };
    std::int64_t step = 0;
    Kind kind = Kind::turn_knobs;
    TrainerConfig config = {}; // of turn_knobs
    std::int64_t layer = 0;    // of damage_weight, counted from 0: the first matrix of its MLP
};

} // namespace ringside
