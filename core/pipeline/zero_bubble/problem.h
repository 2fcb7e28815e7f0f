// What a zero-bubble order is made for: ranks, micro-batches, memory and times, and the notation of the files
// beside this one. A skeleton is a rank's forwards and input gradients in order; a plan has its weight
// gradients as well.
#pragma once

#include "core/pipeline/zero_bubble.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ringside::zero_bubble
{

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-9; // times closer than this share of themselves are one: sums of doubles round
constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max(); // no limit to a count

// One kind of pass through one chunk of a rank: 2 * pass + chunk, so kForward + 1 is the forward of chunk 1.
using Kind = std::int32_t;
constexpr Kind kForward = 0;
constexpr Kind kInput = 2;
constexpr Kind kWeight = 4;
constexpr Kind kKinds = 6;

// A kind and a micro-batch in one number, because plans are copied often.
using Step = std::int32_t;
using Steps = std::vector<std::vector<Step>>; // [rank]

constexpr Step make_step(Kind kind, std::int32_t micro_batch)
{
    return 8 * micro_batch + kind;
}
constexpr Kind kind_of(Step step)
{
    return step & 7;
}
constexpr std::int32_t micro_batch_of(Step step)
{
    return step >> 3;
}
constexpr std::int32_t chunk_of(Kind kind)
{
    return kind & 1;
}
constexpr std::size_t index(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

struct Problem
{
    std::int32_t ranks = 1;
    std::int32_t chunks = 1; // 2: placed as a V
    std::int32_t micro_batches = 1;
    std::int32_t capacity = 1; // micro-batches of one chunk that a rank may keep
    double transfer = 0;
    std::vector<std::array<double, kKinds>> cost; // [rank][kind]
    double busiest = 0;                           // longest time a rank computes: no span is shorter
    double first_pass = 0;                        // until the first forward has reached the last rank

    double cost_of(std::int32_t rank, Kind kind) const { return cost[index(rank)][index(kind)]; }
    bool has(Kind kind) const { return chunk_of(kind) < chunks; }
    double work(std::int32_t rank) const; // time a rank computes
    double mean_weight() const;           // time of a W
    std::int64_t operations() const { return std::int64_t{3} * ranks * chunks * micro_batches; }
};

Problem make_problem(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal);
Problem with_micro_batches(Problem problem, std::int32_t micro_batches);

} // namespace ringside::zero_bubble
