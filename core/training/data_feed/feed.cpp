#include "core/training/data_feed/feed.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

// What products of whole numbers lose must not cost a worker.
constexpr double kRounding = 1e-9;

double kind_seconds(DataKind kind, double tokens)
{
    switch (kind)
    {
    case DataKind::tokens:
        return tokens / kCopyTokensPerSecond;
    case DataKind::text:
        return tokens / kTokenizerTokensPerSecond;
    case DataKind::pictures:
        break;
    }
    return tokens / kPictureTokens * kPictureSeconds;
}

double kind_bytes(DataKind kind, double tokens, std::int64_t vocab)
{
    switch (kind)
    {
    case DataKind::tokens:
        return tokens * token_width(vocab);
    case DataKind::text:
        return tokens * kTextBytesPerToken;
    case DataKind::pictures:
        break;
    }
    return tokens / kPictureTokens * kPictureBytes;
}

} // namespace

FeedNeed feed_need(const Scenario& s, Seconds step)
{
    const double seconds = std::max(step.value, 1e-12);
    FeedNeed need;
    need.readers = std::max<std::int64_t>(1, data_parallel(s));
    need.batch_samples = s.training.micro_batch;
    need.batches = std::max<std::int64_t>(1, micro_batches(s));
    need.batch_s = seconds / static_cast<double>(need.batches);
    need.samples_per_s = static_cast<double>(s.training.global_batch) / seconds;
    need.tokens_per_s = need.samples_per_s * static_cast<double>(s.training.sequence_length);
    return need;
}

BatchCost batch_cost(const Scenario& s, const FeedPlan& plan)
{
    const auto tokens = static_cast<double>(s.training.sequence_length);
    const auto samples = static_cast<double>(s.training.micro_batch);
    const double gpus = static_cast<double>(s.cluster.gpus) /
                        static_cast<double>(std::max<std::int64_t>(1, data_parallel(s)));
    const double storage = std::max(plan.storage_gb_per_s, 1e-9) * 1e9 * gpus;
    BatchCost cost;
    cost.bytes = samples * kind_bytes(plan.kind, tokens, s.model.vocab);
    cost.sample_s = plan.sample_s > 0 ? plan.sample_s : kind_seconds(plan.kind, tokens);
    cost.read_s = cost.bytes / storage;
    cost.work_s = samples * cost.sample_s + std::max(0.0, plan.collate_s);
    return cost;
}

double FeedSupply::starved(const FeedNeed& need) const
{
    const double missing = 1 - batches_per_s() * need.batch_s;
    return missing > kRounding ? missing : 0;
}

FeedSupply feed_supply(const BatchCost& cost, const FeedPlan& plan, double slow)
{
    const auto workers = static_cast<double>(std::max<std::int64_t>(1, plan.workers));
    const double healthy = std::max(cost.total(), 1e-12);
    const double late = std::max(cost.read_s + cost.work_s * std::max(1.0, slow), 1e-12);
    FeedSupply supply;
    supply.workers = plan.in_order ? workers / late : (workers - 1) / healthy + 1 / late;
    supply.storage = cost.read_s > 0 ? 1 / cost.read_s : std::numeric_limits<double>::max();
    return supply;
}

std::optional<std::int64_t> workers_needed(const FeedNeed& need, const BatchCost& cost, double margin,
                                           double slow, bool in_order)
{
    const double more = 1 + std::max(0.0, margin);
    if (more * cost.read_s > need.batch_s * (1 + kRounding))
    {
        return std::nullopt;
    }
    const double late = std::max(cost.read_s + cost.work_s * std::max(1.0, slow), 1e-12);
    const double wanted =
        in_order ? more * late / need.batch_s : 1 + cost.total() * (more / need.batch_s - 1 / late);
    // Beyond any machine, and beyond what a whole number holds.
    return static_cast<std::int64_t>(std::clamp(std::ceil(wanted * (1 - kRounding)), 1.0, 1e15));
}

double token_width(std::int64_t vocab)
{
    return vocab < 65500 ? 2 : 4;
}

DataSet data_set(const Scenario& s, Seconds step)
{
    DataSet set;
    set.token_bytes = token_width(s.model.vocab);
    set.bytes = s.training.tokens * set.token_bytes;
    set.read_bytes_per_s = feed_need(s, step).tokens_per_s * set.token_bytes;
    const double nodes = std::ceil(static_cast<double>(s.cluster.gpus) /
                                   static_cast<double>(std::max<std::int64_t>(1, s.cluster.gpus_per_node)));
    set.cached = std::min(1.0, nodes * s.cluster.host_memory_gb * 1e9 / std::max(set.bytes, 1.0));
    return set;
}

} // namespace ringside
