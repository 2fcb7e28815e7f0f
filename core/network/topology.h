// Which group talks over which link, and what every kind of link carries in a step. Bytes are those of
// traffic.h, shared out over the links; nothing about congestion, latency or overlap.
//
// Bytes inside and between domains add up to traffic.h's exactly.
#pragma once

#include "core/memory/memory.h"
#include "core/network/rank_grid.h"

namespace ringside
{

// Bytes by where they go. Rail: to another domain, to the same slot, so through one leaf switch. Spine: to
// another domain and another slot.
struct LinkBytes
{
    Bytes inside;
    Bytes rail;
    Bytes spine;

    Bytes between() const { return rail + spine; }
    Bytes total() const { return inside + rail + spine; }
    LinkBytes& operator+=(const LinkBytes& other);
};

struct AxisLoad
{
    Axis axis = Axis::tensor;
    std::int64_t size = 1;
    LinkBytes per_gpu;   // of the group that sends most to other domains; of the pipeline, its busiest GPU
    LinkBytes cluster;   // all GPUs together
    Seconds inside;      // of per_gpu, at the full rate
    Seconds between;     // of per_gpu, at the full rate of one NIC a GPU
    Seconds one_nic;     // the whole ring through its slowest hop, were there no other NIC to share with
    bool leaves = false; // some group has members in two domains

    // Both kinds of link run side by side.
    Seconds time() const { return inside > between ? inside : between; }
};

enum class LinkClass : std::uint8_t
{
    inside,
    network
};

struct Topology
{
    AxisOrder order = kMegatronOrder;
    std::array<AxisLoad, kAxes> axes; // by Axis
    LinkBytes per_gpu;                // the sum of theirs
    LinkBytes cluster;
    Seconds inside;
    Seconds between;
    Seconds total; // every axis at its slower link, one after the other
    LinkClass hottest = LinkClass::inside;
    Axis hottest_axis = Axis::tensor; // that keeps the hottest link busy longest

    const AxisLoad& of(Axis axis) const { return axes[static_cast<std::size_t>(axis)]; }
};

Topology topology(const Scenario& scenario, const MemoryReport& memory, const AxisOrder& order);

struct OrderCost
{
    AxisOrder order = kMegatronOrder;
    Seconds total;
};
// The cheapest of all orders: the present one where none is cheaper, then Megatron-LM's.
OrderCost best_order(const Scenario& scenario, const MemoryReport& memory, const AxisOrder& present);

} // namespace ringside
