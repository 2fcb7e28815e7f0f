// Rings: every rank speaks to its right neighbour only.
#include "core/network/collective/families.h"

#include <array>

namespace ringside
{

namespace
{

// N - 1 steps in which rank r sends chunk r + offset - j: added up (reduce-scatter) or passed on
// (all-gather).
void pass_round(Collective& c, Phase phase, std::int64_t offset)
{
    const std::int64_t n = c.ranks;
    for (std::int64_t j = 0; j < n - 1; ++j)
    {
        Step step{phase, {}};
        for (std::int64_t r = 0; r < n; ++r)
        {
            step.transfers.push_back(
                send(r, wrap(r + 1, n), wrap(r + offset - j, n), phase == Phase::reduce_scatter));
        }
        c.steps.push_back(std::move(step));
    }
}

// A message in N chunks down the chain from the root, one chunk behind the other; back up it for a reduce.
void pass_chain(Collective& c, bool reduce)
{
    const std::int64_t n = c.ranks;
    for (std::int64_t j = 0; j < n - 1 + c.chunks - 1; ++j)
    {
        Step step{reduce ? Phase::reduce_scatter : Phase::all_gather, {}};
        for (std::int64_t hop = 0; hop < n - 1; ++hop)
        {
            const std::int64_t chunk = j - hop;
            if (chunk < 0 || chunk >= c.chunks)
            {
                continue;
            }
            // Reduce starts at the far end, rank n - 1, and ends at the root.
            step.transfers.push_back(reduce ? send(n - 1 - hop, n - 2 - hop, chunk, true)
                                            : send(hop, hop + 1, chunk));
        }
        c.steps.push_back(std::move(step));
    }
}

// Every block travels to the right until it is there.
void pass_blocks(Collective& c)
{
    const std::int64_t n = c.ranks;
    for (std::int64_t j = 0; j < n - 1; ++j)
    {
        Step step{Phase::all_gather, {}};
        for (std::int64_t r = 0; r < n; ++r)
        {
            const std::int64_t from = wrap(r - j, n); // whose blocks have come to r by now
            for (std::int64_t distance = j + 1; distance < n; ++distance)
            {
                step.transfers.push_back(send(r, wrap(r + 1, n), from * n + wrap(from + distance, n)));
            }
        }
        c.steps.push_back(std::move(step));
    }
}

Collective make_ring(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, shape.ranks);
    switch (kind)
    {
    case CollectiveKind::all_reduce:
        // In the first round rank r starts with its own chunk; in the second with the one it has just
        // finished.
        pass_round(c, Phase::reduce_scatter, 0);
        pass_round(c, Phase::all_gather, 1);
        break;
    case CollectiveKind::reduce_scatter:
        pass_round(c, Phase::reduce_scatter, -1);
        break;
    case CollectiveKind::all_gather:
        pass_round(c, Phase::all_gather, 0);
        break;
    case CollectiveKind::broadcast:
        pass_chain(c, false);
        break;
    case CollectiveKind::reduce:
        pass_chain(c, true);
        break;
    case CollectiveKind::all_to_all:
        pass_blocks(c);
        break;
    case CollectiveKind::send_recv:
        break;
    }
    return c;
}

constexpr std::array kRingAlgorithms{
    CollectiveAlgorithm{.id = "ring",
                        .name = "Ring",
                        .says = "bandwidth-optimal; latency grows linearly with the number of ranks",
                        .source = "Patarasuk and Yuan 2009, J. Parallel Distrib. Comput. 69",
                        .can = [](CollectiveKind k) { return k != CollectiveKind::send_recv; },
                        .make = make_ring}};

} // namespace

std::span<const CollectiveAlgorithm> ring_algorithms()
{
    return kRingAlgorithms;
}

} // namespace ringside
