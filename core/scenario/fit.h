// What makes a scenario valid again: advice for one fault, and a layout made to suit another model or
// cluster. Both are found by trying validate() on nearby values, so that advice can be followed.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <functional>
#include <string>
#include <vector>

namespace ringside
{

// A scenario that is better than the one it was made of, and the settings that make it so.
struct Correction
{
    std::string assignments; // "parallel.expert=16", as --set reads them; several have a space between
    std::string label;       // "Use expert parallelism 16"
    Scenario after;
};
// Nearest first: values of the faulty field, at most five; where none helps, of another field; where no
// single one does, all that fit() would change. Each leaves fewer faults, none where that is possible. Empty
// where nothing helps.
std::vector<Correction> remedies(const Scenario& scenario, const Issue& issue);
// What to do about this fault: "use one of 1, 2, 4", "use parallel.expert=16".
std::string advice(const Scenario& scenario, const Issue& issue);

struct Fit
{
    Scenario scenario;       // valid, unless model or cluster is itself at fault
    std::string says;        // "Expert parallelism 64 → 16 (...)"; empty: nothing had to be changed
    std::string assignments; // the same as a Correction has them
};
// Whether a valid scenario fits in the memory of its GPUs, which this topic knows nothing of.
using FitsMemory = std::function<bool(const Scenario&)>;
// The scenario with its layout, batch and formats made to suit its model and its GPUs, which stay. Nearest to
// what it was: sizes of groups only become smaller, unless that does not fit in memory and the nearest of
// other tensor, context and pipeline groups does. Without `fits_memory` nobody asks for memory.
Fit fit(const Scenario& scenario, const FitsMemory& fits_memory = nullptr);
// What was made of a scenario: "Tensor parallelism 8 → 4, pipeline stages 4 → 5". Empty: nothing.
std::string changes_between(const Scenario& before, const Scenario& after);

} // namespace ringside
