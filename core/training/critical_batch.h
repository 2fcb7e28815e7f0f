// How large a batch still pays: steps and examples against the batch, by the gradient noise scale, and how
// that scale is measured while training (McCandlish et al. 2018, arXiv 1812.06162). Batches may be counted in
// sequences or tokens, as long as all are.
//
// The lab adds two norms per step to the meter: that of the first micro-batch, while the gradient buffer
// holds nothing else, and that of the whole batch. This needs no second buffer; norms of the other
// micro-batches would reduce the noise and would need a copy of the gradient. All tokens of a batch count,
// also where a task scores few of them. Several ranks do not measure it.
#pragma once

#include <cstdint>
#include <optional>

namespace ringside
{

// tr(Sigma) / |G|^2, the paper's B_simple: the batch at which noise and gradient weigh the same. Sigma is the
// covariance of one example's gradient. `squared_gradient` above 0.
double noise_scale(double trace_of_covariance, double squared_gradient);

// Steps and examples to one loss, over the least there can be of each: 1 + B_crit / B and 1 + B / B_crit;
// their excesses multiply to 1. At B = B_crit both are 2. Batches above 0.
double steps_over_least(double batch, double critical);
double examples_over_least(double batch, double critical);

// What a step brings, as a share of a step with no noise: 1 / (1 + B_noise / B).
double step_progress(double batch, double critical);

// [tokens] 2e8 / L^(1 / 0.21), L in nats per token: measured on language models with a vocabulary of 50k
// (Kaplan et al. 2020, arXiv 2001.08361). Loss above 0.
double critical_batch_tokens(double loss);
// [nats per token] Where it is asked for unless told otherwise: a large model late in training.
inline constexpr double kUsualLoss = 2.2;

// Squared norms of two gradients of the same weights: of a batch, and of a part of it alone, each the mean
// over its examples. 0 < part < batch.
struct GradientNorms
{
    double part = 0;
    double part_squared = 0;
    double batch = 0;
    double batch_squared = 0;
};

// |G|^2 of the gradient over all data, and tr(Sigma). Estimates of one step may be negative; their means are
// not biased.
struct GradientNoise
{
    double squared_gradient = 0;
    double trace = 0;
};
// E|g_B|^2 = |G|^2 + tr(Sigma) / B at both sizes, solved for the two (appendix A.1). The part may lie within
// the batch: the means are the same.
GradientNoise gradient_noise(const GradientNorms& norms);

// The noise scale of a run: the ratio of two running means, since the mean of ratios would be biased.
class NoiseMeter
{
public:
    // Norms that are not finite, or of no two batches, are left out.
    void add(const GradientNorms& norms);
    std::int64_t steps() const { return steps_; } // that were added
    // In the batches' unit. Empty before kFewest steps, and while the mean of |G|^2 or of tr(Sigma) is not
    // above 0.
    std::optional<double> value() const;

    static constexpr std::int64_t kFewest = 20; // steps
    static constexpr double kMemory = 100;      // steps; a plain mean until there are as many

private:
    GradientNoise mean_;
    std::int64_t steps_ = 0;
};

} // namespace ringside
