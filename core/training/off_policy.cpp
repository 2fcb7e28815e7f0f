#include "core/training/off_policy.h"

#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

// That a normal variable is below x.
double normal_below(double x)
{
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}

} // namespace

double log_weight_variance(WeightLevel level, double token_variance, double tokens)
{
    switch (level)
    {
    case WeightLevel::mean:
        return token_variance / tokens;
    case WeightLevel::response:
        return token_variance * tokens;
    case WeightLevel::token:
        break;
    }
    return token_variance;
}

double effective_share(double variance)
{
    return std::exp(-variance);
}

double capped_share(double variance, double cap)
{
    if (variance <= 0)
    {
        return cap < 1 ? 1 : 0;
    }
    return 1 - normal_below((std::log(cap) + variance / 2) / std::sqrt(variance));
}

double capped_mean(double variance, double cap)
{
    if (variance <= 0)
    {
        return cap < 1 ? cap : 1;
    }
    // Weighted by itself, a lognormal weight has its mean logarithm moved up by the variance.
    return normal_below((std::log(cap) - variance / 2) / std::sqrt(variance)) +
           cap * capped_share(variance, cap);
}

} // namespace ringside
