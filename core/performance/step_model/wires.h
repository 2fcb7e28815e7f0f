// Collectives among GPUs at equal distances, in closed form and the way NCCL runs them: a ring that leaves
// the node uses the network links of all its members there at once. Nothing about congestion by others. The
// step-by-step algorithms are in core/network/collective.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

struct Wires
{
    explicit Wires(const Cluster& cluster, const Software& software = {});

    double inside = 1;   // [B/s] one-way that a GPU reaches inside a node
    double between = 1;  // [B/s] one-way that a GPU reaches between nodes
    double start = 0;    // [s] of a collective before the first byte
    double hop = 0;      // [s] of a ring's step inside a node
    double far_hop = 0;  // [s] of a step between nodes
    double per_node = 8; // GPUs of a node
    double slowdown = 0; // of traffic hidden beside compute, what that loses

    // `ranks` GPUs, each `stride` after the last, and `passes` times round: each GPU hands on
    // passes (ranks - 1) / ranks `bytes`. All-reduce passes twice, all-gather and reduce-scatter once.
    double ring(double ranks, double stride, double bytes, double passes) const;
    // To the GPU `distance` further.
    double send(double distance, double bytes) const;
    // Every GPU sends `bytes`, the same share to each of the `ranks`, itself among them.
    double all_to_all(double ranks, double stride, double bytes, double crossing = 1) const;
};

// [s] What is left of traffic of `time` beside compute of `hide`, which loses `slowdown` of what is hidden.
double exposed_seconds(double time, double hide, double slowdown);

} // namespace ringside
