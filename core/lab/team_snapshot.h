// What a running team shows: plain values, published by its run and read by whoever looks. The traces of a
// step are core/lab/team.h's.
#pragma once

#include "core/lab/team.h"

#include <memory>

namespace ringside
{

enum class TeamState : std::uint8_t
{
    running,
    paused,
    broken, // a rank is missing: the message is the diagnosis; it can go on from the state that was kept
    failed, // it cannot be trained: the message says why
    stopped
};

// Something that happened before a step: another strategy, a mishap, a rank fewer.
struct TeamMark
{
    std::int64_t step = 0; // steps done before it
    std::string says;      // "dp4-zero1"
    bool trouble = false;

    bool operator==(const TeamMark&) const = default;
};

struct TeamSnapshot
{
    TeamState state = TeamState::paused;
    std::string message; // of a broken or failed team, or a change that was refused; empty: none
    TeamConfig config;   // as it trains now
    std::int64_t step = 0;
    std::int64_t kept = 0;        // step of the state that a broken team goes on from
    PlannedMishap planned;        // for the next step
    PlannedMishap suffered;       // in the last step, or the one that broke the team
    std::vector<float> losses;    // nats a token, of every step so far, thinned out to a few thousand
    std::int64_t loss_stride = 1; // steps between two of them
    std::vector<TeamMark> marks;  // in order
    std::shared_ptr<const TeamStepTrace> trace;     // of the last step of this team; null before one
    std::vector<std::vector<RankTrace::Sent>> sent; // by rank, since this team was made
};

} // namespace ringside
