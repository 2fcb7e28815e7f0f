// What a user asks of a team in a few words, and the configuration it comes to. Whether that can be trained
// is for the room that trains to say.
//
// Micro-batches are counted over all ranks, so that every strategy makes the same step.
#pragma once

#include "core/lab/team/team.h"
#include "core/lab/team/team_save.h"

#include <span>

namespace ringside
{

inline constexpr std::int64_t kMostRequestedRanks = 8; // that fit on a screen, and on a laptop

struct TeamStrategy
{
    std::string_view id;   // "zero2"
    std::string_view name; // "ZeRO-2"
    std::string_view says; // one line
};
// In the order of the keys 1 to 9, then 0, then E.
std::span<const TeamStrategy> team_strategies();

// What gradients can be made small with, to choose from: none first.
struct TeamCompression
{
    CompressionOptions options;
    std::string name; // "Top-k, 1%, no feedback"
};
std::span<const TeamCompression> team_compressions();

struct TeamRequest
{
    std::size_t strategy = 0;                           // in team_strategies()
    std::int64_t ranks = 4;                             // 1 to kMostRequestedRanks
    ScheduleKind schedule = ringside::schedule("1f1b"); // of a strategy with a pipeline
    std::int64_t micro_batches = 8;                     // of one step, all ranks together
    double steps_per_second = 4;                        // at most; 0: as fast as it goes
    std::size_t compression = 0;                        // in team_compressions(); where it can be, see below
    bool plain_sgd = false; // without momentum and clipping, which error feedback is made for; else AdamW

    SavePlan saving; // of checkpoints while it trains

    bool operator==(const TeamRequest&) const = default;
};

// A GPT that every strategy can cut for up to eight ranks: eight layers, eight heads, sixteen words.
TrainerConfig team_trainer_config();
// Whether there are gradients that a compressor could make small: several replicas that sum them whole.
bool can_compress(const TeamConfig& config);
// What `compare` trains one after the other: gradients as they are, and what makes them small.
std::span<const std::size_t> compared_compressions();

// "dp4, Top-k, 1%, SGD"
std::string run_name(const TeamConfig& config);

// The model has experts where the strategy shares them out. A fault names the request, and what would work.
Result<TeamConfig> config_of(TrainerConfig trainer, const TeamRequest& request);

// The configuration without one of its copies: the batch is shared out anew, and grows to a multiple where it
// must. A fault where ranks hold parts that no other has.
Result<TeamConfig> without_one(TeamConfig config);

} // namespace ringside
