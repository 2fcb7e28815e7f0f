#include "core/scaling/repeats.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Appendix A gives A, B and E as logarithms and one exponent for both.
const LossFit& c4_fit()
{
    static const LossFit fit{"c4",
                             "Muennighoff 2023",
                             "Muennighoff et al. 2023, arXiv 2305.16264, appendix A",
                             std::exp(0.6254804),
                             std::exp(6.255414),
                             std::exp(7.3049974),
                             0.3526596,
                             0.3526596};
    return fit;
}

double worth(double unique, double all, double decay)
{
    if (!(all > unique))
    {
        return all;
    }
    return unique + unique * decay * -std::expm1(-(all / unique - 1) / decay);
}

} // namespace

double effective_tokens(double unique, double seen)
{
    return unique > 0 && seen > 0 ? worth(unique, seen, kRepeatDecay) : 0;
}

double parameters_for_unique(double unique)
{
    const LossFit& fit = c4_fit();
    // With one exponent D / N does not depend on the budget: N = (A / B)^(1 / alpha) D.
    return unique > 0 ? std::pow(fit.a / fit.b, 1 / fit.alpha) * unique : 0;
}

double effective_parameters(double parameters, double unique)
{
    const double base = std::min(parameters, parameters_for_unique(unique));
    return base > 0 ? worth(base, parameters, kExcessDecay) : 0;
}

double repeated_loss(double parameters, double unique, double seen)
{
    return loss(c4_fit(), effective_parameters(parameters, unique), effective_tokens(unique, seen));
}

double worth_of_next_pass(double passes)
{
    return std::exp(-std::max(0.0, passes - 1) / kRepeatDecay);
}

} // namespace ringside
