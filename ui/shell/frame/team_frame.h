// What the view of the ranks is given: what was asked for, the newest of what the team published, and what
// the engine had predicted. Plain values, made by the app's controller; reading never waits for a step.
#pragma once

#include "core/lab/prediction.h"
#include "core/lab/team/team_request.h"
#include "core/lab/team/team_snapshot.h"

namespace ringside
{

struct TeamFrame
{
    TeamRequest request;
    TeamPrediction predicted;                     // of the team that trains, or of the one that would
    std::shared_ptr<const TeamSnapshot> snapshot; // null: not begun
    std::string fault;                            // of a request that cannot be trained; empty: none
    bool can_go_without = false;                  // broken, and the others have all that the missing rank had
    std::vector<TeamCurve> earlier;               // runs that are over, the oldest first
    std::size_t to_compare = 0;                   // runs that a comparison has still to begin
    bool comparing = false;
    std::string watched;   // file of a training that runs elsewhere, which is looked at only; empty: none
    double silent_s = 0;   // since it changed
    bool recorded = false; // what is shown was trained before: strategy and speed alone can be chosen

    bool started() const { return snapshot != nullptr; }
    bool is(TeamState state) const { return snapshot && snapshot->state == state; }
};

} // namespace ringside
