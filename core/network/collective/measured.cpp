#include "core/network/collective/measured.h"

#include "core/network/collective/rails.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ringside
{

namespace
{

constexpr std::array kSystems{
    MeasuredSystem{"8 A100", 8, "nvlink3", "", 8},
    MeasuredSystem{"8 H200", 8, "nvlink4", "", 8},
    MeasuredSystem{"8 B200", 8, "nvlink5", "", 8},
    MeasuredSystem{"NVL72", 72, "nvlink5", "", 72},
    MeasuredSystem{"4 nodes of 8 H200", 32, "nvlink4", "rdma-400", 8},
    MeasuredSystem{"8 MI300X", 8, "xgmi", "", 8},
};

constexpr double kGiB = 1073741824;

const Fabric* between_of(const MeasuredSystem& s)
{
    return s.between.empty() ? nullptr : find_fabric(s.between);
}

} // namespace

std::span<const MeasuredSystem> measured_systems()
{
    return kSystems;
}

Seconds MeasuredSystem::time(CollectiveKind kind, const CollectiveAlgorithm& algorithm, Bytes message) const
{
    return measured_cost(kind, algorithm, ranks, message, *find_fabric(inside), between_of(*this), per_node)
        .total();
}

Seconds MeasuredSystem::nominal(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                                Bytes message) const
{
    const auto link = [](const Fabric& f) {
        return Link{Seconds(f.hop_us * 1e-6), BytesPerSecond(f.gb_per_s * 1e9)};
    };
    const Fabric* out = between_of(*this);
    const Links links{link(*find_fabric(inside)), link(out != nullptr ? *out : *find_fabric(inside)),
                      per_node};
    return estimate_on_rails(kind, algorithm, ranks, message, links).total();
}

bool MeasuredSystem::adds_in_switch() const
{
    return between.empty() && find_fabric(inside)->switch_share > 0;
}

std::vector<MeasuredBus> measured_buses()
{
    constexpr auto kAll = CollectiveKind::all_reduce;
    const CollectiveAlgorithm* ring = find_algorithm("ring");
    const CollectiveAlgorithm* adding = find_algorithm("in-switch");
    const auto [a100, h200, b200, nvl72, nodes, mi300x] =
        std::tuple(&kSystems[0], &kSystems[1], &kSystems[2], &kSystems[3], &kSystems[4], &kSystems[5]);
    std::vector<MeasuredBus> rows{
        {a100, kAll, ring, 16 * kGiB, 234.89},
        {h200, kAll, ring, 16 * kGiB, 367.61},
        {h200, CollectiveKind::all_gather, ring, 16 * kGiB, 361.4},
        {h200, CollectiveKind::reduce_scatter, ring, 16 * kGiB, 362.9},
        {b200, kAll, ring, 8 * kGiB, 682.2},
        {b200, kAll, adding, 8 * kGiB, 838},
        {nvl72, kAll, ring, 16 * kGiB, 680},
        {nvl72, kAll, adding, 16 * kGiB, 850},
        {nodes, kAll, ring, 4 * kGiB, 364.87},
        {mi300x, kAll, ring, 4 * kGiB, 312.91},
    };
    double bytes = 32768;
    for (const double rate : {1.44,   2.93,   5.73,   11.74,  23.94,  39.93,  64.53,  107.16, 155.53, 219.89,
                              275.84, 346.51, 401.93, 436.15, 450.29, 463.58, 469.17, 473.1,  477.45, 482.26})
    {
        rows.push_back({h200, kAll, adding, bytes, rate});
        bytes *= 2;
    }
    return rows;
}

} // namespace ringside
