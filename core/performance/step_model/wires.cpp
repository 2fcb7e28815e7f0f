#include "core/performance/step_model/wires.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// How many of `ranks` GPUs, each `stride` after the last, are in one node.
double members_of_node(double per_node, double ranks, double stride)
{
    return std::clamp(std::floor(per_node / stride), 1.0, ranks);
}

} // namespace

Wires::Wires(const Cluster& cluster, const Software& software)
{
    const Calibration c = with_software(cluster.gpu.calibration, software);
    inside = std::max(1.0, node_link(cluster) * 1e9 * c.link_efficiency);
    between = std::max(1.0, cluster.network_gb_per_s * 1e9 * c.network_efficiency);
    start = c.collective_us * 1e-6;
    hop = c.hop_us * 1e-6;
    far_hop = c.network_hop_us * 1e-6;
    slowdown = c.overlap_slowdown;
    per_node = static_cast<double>(std::max<std::int64_t>(1, cluster.gpus_per_node));
}

double Wires::ring(double ranks, double stride, double bytes, double passes) const
{
    if (ranks <= 1)
    {
        return 0;
    }
    const double members = members_of_node(per_node, ranks, stride);
    const double nodes = std::ceil(ranks / members);
    double rate = inside;
    if (nodes > 1)
    {
        rate = members > 1 ? std::min(inside, between * members) : between;
    }
    const double steps = (ranks - nodes) * hop + (nodes > 1 ? nodes * far_hop : 0);
    return start + passes * (steps + (ranks - 1) / ranks * bytes / rate);
}

double Wires::send(double distance, double bytes) const
{
    return distance >= per_node ? far_hop + bytes / between : start + bytes / inside;
}

double Wires::all_to_all(double ranks, double stride, double bytes, double crossing) const
{
    if (ranks <= 1)
    {
        return 0;
    }
    const double members = members_of_node(per_node, ranks, stride);
    // What is sent once per node goes on from there to the members.
    const double inner = crossing < 1 ? (members - 1) / members : (members - 1) / ranks;
    const double near = inner * bytes / inside;
    const double far = (ranks - members) / ranks * bytes * crossing / between;
    return start + (ranks > members ? far_hop : 0) + std::max(near, far);
}

double exposed_seconds(double time, double hide, double slowdown)
{
    const double hidden = std::min(time, hide);
    return time - hidden + slowdown * hidden;
}

} // namespace ringside
