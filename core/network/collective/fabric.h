// Fabrics as they have been measured: which part of a link's nominal rate a library reaches, how long it
// takes to start, and how large a message must be. Few constants, each with its source, none fitted to single
// rows.
#pragma once

#include "core/network/collective/cost.h"

namespace ringside
{

// One kind of link. Rates are one-way per GPU.
struct Fabric
{
    std::string_view id;     // "nvlink4"
    std::string_view name;   // "NVLink 4 (H100, H200)"
    double gb_per_s = 0;     // [GB/s] nominal
    double ring_share = 0;   // of it that a ring reaches with large messages
    double switch_share = 0; // of it that reduction in the switch reaches; 0: its switches do not add
    double base_us = 0;      // [us] before the first byte
    double hop_us = 0;       // [us] for every step of a ring
    double switch_us = 0;    // [us] for a pass through an adding switch
    std::string_view source;
};

std::span<const Fabric> fabrics();
// Null where there is none of this id.
const Fabric* find_fabric(std::string_view id);

// Half-way sizes: short messages do not fill the link. The share of the rate grows with the message S as
// 1 / (1 + (S0 / S)^0.69), S0 = 6.6 MB; both from one curve of 20 sizes on 8 H200s.
inline constexpr double kHalfMessage = 6.6e6; // [B]
inline constexpr double kFilling = 0.69;

// A collective on `ranks` GPUs, `per_node` of them joined by `inside`, the rest by `between` (null: all in
// one node), by estimate_on_rails: each GPU has a network link of its own, as NCCL's rings use them. The
// latency holds what the library takes to start.
CollectiveCost measured_cost(CollectiveKind kind, const CollectiveAlgorithm& algorithm, std::int64_t ranks,
                             Bytes message, const Fabric& inside, const Fabric* between = nullptr,
                             std::int64_t per_node = 8);

} // namespace ringside
