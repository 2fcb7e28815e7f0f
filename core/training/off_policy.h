// What importance weights leave of a batch that another policy sampled: an engine with other kernels, or
// older weights. Says nothing about where the mismatch comes from.
//
// The log-ratios of single tokens, ln p - ln q with the trainer's p and the sampler's q, are taken as
// independent and normal, all of one variance v; their mean is -v/2, since E_q[p/q] = 1. So a weight is
// lognormal, by token or of a whole response.
#pragma once

#include "core/base/names.h"

#include <cstdint>

namespace ringside
{

enum class WeightLevel : std::uint8_t
{
    token,   // each token its own ratio: TIS
    mean,    // geometric mean over a response: GSPO (Zheng et al., arXiv 2507.18071, section 4.1)
    response // product over a response, the only one that is not biased
};
template <>
inline constexpr auto kNamesOf<WeightLevel> = names<WeightLevel>("per token", "geometric mean (GSPO)",
                                                                 "whole response");

// Standard deviation of a token's log-ratio and cap of the weights unless told otherwise: the first an
// assumption, a KL divergence of 0.0002 nats per token; the second verl's threshold.
inline constexpr double kTokenSpread = 0.02;
inline constexpr double kWeightCap = 2;

// Variance of a weight's logarithm: v, v / n or n v.
double log_weight_variance(WeightLevel level, double token_variance, double tokens);

// Effective samples over samples, (sum w)^2 / (n sum w^2) (Kish, Survey Sampling, 1965): E[w]^2 / E[w^2],
// which is e^-variance for lognormal weights.
double effective_share(double variance);

// Lognormal weights with a mean of 1: the share above a cap, and the mean once they are cut to it, which is
// less than 1 by what the cap biases (Ionides 2008, Truncated importance sampling).
double capped_share(double variance, double cap);
double capped_mean(double variance, double cap);

} // namespace ringside
