#include "core/scaling/kaplan.h"

#include <cmath>

namespace ringside
{

double kaplan_loss_of_parameters(double parameters)
{
    return std::pow(8.8e13 / parameters, 0.076);
}

double kaplan_loss_of_tokens(double tokens)
{
    return std::pow(5.4e13 / tokens, 0.095);
}

double kaplan_loss_of_compute(double flops)
{
    return std::pow(3.1e8 * kPetaflopDay / flops, 0.050);
}

double kaplan_loss(double parameters, double tokens)
{
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

double kaplan_tokens_for(double parameters)
{
    return parameters > 0 ? 2e10 * std::pow(parameters / 1.3e9, 0.27 / 0.73) : 0;
}

} // namespace ringside
