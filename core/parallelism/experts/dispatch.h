// How copies of a token reach its experts: over the network to other nodes, then over NVLink inside each.
// Averages of balanced routing, and the packets of one token for a picture; how evenly tokens fall is
// router.h's.
//
// Experts lie evenly on the nodes and a token's are chosen independently. Dispatch is in FP8 with an FP32
// scale for 128 values, in 16 bits, or in NVFP4 with an 8-bit scale for 16; combine always in 16 bits
// (DeepSeek-V3, arXiv 2412.19437, section 3.3.3; SGLang, lmsys.org, 2025-09-25). Both links run at the same
// time, so the slower one counts (section 3.2.2).
#pragma once

#include "core/base/names.h"
#include "core/parallelism/experts/plan.h"

#include <vector>

namespace ringside
{

enum class DispatchWay : std::uint8_t
{
    experts, // a copy for each of the token's experts
    nodes,   // one for each node that has any; the node passes it on
    limited  // the same, and experts are chosen on M nodes at most
};
template <>
inline constexpr auto kNamesOf<DispatchWay> = names<DispatchWay>("one copy per expert", "one copy per node",
                                                                 "node-limited");

struct DispatchSetup
{
    std::int64_t nodes = 8;    // N, over which a layer's experts lie
    std::int64_t per_node = 8; // GPUs
    std::int64_t experts = 256;
    std::int64_t chosen = 8; // k
    std::int64_t limit = 4;  // M, nodes of a token's experts
    bool eight_bit = true;   // dispatch
    bool four_bit = false;   // dispatch in NVFP4
    double hidden = 7168;
    double tokens = 4096;         // of one GPU
    double node_gb_per_s = 450;   // [GB/s] one-way, of a GPU inside its node
    double network_gb_per_s = 50; // [GB/s] the same to other nodes

    bool operator==(const DispatchSetup&) const = default;
};

// A scenario's; with experts in one node, as if they lay on 8.
DispatchSetup dispatch_setup(const ExpertPlan& plan);

// Copies of a token that cross the network: k (N-1)/N, one for each expert; (N-1)(1 - (1-1/N)^k), one for
// each other node; M (N-1)/N with at most M nodes, were all of them used, and no more than without the limit.
// DeepSeek-V3: 7.0, 4.6 and 3.5.
double network_copies(const DispatchSetup& setup, DispatchWay way);

struct DispatchCost
{
    double copies = 0; // of a token, over the network
    Bytes network;     // a GPU sends in dispatch and combine of a layer
    Bytes inside;      // the same over NVLink, to experts on other GPUs of a node
    Seconds network_time;
    Seconds inside_time;

    Seconds time() const { return network_time > inside_time ? network_time : inside_time; }
};
// NVFP4: 4 bits and an E4M3 scale for 16 values. [B]
inline constexpr double kNvfp4Bytes = 0.5 + 1.0 / 16;
// One copy, there and back: h (1 + 4/128), 2 h or h (1/2 + 1/16), and 2 h. [B]
double copy_bytes(const DispatchSetup& setup);
DispatchCost dispatch_cost(const DispatchSetup& setup, DispatchWay way);

// What leaves the token's GPU together, and the GPUs of that node it is for. Node 0 is the token's own.
struct TokenPacket
{
    std::int64_t node = 0;
    std::vector<std::int64_t> gpus; // of the node, ascending
};
// Experts by random affinities that follow from `token`; with a limit on the M nodes whose k/M best experts
// add up to most (DeepSeek-V3, section 2.1.2). Packets of the own node come first.
std::vector<TokenPacket> token_packets(const DispatchSetup& setup, DispatchWay way, std::uint64_t token);

} // namespace ringside
