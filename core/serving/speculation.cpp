#include "core/serving/speculation.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

double expected_tokens(double acceptance, std::int64_t drafted)
{
    const double a = std::isfinite(acceptance) ? std::clamp(acceptance, 0.0, 1.0) : 0;
    const std::int64_t g = std::clamp<std::int64_t>(drafted, 0, kMostDrafted);
    // 1 + a + a^2 + ... + a^g, which has no 0 / 0 at a = 1.
    double sum = 1;
    double power = 1;
    for (std::int64_t i = 0; i < g; ++i)
    {
        power *= a;
        sum += power;
    }
    return sum;
}

double speculative_speedup(double acceptance, std::int64_t drafted, double cost)
{
    const double c = std::isfinite(cost) ? std::max(0.0, cost) : 1;
    const std::int64_t g = std::clamp<std::int64_t>(drafted, 0, kMostDrafted);
    return expected_tokens(acceptance, g) / (static_cast<double>(g) * c + 1);
}

std::int64_t best_drafted(double acceptance, double cost)
{
    std::int64_t best = 0;
    for (std::int64_t g = 1; g <= kMostDrafted; ++g)
    {
        if (speculative_speedup(acceptance, g, cost) >
            speculative_speedup(acceptance, best, cost) * (1 + 1e-12))
        {
            best = g;
        }
    }
    return best;
}

} // namespace ringside
