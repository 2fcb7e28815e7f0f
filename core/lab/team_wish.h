// What a person asks of a team in a few words, and the configuration it comes to. Whether that can be trained
// is for the room that trains to say.
#pragma once

#include "core/lab/team.h"

#include <span>

namespace ringside
{

inline constexpr std::int64_t kMostWishedRanks = 8; // that fit on a screen, and on a laptop

struct TeamStrategy
{
    std::string_view id;   // "zero2"
    std::string_view name; // "ZeRO-2"
    std::string_view says; // one line
};
// In the order of the keys 1 to 9, then 0, then E.
std::span<const TeamStrategy> team_strategies();

struct TeamWish
{
    std::size_t strategy = 0;                           // in team_strategies()
    std::int64_t ranks = 4;                             // 1 to kMostWishedRanks
    ScheduleKind schedule = ringside::schedule("1f1b"); // of a strategy with a pipeline
    std::int64_t micro_batches = 8;                     // of one step, all ranks together
    double steps_per_second = 4;                        // at most; 0: as fast as it goes

    bool operator==(const TeamWish&) const = default;
};

// A GPT that every strategy can cut for up to eight ranks: eight layers, eight heads, sixteen words.
TrainerConfig team_trainer_config();
// The model has experts where the strategy shares them out. A fault names the wish, and what would work.
Result<TeamConfig> config_of(TrainerConfig trainer, const TeamWish& wish);

// The same without one of its copies: the batch is shared out anew, and grows to a multiple where it must.
// A fault where ranks hold parts that no other has.
Result<TeamConfig> without_one(TeamConfig config);

} // namespace ringside
