#include "core/scaling/kaplan.h"

#include <cassert>
#include <cmath>

namespace ringside
{

double kaplan_loss(double parameters, double tokens)
{
    assert(parameters > 0 && tokens > 0);
    const double alpha_n = 0.076;
    const double alpha_d = 0.103;
    return std::pow(std::pow(6.4e13 / parameters, alpha_n / alpha_d) + 1.8e13 / tokens, alpha_d);
}

ComputeOptimum kaplan_optimum(double flops)
{
    if (!(flops > 0))
    {
        return {};
    }
    const double days = flops / kPetaflopDay;
    return {1.3e9 * std::pow(days, 0.73), 2e10 * std::pow(days, 0.27)};
}

} // namespace ringside
