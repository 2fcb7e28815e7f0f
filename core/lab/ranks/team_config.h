// One training shared out over several ranks: who has what, and does what when. It follows from the
// configuration alone, on every rank alike.
//
// Expert ranks are data-parallel ranks: dp2-ep2 is four of them. All stages of ZeRO and pipelines go with
// experts.
#pragma once

#include "core/lab/team/team.h"
#include "core/lab/trainer/network/network.h"

#include <vector>

namespace ringside::parallel
{

// Everything derived filled in, or every reason why it cannot be trained here. What Explore knows and the
// lab's model has not is named: experts cut by tensor parallelism, 8-bit training, two-way pipelines.
Result<TeamConfig> prepared(TeamConfig config);

// What one rank trains, and in which order.
struct RankPlan
{
    int rank = 0;
    Coordinates place;
    trainer::Piece piece;
    struct Stage
    {
        std::int64_t number = 0; // virtual stage
        trainer::Stretch stretch;
    };
    std::vector<Stage> stages; // that this rank runs
    std::vector<Operation> order;
    std::int64_t micro_batches = 1;
    std::int64_t all_stages = 1; // of the whole pipeline

    const Stage& stage(std::int64_t number) const;
};
// The configuration must be prepared().
RankPlan plan_of(const TeamConfig& config, int rank);
// The rank that runs a virtual stage in the pipeline of `place`.
int rank_of_stage(const TeamConfig& config, const Coordinates& place, std::int64_t stage);

// Ranks of a group that `rank` is in, in order.
std::vector<int> members_of(const TeamConfig& config, int rank, Group group);

} // namespace ringside::parallel
