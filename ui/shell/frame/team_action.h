// What the view of the ranks may ask for. The app's controller does it; what came of it is in TeamFrame.
#pragma once

#include "core/lab/team/team_request.h"
#include "ui/shell/frame/frame.h"

#include <variant>

namespace ringside
{

enum class TeamCommand : std::uint8_t
{
    run, // starts what has not been started, goes on with what is paused or broken
    pause,
    step,    // one step, then pause
    without, // of a broken team: goes on without the rank that is missing
    clear,   // back to before the first start; what has been trained stays as a curve to compare with
    compare  // from the start with one compressor after the other, some steps each; once more ends that
};
// Trains the same weights in another way; ranks move to the nearest number that divides.
struct RequestTeam
{
    TeamRequest request;
};
// In the next step; a paused team makes that step.
struct GoWrong
{
    PlannedFault fault;
};
struct TeamAction : std::variant<TeamCommand, RequestTeam, GoWrong>
{
    using variant::variant;
};
inline Action to_action(TeamAction action)
{
    return std::make_shared<const TeamAction>(std::move(action));
}

} // namespace ringside
