#include "core/training/batch.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/sizes.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kBatchParts> kSymbols{"B", "DP", "accum", "mb"};
constexpr std::array<std::string_view, kBatchParts> kPaths{"training.global_batch", "cluster.gpus",
                                                           "training.global_batch", "training.micro_batch"};
constexpr std::array kFactors{BatchPart::replicas, BatchPart::accumulation, BatchPart::micro};
constexpr std::int64_t kMost = 1'000'000'000; // of any part
constexpr double kMostSteps = 1e12;

// The product of the factors without `part`; nothing where it is beyond any batch.
std::optional<std::int64_t> product_without(const BatchSplit& split, BatchPart part)
{
    std::int64_t product = 1;
    for (const BatchPart factor : kFactors)
    {
        const std::int64_t value = factor == part ? 1 : split.of(factor);
        if (value > kMost / product)
        {
            return std::nullopt;
        }
        product *= value;
    }
    return product;
}

Issue refused(BatchPart part, std::string message, std::string hint)
{
    return {std::string(kPaths[static_cast<std::size_t>(part)]), std::move(message), std::move(hint)};
}

std::optional<Issue> out_of_range(const BatchSplit& known, BatchPart unknown)
{
    for (std::size_t i = 0; i < kBatchParts; ++i)
    {
        const auto part = static_cast<BatchPart>(i);
        if (part != unknown && (known.of(part) < 1 || known.of(part) > kMost))
        {
            return refused(part, fmt::format("{} of {}", name_of(part), known.of(part)),
                           "use a whole number from 1 up");
        }
    }
    return std::nullopt;
}

// "8 × 3", the factors that are known beside the batch.
std::string known_factors(const BatchSplit& split, BatchPart unknown)
{
    std::string words;
    for (const BatchPart factor : kFactors)
    {
        if (factor != unknown)
        {
            words +=
                fmt::format("{}{} {}", words.empty() ? "" : " \u00d7 ", name_of(factor), split.of(factor));
        }
    }
    return words;
}

// The nearest divisor of n on one side of v, 0 where there is none.
std::int64_t divisor_beside(std::int64_t n, std::int64_t v, int direction)
{
    std::int64_t best = 0;
    const auto consider = [&](std::int64_t d)
    {
        const bool there = direction < 0 ? d < v : d > v;
        if (there && (best == 0 || std::llabs(d - v) < std::llabs(best - v)))
        {
            best = d;
        }
    };
    for (std::int64_t d = 1; d <= n / d; ++d)
    {
        if (n % d == 0)
        {
            consider(d);
            consider(n / d);
        }
    }
    return best;
}

void add_if_new(std::vector<BatchSplit>& splits, const BatchSplit& known, BatchPart unknown)
{
    const auto solved = solve_batch(known, unknown);
    if (solved && std::ranges::find(splits, *solved) == splits.end())
    {
        splits.push_back(*solved);
    }
}

} // namespace

std::string_view symbol_of(BatchPart part)
{
    return kSymbols.at(static_cast<std::size_t>(part));
}

BatchSplit BatchSplit::with(BatchPart part, std::int64_t value) const
{
    BatchSplit next = *this;
    next.parts[static_cast<std::size_t>(part)] = value;
    return next;
}

Result<BatchSplit> solve_batch(const BatchSplit& known, BatchPart unknown)
{
    if (const auto issue = out_of_range(known, unknown))
    {
        return *issue;
    }
    const auto product = product_without(known, unknown);
    if (!product)
    {
        return refused(BatchPart::global,
                       fmt::format("{} are more sequences than any batch has", known_factors(known, unknown)),
                       fmt::format("stay below {}", format_count(static_cast<double>(kMost))));
    }
    if (unknown == BatchPart::global)
    {
        return known.with(unknown, *product);
    }
    const std::int64_t batch = known.of(BatchPart::global);
    if (batch % *product != 0)
    {
        const std::int64_t below = batch / *product * *product;
        const std::string fewer = below > 0 ? fmt::format("{} or ", below) : "";
        return refused(BatchPart::global,
                       fmt::format("{} sequences do not divide by {} = {}", batch,
                                   known_factors(known, unknown), *product),
                       fmt::format("use {}{}", fewer, below + *product));
    }
    return known.with(unknown, batch / *product);
}

std::vector<BatchSplit> nearest_batches(const BatchSplit& known, BatchPart unknown)
{
    std::vector<BatchSplit> splits;
    const auto product = product_without(known, unknown);
    if (unknown == BatchPart::global || out_of_range(known, unknown) || !product ||
        solve_batch(known, unknown))
    {
        return splits;
    }
    const std::int64_t batch = known.of(BatchPart::global);
    const std::int64_t below = batch / *product * *product;
    for (const std::int64_t near : {below, below + *product})
    {
        add_if_new(splits, known.with(BatchPart::global, near), unknown);
    }
    for (const BatchPart factor : kFactors)
    {
        const std::int64_t others = *product / known.of(factor);
        if (factor == unknown || batch % others != 0)
        {
            continue;
        }
        for (const int direction : {-1, 1})
        {
            const std::int64_t near = divisor_beside(batch / others, known.of(factor), direction);
            add_if_new(splits, known.with(factor, near), unknown);
        }
    }
    return splits;
}

BatchSplit batch_split(const Scenario& s)
{
    return {{s.training.global_batch, data_parallel(s), micro_batches(s), s.training.micro_batch}};
}

Scenario with_batch(Scenario s, const BatchSplit& split)
{
    s.training.global_batch = split.of(BatchPart::global);
    s.training.micro_batch = split.of(BatchPart::micro);
    s.cluster.gpus = split.of(BatchPart::replicas) * replica_gpus(s.parallel);
    return s;
}

double batch_tokens(const Scenario& s)
{
    return static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
}

std::int64_t run_steps(const Scenario& s)
{
    return std::llround(std::clamp(s.training.tokens / std::max(1.0, batch_tokens(s)), 1.0, kMostSteps));
}

} // namespace ringside
