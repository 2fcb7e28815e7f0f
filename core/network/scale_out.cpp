#include "core/network/scale_out.h"

namespace ringside
{

FabricSize fabric_size(FabricKind kind, std::int64_t k, std::int64_t planes)
{
    if (kind == FabricKind::three_tier)
    {
        return {k * k * k / 4, 5 * k * k / 4, k * k * k / 2, 5};
    }
    const std::int64_t copies = kind == FabricKind::planes ? planes : 1;
    return {copies * k * k / 2, copies * 3 * k / 2, copies * k * k / 2, 3};
}

FabricWay fabric_way(const FabricPlace& from, const FabricPlace& to, bool forwarding)
{
    FabricWay way;
    way.network = from.node != to.node;
    const bool same = from.slot == to.slot;
    way.nvlink = way.network ? forwarding && !same : !same;
    way.spine = way.network && !same && !forwarding;
    way.rail = way.nvlink && way.network ? to.slot : from.slot;
    return way;
}

} // namespace ringside
