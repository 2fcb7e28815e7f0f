// What a running team shows: plain values, published by its run, read by any thread. The traces of a
// step are core/lab/team/team.h's.
#pragma once

#include "core/lab/team/team.h"
#include "core/lab/team/team_save.h"

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
template <>
inline constexpr auto kNamesOf<TeamState> = names<TeamState>("running", "paused", "broken", "failed",
                                                             "stopped");

// Something that happened before a step: another strategy, a fault, a rank fewer.
struct TeamMark
{
    std::int64_t step = 0; // steps done before it
    std::string says;      // "dp4-zero1"
    bool trouble = false;

    bool operator==(const TeamMark&) const = default;
};

// What a run came to, once it is over: something to compare the next one with.
struct TeamCurve
{
    std::string name; // "dp4, Top-k, 1%"
    std::vector<float> losses;
    std::vector<double> sent_until; // [B] as many
    std::int64_t stride = 1;
    double sent_in_step = 0; // [B] in its last one
    double dense = 0;        // [B] a step without a compressor
};

// Bytes of one step by the rank that sent most, control messages left out.
std::int64_t most_sent(const TeamStepTrace& trace);

struct TeamSnapshot
{
    TeamState state = TeamState::paused;
    std::string message; // of a broken or failed team, or a change that was refused; empty: none
    TeamConfig config;   // as it trains now
    std::int64_t step = 0;
    std::int64_t kept = 0;          // step of the state that a broken team goes on from
    PlannedFault planned;           // for the next step
    PlannedFault happened;          // in the last step, or the one that broke the team
    std::vector<float> losses;      // nats per token, of every step so far, thinned out to a few thousand
    std::vector<double> sent_until; // [B] as many: by the rank that sent most of each step, up to that one
    std::int64_t loss_stride = 1;   // steps between two of them
    double sent_so_far = 0;         // [B] the same after the last step
    std::vector<TeamMark> marks;    // in order
    std::vector<TeamPace> pace;     // the last steps, in order
    std::vector<TeamSave> saves;    // the last checkpoints, in order; a run begins without
    std::shared_ptr<const TeamStepTrace> trace;     // of the last step of this team; null before one
    std::vector<std::vector<RankTrace::Sent>> sent; // by rank, since this team was made
};

// Takes down what a step came to; losses are thinned out where there are too many.
void note_step(TeamSnapshot& run, double loss, std::int64_t most_sent);
// Notes a step whose trace is known, its bytes and pace too; the trace is kept.
void note_step(TeamSnapshot& run, TeamStepTrace trace);

} // namespace ringside
