#include "core/reliability/checkpoint.h"

#include "core/base/ranges.h"
#include "core/base/whole.h"
#include "core/model/weights.h"

#include <algorithm>

namespace ringside
{

CheckpointSize checkpoint_size(const Scenario& s, const MemoryReport& memory)
{
    const StateBytes each = state_bytes(s.training);
    const auto count = static_cast<double>(count_parameters(s.model).total);
    CheckpointSize size;
    size.weights = whole_bytes(each.weight * count);
    size.master = whole_bytes(each.master * count);
    size.momentum = whole_bytes(each.momentum * count);
    size.variance = whole_bytes(each.variance * count);
    const std::int64_t shards = s.parallel.zero >= 1 ? dense_shards(s) : 1;
    const std::int64_t experts = s.model.experts > 0 ? s.parallel.expert : 1;
    size.writers =
        std::min(s.cluster.gpus, s.parallel.tensor * s.parallel.pipeline * std::max(shards, experts));
    const std::int64_t fullest = largest_over<std::int64_t>(memory.stages, &StageMemory::parameters);
    const double bytes = each.weight + each.master + each.momentum + each.variance;
    size.largest = whole_bytes(bytes * static_cast<double>(fullest) / static_cast<double>(shards));
    return size;
}

} // namespace ringside
