#include "core/reliability/reliability.h"

#include <array>
#include <cmath>

namespace ringside
{

Seconds young_interval(Seconds save, Seconds mean_between_failures)
{
    const double d = save.value;
    const double m = mean_between_failures.value;
    return Seconds(d > 0 && m > 0 ? std::sqrt(2 * d * m) : 0.0);
}

Seconds daly_interval(Seconds save, Seconds mean_between_failures)
{
    const double d = save.value;
    const double m = mean_between_failures.value;
    if (!(d > 0) || !(m > 0))
    {
        return {};
    }
    const double half = d / (2 * m);
    return Seconds(half < 1 ? std::sqrt(2 * d * m) * (1 + std::sqrt(half) / 3 + half / 9) - d : m);
}

double replicas_hit(double replicas, double failed)
{
    if (!(replicas > 0) || !(failed > 0))
    {
        return 0;
    }
    return replicas > 1 ? -replicas * std::expm1(failed * std::log1p(-1 / replicas)) : 1;
}

namespace
{

constexpr std::array kFleets{
    FleetRecord{"llama-3-405b", "Llama 3 405B", 16384, 54, 466,
                "466 interruptions in 54 days on 16,384 H100, 419 of them unexpected",
                "Llama Team 2024, arXiv 2407.21783, section 3.3.4, Table 5"},
    FleetRecord{"rsc-1", "Meta RSC-1", 8, 1000, 6.5, "6.50 failures in 1,000 node-days, 8 A100 a node",
                "Kokolis et al. 2024, arXiv 2410.21680, section III"},
    FleetRecord{"rsc-2", "Meta RSC-2", 8, 1000, 2.34, "2.34 failures in 1,000 node-days, 8 A100 a node",
                "Kokolis et al. 2024, arXiv 2410.21680, section III"},
    FleetRecord{"opt-175b", "OPT-175B", 992, 60, 105,
                "at least 35 manual and some 70 automatic restarts in two months on 992 A100",
                "Zhang et al. 2022, arXiv 2205.01068, section 2.5"},
    FleetRecord{"bloom", "BLOOM 176B", 384, 7, 1.5, "1 to 2 GPU failures a week on 384 A100, 1.5 taken",
                "Le Scao et al. 2022, arXiv 2211.05100, section 3.4"},
    FleetRecord{"megascale", "MegaScale", 12288, 28, 100,
                "over 100 recoveries in several weeks on more than 10,000 GPUs; 12,288 and 4 weeks taken",
                "Jiang et al. 2024, arXiv 2402.15627, section 6.2"}};

} // namespace

std::span<const FleetRecord> fleet_records()
{
    return kFleets;
}

} // namespace ringside
