// Bus bandwidth of nccl-tests and rccl-tests as people have published it, beside which cost.h and fabric.h
// stand: Bekman, Machine Learning Engineering, network/README.md.
#pragma once

#include "core/network/collective/fabric.h"

#include <vector>

namespace ringside
{

// GPUs on one fabric, or nodes of them on two.
struct MeasuredSystem
{
    std::string_view name; // "8 H200"
    std::int64_t ranks;
    std::string_view inside;
    std::string_view between; // empty: all in one node
    std::int64_t per_node = 8;

    Seconds time(CollectiveKind kind, const CollectiveAlgorithm& algorithm, Bytes message) const;
    // The alpha-beta model at the links' nominal rates.
    Seconds nominal(CollectiveKind kind, const CollectiveAlgorithm& algorithm, Bytes message) const;
    bool adds_in_switch() const;
};
std::span<const MeasuredSystem> measured_systems();

struct MeasuredBus
{
    const MeasuredSystem* system;
    CollectiveKind kind;
    const CollectiveAlgorithm* algorithm;
    double bytes;
    double gb_per_s; // bus bandwidth
};
// One of large messages for each system and algorithm, and all-reduces of 8 H200s from 32 KiB up.
std::vector<MeasuredBus> measured_buses();

} // namespace ringside
