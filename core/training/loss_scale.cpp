#include "core/training/loss_scale.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

// Share of a standard normal variable below x.
double below(double x)
{
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// How many deviations the largest of n lies above the middle.
double largest_of(double n, double u)
{
    const double a = std::sqrt(2 * std::log(std::max(n, 2.0)));
    const double b = a - (std::log(std::log(std::max(n, 3.0))) + std::log(4 * std::numbers::pi)) / (2 * a);
    return b - std::log(-std::log(std::clamp(u, 1e-12, 1 - 1e-12))) / a;
}

} // namespace

RangeShares range_shares(const NumberFormat& format, const GradientSpread& spread, double scale)
{
    const auto deviations = [&](double value)
    { return (std::log2(value / scale) - spread.centre) / spread.width; };
    const double zero = deviations(underflow_threshold(format));
    const double normal = deviations(smallest_normal(format));
    const double end = deviations(overflow_threshold(format));
    RangeShares shares;
    shares.zero = below(zero);
    shares.subnormal = below(normal) - below(zero);
    shares.overflow = below(-end);
    shares.normal = std::max(0.0, 1 - shares.zero - shares.subnormal - shares.overflow);
    return shares;
}

bool LossScale::after(bool finite, const LossScaleRule& rule)
{
    if (!rule.dynamic)
    {
        return finite;
    }
    if (!finite)
    {
        value = std::max(rule.least, value / 2);
        good_steps = 0;
        return false;
    }
    if (++good_steps >= rule.growth_interval)
    {
        value = std::min(rule.most, value * 2);
        good_steps = 0;
    }
    return true;
}

std::vector<LossScaleStep> run_loss_scale(const LossScaleRun& run, std::size_t steps, std::uint64_t seed)
{
    const double end = std::log2(overflow_threshold(number_format(run.format)));
    SplitMix random(seed);
    LossScale scale{run.start, 0};
    std::vector<LossScaleStep> all;
    for (std::size_t i = 0; i < steps; ++i)
    {
        LossScaleStep step;
        step.scale = scale.value;
        step.largest = run.spread.centre + run.spread.width * largest_of(run.gradients, random.uniform());
        step.overflow = step.largest + std::log2(scale.value) > end;
        scale.after(!step.overflow, run.rule);
        step.good_steps = scale.good_steps;
        all.push_back(step);
    }
    return all;
}

} // namespace ringside
