// Design questions that the engine judges: a layout as people type it, put onto the scenario, and how far it
// is from the best that the search finds.
#pragma once

#include "core/study/questions/formula/calculator.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

// Reads "tp 8 pp 4 zero 1 micro 1" onto a scenario: also dp, cp, ep, vp (chunks), sp, recompute, schedule and
// gpus, with or without = between. What is not named stays 1, off or as the scenario has it (recompute,
// schedule). dp is only checked against what follows. Faults: an unknown word, a value that is none, what
// validate() says.
Result<Scenario> read_layout(std::string_view text, const Scenario& scenario);
// These words for a scenario's own layout.
std::string layout_text(const Scenario& scenario);

struct DesignVerdict
{
    bool fits = false;
    double bytes = 0; // of the fullest GPU
    double capacity = 0;
    double seconds = 0; // of a step
    double best = 0;    // [s] that the search finds; 0: nothing fits
    std::string best_layout;
    bool good = false; // meets the goal
    std::string message;

    double over_best() const { return best > 0 ? seconds / best : 0; }
};

// `scenario` is the user's layout, valid.
Result<DesignVerdict> judge_layout(const Scenario& scenario, const GoalSpec& goal);

} // namespace ringside
