#include "core/engine/scaling_law.h"

#include <cmath>

namespace ringside
{

ComputeOptimum chinchilla_optimum(double flops)
{
    const double n = flops > 0 ? std::sqrt(flops / (6 * kTokensPerParameter)) : 0;
    return {n, kTokensPerParameter * n};
}

double chinchilla_loss(double parameters, double tokens)
{
    return 1.69 + 406.4 / std::pow(parameters, 0.34) + 410.7 / std::pow(tokens, 0.28);
}

} // namespace ringside
