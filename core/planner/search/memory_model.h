// The fullest GPU's memory, the same number as memory_report()'s, for a search that asks about many layouts
// of one model: what they share is kept, and of stages that hold the same weights only the one that keeps
// most is looked at.
#pragma once

#include "core/memory/memory.h"
#include "core/model/weights.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

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

// Micro-batches that a rank keeps of each of its chunks.
using RankKept = std::vector<std::int64_t>;

// What layouts with one cut, one schedule and one number of shards have in common; pointers into the model.
struct PipelineMemory
{
    // Per stage of the cut the ranks that may keep most: no other keeps as much of every chunk.
    using Keepers = std::vector<std::vector<const RankKept*>>;
    // [stage][ZeRO], worked out when first asked for.
    using Weights = std::vector<std::array<std::optional<MemoryHalf>, 4>>;

    const Cut* cut = nullptr;
    const Keepers* keepers = nullptr;
    Weights* weights = nullptr;
};

class MemoryModel
{
public:
    // All scenarios asked about must be one but for their layouts (core/planner/layout.h).
    PipelineMemory pipeline(const Scenario& scenario);
    // Fills `halves` with what the fullest rank of every stage takes whatever the ZeRO stage.
    static void fill_tokens(const Scenario& scenario, const LayerKept& layer, const PipelineMemory& pipeline,
                            std::vector<MemoryHalf>& halves);
    static Bytes fullest(const Scenario& scenario, const PipelineMemory& pipeline,
                         std::span<const MemoryHalf> tokens);
    // All of it in one call.
    Bytes fullest(const Scenario& scenario);

private:
    using CutKey =
        std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, Placement>;
    using KeptKey = std::tuple<ScheduleKind, std::int64_t, std::int64_t, std::int64_t>;

    const Cut& cut(const Scenario& scenario);
    // What each rank of a pipeline keeps at its peak. Where only the order tells, that of at most four
    // micro-batches a stage is made, after which it repeats.
    const std::vector<RankKept>& kept(const Scenario& scenario);

    std::map<CutKey, Cut> cuts_;
    std::map<KeptKey, std::vector<RankKept>> kept_;
    std::map<std::pair<const Cut*, const std::vector<RankKept>*>, PipelineMemory::Keepers> keepers_;
    std::map<std::tuple<const Cut*, std::int64_t, std::int64_t>, PipelineMemory::Weights> weights_;
};

} // namespace ringside
