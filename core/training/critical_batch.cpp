#include "core/training/critical_batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

double noise_scale(double trace_of_covariance, double squared_gradient)
{
    assert(squared_gradient > 0);
    return trace_of_covariance / squared_gradient;
}

double steps_over_least(double batch, double critical)
{
    assert(batch > 0);
    return 1 + critical / batch;
}

double examples_over_least(double batch, double critical)
{
    assert(batch >= 0 && critical > 0);
    return 1 + batch / critical;
}

double step_progress(double batch, double critical)
{
    return 1 / steps_over_least(batch, critical);
}

double critical_batch_tokens(double loss)
{
    assert(loss > 0);
    return 2e8 / std::pow(loss, 1 / 0.21);
}

GradientNoise gradient_noise(const GradientNorms& n)
{
    assert(n.part > 0 && n.batch > n.part);
    const double more = n.batch - n.part;
    return {(n.batch * n.batch_squared - n.part * n.part_squared) / more,
            (n.part_squared - n.batch_squared) * n.part * n.batch / more};
}

void NoiseMeter::add(const GradientNorms& norms)
{
    if (!(norms.part > 0 && norms.part < norms.batch))
    {
        return;
    }
    const GradientNoise now = gradient_noise(norms);
    if (!std::isfinite(now.squared_gradient) || !std::isfinite(now.trace))
    {
        return;
    }
    ++steps_;
    const double share = 1 / std::min(kMemory, static_cast<double>(steps_));
    mean_.squared_gradient += share * (now.squared_gradient - mean_.squared_gradient);
    mean_.trace += share * (now.trace - mean_.trace);
}

std::optional<double> NoiseMeter::value() const
{
    if (steps_ < kFewest || mean_.squared_gradient <= 0 || mean_.trace <= 0)
    {
        return {};
    }
    return noise_scale(mean_.trace, mean_.squared_gradient);
}

} // namespace ringside
