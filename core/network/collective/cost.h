// What a collective costs: the alpha-beta model on its steps, closed forms for any number of ranks, and what
// hardware has been seen to reach.
#pragma once

#include "core/base/units.h"
#include "core/network/collective/collective.h"

#include <optional>

namespace ringside
{

struct Link
{
    Seconds latency;          // alpha, per step
    BytesPerSecond bandwidth; // one-way, per rank
};

// Links inside a node and between nodes. With everything in one node only `inside` counts.
struct Links
{
    Link inside;
    Link between;
    std::int64_t per_node = 8; // ranks of one node
};

struct CollectiveCost
{
    std::int64_t steps = 0;
    Bytes sent_per_rank; // by the rank that sends most
    Seconds latency;     // what would be left of an empty message
    Seconds transfer;    // what would be left of free steps

    Seconds total() const { return latency + transfer; }
};

// The steps one after the other: each as long as its busiest port, in or out, inside or between nodes.
// Through a switch everything streams, so there the busiest port of the whole counts, and a pass takes half a
// step each way.
CollectiveCost cost_of(const Collective& collective, Bytes message, const Links& links);

// The cost without making the steps: exact where tests say so, else what the algorithm tends to (the double
// tree's pipeline filled, powers of two). For one kind of link: `between` where the ranks reach beyond a
// node.
CollectiveCost estimate(CollectiveKind kind, const CollectiveAlgorithm& algorithm, std::int64_t ranks,
                        Bytes message, const Links& links);

// nccl-tests' bus bandwidth is message x factor / time, which one link's rate bounds whatever the number of
// ranks (doc/PERFORMANCE.md): 2(n-1)/n for all-reduce, (n-1)/n for reduce-scatter, all-gather and all-to-all,
// else 1.
double bus_factor(CollectiveKind kind, std::int64_t ranks);
BytesPerSecond bus_bandwidth(CollectiveKind kind, std::int64_t ranks, Bytes message, Seconds time);

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

// The gradients' all-reduce of a scenario.
struct CollectiveReport
{
    std::int64_t ranks = 1;       // of the real group: gradients are reduced over dense_replicas
    std::int64_t drawn_ranks = 1; // 1 to 16
    Bytes message;
    Link link;
    bool crosses_nodes = false; // the group reaches beyond one node, so the network is the link
    Collective steps;           // of the drawn ring
    RingCost cost;              // of the real group
};

} // namespace ringside
