#include "core/planner/search/memory_model.h"

#include "core/model/stages.h"

#include <algorithm>
#include <functional>

namespace ringside
{

namespace
{

bool alike(const StagePart& a, const StagePart& b)
{
    const auto same = [](const LayerRange& x, const LayerRange& y)
    { return x.count == y.count && x.experts == y.experts && (x.stage == 0) == (y.stage == 0); };
    return a.embedding == b.embedding && a.head == b.head &&
           std::equal(a.ranges.begin(), a.ranges.end(), b.ranges.begin(), b.ranges.end(), same);
}

// The ranks of each stage that may keep most: no other keeps as much of every chunk. Of equals the first.
PipelineMemory::Keepers keepers_of(const Cut& cut, const std::vector<RankKept>& kept)
{
    const auto covers = [](const RankKept& a, const RankKept& b)
    { return std::ranges::equal(a, b, std::greater_equal<>()); };
    PipelineMemory::Keepers all;
    for (const Cut::Stage& stage : cut.stages)
    {
        std::vector<const RankKept*>& keepers = all.emplace_back();
        for (const std::size_t rank : stage.ranks)
        {
            const RankKept& mine = kept[rank];
            if (std::ranges::none_of(keepers, [&](const RankKept* other) { return covers(*other, mine); }))
            {
                std::erase_if(keepers, [&](const RankKept* other) { return covers(mine, *other); });
                keepers.push_back(&mine);
            }
        }
    }
    return all;
}

} // namespace

const Cut& MemoryModel::cut(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Placement placement = s.training.schedule->placement;
    const CutKey key{p.tensor, p.expert, p.expert_tensor, p.pipeline, p.chunks, placement};
    const auto found = cuts_.find(key);
    if (found != cuts_.end())
    {
        return found->second;
    }
    Cut cut;
    const auto parts = stage_parts(s.model, p, placement);
    const auto weights = stage_weights(s.model, p, parts, s.training.lora);
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
    {
        const auto same =
            std::find_if(cut.stages.begin(), cut.stages.end(),
                         [&](const Cut::Stage& stage)
                         { return stage.weights == weights[rank] && alike(stage.part, parts[rank]); });
        if (same == cut.stages.end())
        {
            cut.stages.push_back({parts[rank], weights[rank], {rank}});
        }
        else
        {
            same->ranks.push_back(rank);
        }
    }
    return cuts_.emplace(key, std::move(cut)).first->second;
}

const std::vector<RankKept>& MemoryModel::kept(const Scenario& s)
{
    const ScheduleKind kind = s.training.schedule;
    ScheduleShape shape = pipeline_shape(s);
    if (kind->kept == nullptr)
    {
        shape.micro_batches = std::min(shape.micro_batches, 4 * shape.stages);
    }
    const KeptKey key{kind, shape.stages, shape.micro_batches, shape.chunks};
    const auto found = kept_.find(key);
    if (found != kept_.end())
    {
        return found->second;
    }
    Scenario shorter = s;
    shorter.training.global_batch = shape.micro_batches * data_parallel(s) * s.training.micro_batch;
    return kept_.emplace(key, kept_at_peak(shorter)).first->second;
}

PipelineMemory MemoryModel::pipeline(const Scenario& s)
{
    PipelineMemory memory;
    memory.cut = &cut(s);
    const std::vector<RankKept>& ranks = kept(s);
    const auto [keepers, fresh] = keepers_.try_emplace({memory.cut, &ranks});
    if (fresh)
    {
        keepers->second = keepers_of(*memory.cut, ranks);
    }
    memory.keepers = &keepers->second;
    memory.weights = &weights_[{memory.cut, dense_shards(s), expert_shards(s)}];
    memory.weights->resize(memory.cut->stages.size());
    return memory;
}

void MemoryModel::fill_tokens(const Scenario& s, const LayerKept& layer, const PipelineMemory& pipeline,
                              std::vector<MemoryHalf>& halves)
{
    halves.clear();
    for (std::size_t i = 0; i < pipeline.cut->stages.size(); ++i)
    {
        const StagePart& part = pipeline.cut->stages[i].part;
        const std::vector<const RankKept*>& keepers = (*pipeline.keepers)[i];
        const RankKept* most = keepers.front();
        double most_bytes = -1;
        for (std::size_t k = 0; keepers.size() > 1 && k < keepers.size(); ++k)
        {
            double bytes = 0;
            for (std::size_t chunk = 0; chunk < part.ranges.size(); ++chunk)
            {
                bytes += static_cast<double>((*keepers[k])[chunk]) * layer.of(part.ranges[chunk]);
            }
            if (bytes > most_bytes)
            {
                most_bytes = bytes;
                most = keepers[k];
            }
        }
        halves.push_back(token_half(s, layer, part, *most));
    }
}

Bytes MemoryModel::fullest(const Scenario& s, const PipelineMemory& pipeline,
                           std::span<const MemoryHalf> tokens)
{
    Bytes most;
    for (std::size_t i = 0; i < tokens.size(); ++i)
    {
        auto& weights = (*pipeline.weights)[i].at(static_cast<std::size_t>(s.parallel.zero));
        if (!weights)
        {
            weights = weight_half(s, pipeline.cut->stages[i].weights);
        }
        most = std::max(most, stage_bytes(s, *weights, tokens[i]));
    }
    return most;
}

Bytes MemoryModel::fullest(const Scenario& s)
{
    const PipelineMemory whole = pipeline(s);
    std::vector<MemoryHalf> tokens;
    fill_tokens(s, LayerKept(s), whole, tokens);
    return fullest(s, whole, tokens);
}

} // namespace ringside
