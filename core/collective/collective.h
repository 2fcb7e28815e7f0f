// Collectives as steps anyone can follow: who sends which chunk to whom, and what every rank holds after each
// step. Costs are the alpha-beta model; no threads and no real network here.
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <vector>

namespace ringside
{

// Which ranks' contributions a partial sum contains, one bit per rank; so at most 64 ranks.
using Contributors = std::uint64_t;
inline constexpr std::int64_t kMaxRanks = 64;

enum class Phase : std::uint8_t
{
    reduce_scatter, // received chunks are added
    all_gather      // received chunks replace
};

struct Transfer
{
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int32_t chunk = 0;
};

// Transfers that happen at the same time.
struct Step
{
    Phase phase = Phase::reduce_scatter;
    std::vector<Transfer> transfers;
};

struct Collective
{
    std::int64_t ranks = 0;
    std::int64_t chunks = 0;
    std::vector<Step> steps;
};

// Ring all-reduce (Patarasu and Yuan, J. Parallel Distrib. Comput. 69 (2009), section 3; Gibiansky 2017):
// N-1 steps of reduce-scatter, N-1 of all-gather, every rank passing one of N chunks to its right neighbour
// in each. ranks: 1 to 64.
Collective ring_all_reduce(std::int64_t ranks);

// What every rank holds: [rank][chunk]. At the start each holds its own contribution to every chunk.
using Holdings = std::vector<std::vector<Contributors>>;
// After `steps` whole steps, 0 to collective.steps.size().
Holdings holdings_after(const Collective& collective, std::size_t steps);

// Runs the steps on numbers: values[rank][chunk] in, the same shape out.
std::vector<std::vector<double>> execute(const Collective& collective,
                                         std::vector<std::vector<double>> values);

struct Link
{
    Seconds latency;          // alpha, per step
    BytesPerSecond bandwidth; // one-way, per rank
};

struct RingCost
{
    Bytes sent_per_rank; // 2 (N-1)/N S
    Seconds latency;     // 2 (N-1) alpha
    Seconds transfer;    // 2 (N-1)/N S / B
    Seconds per_step;

    Seconds total() const { return latency + transfer; }
};

// T = 2(N-1) alpha + 2(N-1)/N S/B. With one rank nothing moves.
RingCost ring_all_reduce_cost(std::int64_t ranks, Bytes message, Link link);

} // namespace ringside
