// A scenario with all that goes with it: what was computed from it, undo, comparison, view and clocks. The
// session has the user's, and another while a lesson or a question shows its own.
#pragma once

#include "app/session/view_clock.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct SessionScene
{
    Scenario scenario;                       // perhaps with faults
    Issues issues;                           // of it
    Evaluated now;                           // the last that could be computed
    std::optional<Evaluated> before;         // A of a comparison
    std::vector<Scenario> undo;              // the newest last
    std::vector<Scenario> redo;              // the next last
    std::map<std::string, ViewClock> clocks; // by view
    std::string view;                        // id of the one on show

    // In place of the scenario, without a step of undo.
    void show(Scenario next);
    // Undo goes back to the scenario as it is, or with `same_step` as it was before the last change.
    void change(Scenario next, bool same_step);
    // Keeps what is computed as A, or ends the comparison.
    void compare();
};

// The change with its layout made to suit another model or cluster; the notice says how.
ChangeScenario fitted(ChangeScenario change);

} // namespace ringside
