// Networks of switches between nodes: how many GPUs a fabric of one kind of switch joins, and the way between
// two GPUs where the same slot of every node has a leaf switch of its own (a rail). Nothing about congestion.
//
// Fat trees are non-blocking, of switches with k ports of the NIC's rate (Al-Fares et al., SIGCOMM 2008,
// section 3). Planes are separate two-tier networks; a GPU's NIC is in one of them, so a node with p GPUs
// reaches p planes (Zhao et al., Insights into DeepSeek-V3, arXiv 2505.09343, section 5.1).
#pragma once

#include "core/base/names.h"

#include <cstdint>

namespace ringside
{

enum class FabricKind : std::uint8_t
{
    two_tier,
    planes, // of two tiers each
    three_tier
};
template <>
inline constexpr auto kNamesOf<FabricKind> = names<FabricKind>("two-tier fat tree", "multi-plane, two tiers",
                                                               "three-tier fat tree");

struct FabricSize
{
    std::int64_t gpus = 0;
    std::int64_t switches = 0;
    std::int64_t links = 0; // between switches
    std::int64_t hops = 0;  // switches on the longest way
};
// Ports of a switch, where nothing else is said: a 25.6 Tbit/s chip has as many of 400 Gbit/s.
inline constexpr std::int64_t kSwitchPorts = 64;
// Largest of its kind; `ports` even.
FabricSize fabric_size(FabricKind kind, std::int64_t ports, std::int64_t planes);

struct FabricPlace
{
    std::int64_t node = 0;
    std::int64_t slot = 0; // of its node, and its rail

    bool operator==(const FabricPlace&) const = default;
};

// A way between two GPUs, leaf by leaf. With `forwarding` a message for another rail goes over NVLink to the
// GPU of that rail in its own node first, and never to the spine (PXN of NCCL 2.12).
struct FabricWay
{
    bool nvlink = false;   // at its start
    bool network = false;  // leaves the node
    bool spine = false;    // up from the leaf and down to another
    std::int64_t rail = 0; // of the leaf it leaves the node by

    std::int64_t switches() const { return network ? (spine ? 3 : 1) : 0; }
};
FabricWay fabric_way(const FabricPlace& from, const FabricPlace& to, bool forwarding);

} // namespace ringside
