#include "core/model/host.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Share of the host's memory bandwidth that the optimizer is taken to reach. CPU-Adam updates 10 billion
// parameters in 2.57 s on two Xeon 8168 of 128 GB/s each (Ren et al., arXiv 2101.06840, Table 4): at 28 bytes
// touched a parameter that is 109 of 256 GB/s.
constexpr double kHostEfficiency = 0.43;

} // namespace

double host_optimizer_rate(const Cluster& cluster)
{
    const auto sharing =
        static_cast<double>(std::max<std::int64_t>(1, std::min(cluster.gpus, cluster.gpus_per_node)));
    return cluster.host_gb_per_s * 1e9 * kHostEfficiency / sharing;
}

} // namespace ringside
