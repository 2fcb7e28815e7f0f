#include "core/scaling/lifetime.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

std::optional<Lifetime> lifetime_at(const LossFit& fit, double loss, double parameters, double served)
{
    const double tokens = tokens_for_loss(fit, loss, parameters);
    if (!(tokens > 0) || !std::isfinite(tokens))
    {
        return std::nullopt;
    }
    return Lifetime{parameters, tokens, training_flops(parameters, tokens),
                    2 * parameters * std::max(0.0, served)};
}

double least_parameters(const LossFit& fit, double loss)
{
    return loss > fit.floor ? std::pow(fit.a / (loss - fit.floor), 1 / fit.alpha) : 0;
}

std::optional<Lifetime> lifetime_optimum(const LossFit& fit, double loss, double served)
{
    const double flops = compute_for_loss(fit, loss);
    if (!(flops > 0) || !std::isfinite(flops))
    {
        return std::nullopt;
    }
    // Serving only ever makes the optimum smaller, and below the least there is none. Golden section on log
    // N.
    const double golden = (std::sqrt(5.0) - 1) / 2;
    double low = std::log(least_parameters(fit, loss));
    double high = std::log(optimum(fit, flops).parameters) + 1e-9;
    const auto cost = [&](double log_n)
    {
        const auto life = lifetime_at(fit, loss, std::exp(log_n), served);
        return life ? life->total() : HUGE_VAL;
    };
    for (int i = 0; i < 60; ++i)
    {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);
        (cost(left) < cost(right) ? high : low) = cost(left) < cost(right) ? right : left;
    }
    return lifetime_at(fit, loss, std::exp((low + high) / 2), served);
}

} // namespace ringside
