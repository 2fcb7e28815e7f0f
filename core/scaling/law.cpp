#include "core/scaling/law.h"

#include "core/scaling/kaplan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr std::array<LossFit, kFits> kLossFits{
    LossFit{"printed", "Hoffmann, as printed", "Hoffmann et al. 2022, arXiv 2203.15556, equation 10", 1.69,
            406.4, 410.7, 0.34, 0.28},
    LossFit{"unrounded", "Hoffmann, unrounded",
            "Hoffmann et al. 2022 with the exponents of its TeX source, from Besiroglu et al. 2024, arXiv "
            "2404.10102",
            1.69, 406.4, 410.7, 0.3392, 0.2849},
    LossFit{"refit", "Besiroglu 2024", "Besiroglu et al. 2024, arXiv 2404.10102, Table 1", 1.8172, 482.01,
            2085.43, 0.3478, 0.3658}};

// The exponent of the excess loss in the compute, at the optimum.
double compute_exponent(const LossFit& fit)
{
    return fit.alpha * fit.beta / (fit.alpha + fit.beta);
}

// N in C with this exponent through one row of the paper's table; D from 6 N D.
ComputeOptimum through(double parameters, double flops, double exponent, double asked)
{
    const double n = asked > 0 ? parameters * std::pow(asked / flops, exponent) : 0;
    return {n, n > 0 ? asked / (6 * n) : 0};
}

template <FitKind kind>
ComputeOptimum by_fit(double flops)
{
    return optimum(loss_fit(kind), flops);
}

constexpr std::array kRules{
    AllocationRule{"kaplan", "Kaplan 2020", "Kaplan et al. 2020, arXiv 2001.08361, Table 6; no embeddings",
                   0.73, kaplan_optimum},
    AllocationRule{"approach-1", "Approach 1", "Hoffmann et al. 2022, arXiv 2203.15556, Tables 2 and 3", 0.50,
                   [](double c) { return through(67e9, 5.76e23, 0.50, c); }},
    AllocationRule{"approach-2", "Approach 2", "Hoffmann et al. 2022, arXiv 2203.15556, Tables 2 and A3",
                   0.49, [](double c) { return through(67e9, 6.88e23, 0.49, c); }},
    AllocationRule{"printed", "Approach 3, printed", kLossFits[0].source, 0.46, by_fit<FitKind::printed>},
    AllocationRule{"unrounded", "Approach 3, exact", kLossFits[1].source, 0.46, by_fit<FitKind::unrounded>},
    AllocationRule{"refit", "Besiroglu 2024", kLossFits[2].source, 0.51, by_fit<FitKind::refit>}};

} // namespace

ComputeOptimum chinchilla_optimum(double flops)
{
    const double n = flops > 0 ? std::sqrt(flops / (6 * kTokensPerParameter)) : 0;
    return {n, kTokensPerParameter * n};
}

std::span<const LossFit> loss_fits()
{
    return kLossFits;
}

const LossFit& loss_fit(FitKind kind)
{
    return kLossFits.at(static_cast<std::size_t>(kind));
}

double loss(const LossFit& fit, double parameters, double tokens)
{
    if (!(parameters > 0) || !(tokens > 0))
    {
        return std::numeric_limits<double>::infinity();
    }
    return fit.floor + fit.of_parameters(parameters) + fit.of_tokens(tokens);
}

double chinchilla_loss(double parameters, double tokens)
{
    return loss(loss_fit(FitKind::printed), parameters, tokens);
}

ComputeOptimum optimum(const LossFit& fit, double flops)
{
    if (!(flops > 0))
    {
        return {};
    }
    const double sum = fit.alpha + fit.beta;
    const double g = std::pow(fit.alpha * fit.a / (fit.beta * fit.b), 1 / sum);
    const double n = g * std::pow(flops / 6, fit.beta / sum);
    return {n, flops / 6 / n};
}

double tokens_for_loss(const LossFit& fit, double loss, double parameters)
{
    const double left = parameters > 0 ? loss - fit.floor - fit.of_parameters(parameters) : 0;
    return left > 0 ? std::pow(fit.b / left, 1 / fit.beta) : 0;
}

double compute_for_loss(const LossFit& fit, double loss)
{
    if (!(loss > fit.floor))
    {
        return 0;
    }
    // At the optimum the excess falls as a pure power of the compute, so one point of it tells all.
    const double reference = 1e21;
    const ComputeOptimum at = optimum(fit, reference);
    const double excess = ringside::loss(fit, at.parameters, at.tokens) - fit.floor;
    return reference * std::pow(excess / (loss - fit.floor), 1 / compute_exponent(fit));
}

double overspending(const LossFit& fit, double parameters, double flops)
{
    if (!(parameters > 0) || !(flops > 0))
    {
        return 1;
    }
    const double needed = compute_for_loss(fit, loss(fit, parameters, flops / 6 / parameters));
    return needed > 0 ? std::max(1.0, flops / needed) : 1;
}

std::span<const AllocationRule> allocation_rules()
{
    return kRules;
}

} // namespace ringside
