#include "core/network/collective/fabric.h"

#include "core/base/text/find_by.h"
#include "core/network/collective/rails.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// Latencies: ncclTunerConstantsDefaults in NCCL's src/graph/tuning.cc, protocol Simple. Ring shares of
// NVLink: NCCL's rate per link times links (20, 20, 20.6 and 40.1 GB/s) over the nominal rate. Switch shares:
// 0.72 of NCCL's own nvlsEfficiency (0.85, 0.74), the 0.72 from 8 H200s. The rest: NVIDIA GTC 2024, S62129,
// and measured bus bandwidth.
constexpr std::array kFabrics{
    Fabric{"nvlink2", "NVLink 2 (V100)", 150, 120.0 / 150, 0, 8.4, 3.4, 0,
           "NCCL tuning.cc, 6 links of 20 GB/s"},
    Fabric{"nvlink3", "NVLink 3 (A100)", 300, 240.0 / 300, 0, 8.4, 3.4, 0,
           "NCCL tuning.cc, 12 links of 20 GB/s"},
    Fabric{"nvlink4", "NVLink 4 (H100, H200)", 450, 370.8 / 450, 0.72 * 0.85, 8.4, 3.4, 25,
           "NCCL tuning.cc, 18 links of 20.6 GB/s; NVLS efficiency 0.85"},
    Fabric{"nvlink5", "NVLink 5 (B200, GB200)", 900, 721.8 / 900, 0.72 * 0.74, 8.4, 3.4, 25,
           "NCCL tuning.cc, 18 links of 40.1 GB/s; NVLS efficiency 0.74"},
    Fabric{"xgmi", "Infinity Fabric (MI300X)", 448, 0.72, 0, 8.4, 3.4, 0,
           "7 links of 64 GB/s; measured by S. Bekman, ML Engineering"},
    Fabric{"pcie4", "PCIe 4 x16", 31.5, 24.0 / 31.5, 0, 8.4, 5.7, 0, "NVIDIA GTC 2024, S62129"},
    Fabric{"pcie5", "PCIe 5 x16", 63, 48.0 / 63, 0, 8.4, 5.7, 0, "NVIDIA GTC 2024, S62129"},
    Fabric{"ethernet-100", "100 Gb/s Ethernet, TCP", 12.5, 10.0 / 12.5, 0, 8.4, 14, 0,
           "NVIDIA GTC 2024, S62129"},
    Fabric{"rdma-200", "200 Gb/s InfiniBand or RoCE", 25, 0.96, 0, 8.4, 14, 0, "NVIDIA GTC 2024, S62129"},
    Fabric{"rdma-400", "400 Gb/s InfiniBand or RoCE", 50, 0.96, 0.6, 8.4, 14, 18, "NVIDIA GTC 2024, S62129"},
    Fabric{"rdma-800", "800 Gb/s InfiniBand or RoCE", 100, 0.96, 0.6, 8.4, 14, 18,
           "as 400 Gb/s; no measurement at hand"},
};

double filled(Bytes message)
{
    return message.value > 0 ? 1 + std::pow(kHalfMessage / message.value, kFilling) : 1;
}

Seconds micro(double us)
{
    return Seconds(us * 1e-6);
}

// The latency of one pass through the switch.
double switch_us(const Fabric& f)
{
    return f.switch_us > 0 ? f.switch_us : 2 * f.hop_us;
}

// The time is that of S in and out at the switch's share of the rate; S / N beside it is in the share.
Seconds through_switch(const Fabric& f, Bytes message)
{
    const double share = f.switch_share > 0 ? f.switch_share : f.ring_share / 2;
    return message / BytesPerSecond(f.gb_per_s * share * 1e9);
}

} // namespace

std::span<const Fabric> fabrics()
{
    return kFabrics;
}

const Fabric* find_fabric(std::string_view id)
{
    return find_by(kFabrics, id, &Fabric::id);
}

CollectiveCost measured_cost(CollectiveKind kind, const CollectiveAlgorithm& algorithm, std::int64_t ranks,
                             Bytes message, const Fabric& inside, const Fabric* between,
                             std::int64_t per_node)
{
    if (ranks <= 1)
    {
        return {};
    }
    const bool leaves = between != nullptr && ranks > per_node;
    const auto link = [](const Fabric& f) {
        return Link{micro(f.hop_us), BytesPerSecond(f.gb_per_s * f.ring_share * 1e9)};
    };
    const Links links{link(inside), link(leaves ? *between : inside), leaves ? per_node : ranks};
    CollectiveCost cost = estimate_on_rails(kind, algorithm, ranks, message, links);
    if (algorithm.id == "in-switch")
    {
        cost.latency = micro(switch_us(inside));
        cost.transfer = through_switch(inside, message);
        if (leaves)
        {
            cost.latency += micro(switch_us(*between));
            cost.transfer = std::max(cost.transfer, through_switch(*between, message / real(per_node)));
        }
    }
    cost.latency += micro(inside.base_us);
    cost.transfer = cost.transfer * filled(message);
    return cost;
}

} // namespace ringside
