// Where a building block puts the passes of a rank, whether they collide there, and how many micro-batches
// are then under way: all from the offsets, before any order is made.
#include "core/pipeline/zero_bubble/building_block.h"

#include <algorithm>

namespace ringside::zero_bubble
{

namespace
{

std::int32_t floor_divide(std::int32_t a, std::int32_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

} // namespace

std::array<std::int32_t, kWeight> BuildingBlock::offsets(std::int32_t ranks, std::int32_t r) const
{
    const std::int32_t last = ranks - 1;
    const std::int32_t forward_up = step[0] * last + 1; // when the last rank starts F of chunk 1
    const std::int32_t input_down = forward_up + step[1] * last + 1 + turn;
    const std::int32_t input_up = input_down + step[2] * last + 1;
    return {step[0] * r, forward_up + step[1] * (last - r), input_up + step[3] * (last - r),
            input_down + step[2] * r};
}

std::int32_t BuildingBlock::collisions(std::int32_t ranks) const
{
    std::int32_t count = 0;
    for (std::int32_t r = 0; r < ranks; ++r)
    {
        auto offset = offsets(ranks, r);
        for (std::int32_t& t : offset)
        {
            t %= period;
        }
        std::sort(offset.begin(), offset.end());
        count += std::adjacent_find(offset.begin(), offset.end()) != offset.end() ? 1 : 0;
    }
    return count;
}

// Micro-batches of a chunk between their F and I in the middle of a step: most when one of the forwards
// starts.
std::int32_t BuildingBlock::active(std::int32_t ranks, std::int32_t r) const
{
    const auto offset = offsets(ranks, r);
    std::int32_t most = 0;
    for (const Kind forward : {kForward, kForward + 1})
    {
        const std::int32_t t = offset[index(forward)];
        std::int32_t count = 0;
        for (std::int32_t chunk = 0; chunk < 2; ++chunk)
        {
            count += floor_divide(t - offset[index(kForward + chunk)], period);
            count -= floor_divide(t - offset[index(kInput + chunk)], period);
        }
        most = std::max(most, count);
    }
    return most;
}

// The ends and the middle are the extremes: offsets are linear in the rank.
bool BuildingBlock::fits(const Problem& problem) const
{
    const std::array<std::int32_t, 3> ranks = {0, problem.ranks / 2, problem.ranks - 1};
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](std::int32_t r) { return active(problem.ranks, r) <= problem.capacity; });
}

std::vector<Step> BuildingBlock::rank_skeleton(const Problem& problem, std::int32_t r) const
{
    constexpr std::array<Kind, 4> kGradientsFirst = {kInput + 1, kInput, kForward + 1, kForward};
    const std::int32_t all = problem.micro_batches;
    std::vector<Step> steps;
    steps.reserve(index((weights ? 6 : 4) * all));
    auto next = offsets(problem.ranks, r); // [kind] when
    std::array<std::int32_t, kWeight> done{};
    std::int32_t pending = 0;
    std::int32_t placed = 0;
    for (std::int32_t t = 0; placed < 4 * all; ++t)
    {
        bool taken = false;
        for (const Kind kind : kGradientsFirst)
        {
            const std::size_t k = index(kind);
            if (next[k] == t && done[k] < all)
            {
                steps.push_back(make_step(kind, done[k]++));
                next[k] += period;
                ++placed;
                taken = true;
                pending += kind >= kInput ? 1 : 0;
            }
        }
        if (weights && !taken && pending > 0 && done[kForward + 1] < all)
        {
            steps.push_back(make_step(kWeight, 0));
            --pending;
        }
    }
    return steps;
}

Steps BuildingBlock::skeleton(const Problem& problem) const
{
    Steps skeleton;
    for (std::int32_t r = 0; r < problem.ranks; ++r)
    {
        skeleton.push_back(rank_skeleton(problem, r));
    }
    return skeleton;
}

} // namespace ringside::zero_bubble
