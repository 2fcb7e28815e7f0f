#include "core/planner/memory_model.h"

#include "core/model/stages.h"

#include <algorithm>

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
    const auto weights = stage_weights(s.model, p, parts);
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

const std::vector<std::vector<std::int64_t>>& MemoryModel::kept(const Scenario& s)
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

std::vector<const std::vector<std::int64_t>*>
MemoryModel::worst(const LayerKept& layer, const Cut& cut,
                   const std::vector<std::vector<std::int64_t>>& kept) const
{
    std::vector<const std::vector<std::int64_t>*> chosen;
    for (const Cut::Stage& stage : cut.stages)
    {
        double most = -1;
        chosen.push_back(nullptr);
        for (const std::size_t rank : stage.ranks)
        {
            double bytes = 0;
            for (std::size_t chunk = 0; chunk < stage.part.ranges.size(); ++chunk)
            {
                const LayerRange& range = stage.part.ranges[chunk];
                bytes += static_cast<double>(kept[rank][chunk]) * layer.of(range);
            }
            if (bytes > most)
            {
                most = bytes;
                chosen.back() = &kept[rank];
            }
        }
    }
    return chosen;
}

Bytes MemoryModel::fullest(const Scenario& s, const LayerKept& layer, const Cut& cut,
                           const std::vector<const std::vector<std::int64_t>*>& worst) const
{
    Bytes most;
    for (std::size_t i = 0; i < cut.stages.size(); ++i)
    {
        most = std::max(most,
                        stage_memory(s, layer, cut.stages[i].weights, cut.stages[i].part, *worst[i]).total());
    }
    return most;
}

Bytes MemoryModel::fullest(const Scenario& s)
{
    const Cut& layers = cut(s);
    const LayerKept layer(s);
    return fullest(s, layer, layers, worst(layer, layers, kept(s)));
}

} // namespace ringside
