// The fullest GPU's memory, the same number as memory_report()'s, for a search that asks about many layouts
// of one model: what they share is kept, and of stages that hold the same weights only the one that keeps
// most is looked at.
#pragma once

#include "core/memory/memory.h"

#include <map>
#include <tuple>

namespace ringside
{

// How a model is cut over a pipeline, stages that hold the same brought together.
struct Cut
{
    struct Stage
    {
        StagePart part;
        StageWeights weights;
        std::vector<std::size_t> ranks; // that hold the same
    };
    std::vector<Stage> stages;
};

class MemoryModel
{
public:
    // All scenarios asked about must be one but for their layouts (core/planner/layout.h).
    const Cut& cut(const Scenario& scenario);
    // What each rank of a pipeline keeps at its peak, [rank][chunk]. Where only the order tells, that of at
    // most four micro-batches a stage is made, after which it repeats.
    const std::vector<std::vector<std::int64_t>>& kept(const Scenario& scenario);

    // Of every stage of the cut the rank that keeps most.
    std::vector<const std::vector<std::int64_t>*>
    worst(const LayerKept& layer, const Cut& cut, const std::vector<std::vector<std::int64_t>>& kept) const;
    Bytes fullest(const Scenario& scenario, const LayerKept& layer, const Cut& cut,
                  const std::vector<const std::vector<std::int64_t>*>& worst) const;
    // All of it at once.
    Bytes fullest(const Scenario& scenario);

private:
    using CutKey =
        std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, Placement>;
    using KeptKey = std::tuple<ScheduleKind, std::int64_t, std::int64_t, std::int64_t>;

    std::map<CutKey, Cut> cuts_;
    std::map<KeptKey, std::vector<std::vector<std::int64_t>>> kept_;
};

} // namespace ringside
