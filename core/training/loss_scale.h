// What a format's range does to gradients, and the loss scale that moves them into it: shares that vanish or
// overflow, the rule that finds a scale while training runs, and a run of that rule on gradients made up from
// a seed.
//
// Subnormal numbers count as kept, with fewer bits; hardware that flushes them loses more. The trainer uses
// the same rule.
#pragma once

#include "core/training/number_format.h"

#include <vector>

namespace ringside
{

// Magnitudes of gradients as a bell over the octaves: log2|g| is normal. Roughly what is measured
// (Micikevicius et al. 2018, arXiv 1710.03740, figure 3).
struct GradientSpread
{
    double centre = -20; // the median's exponent
    double width = 4;    // standard deviation [octaves], above 0

    bool operator==(const GradientSpread&) const = default;
};

// Shares of the gradients, 1 in all, once multiplied by a scale and rounded to nearest.
struct RangeShares
{
    double zero = 0;      // at most half of the smallest subnormal
    double subnormal = 0; // kept with fewer bits
    double normal = 0;
    double overflow = 0; // beyond the largest
};
RangeShares range_shares(const NumberFormat& format, const GradientSpread& spread, double scale);

// Dynamic loss scaling (Micikevicius et al. 2018, section 3.2): halved when a gradient is not finite, doubled
// after growth_interval good steps in a row.
struct LossScaleRule
{
    bool dynamic = true;
    std::int64_t growth_interval = 2000; // at least 1
    double least = 1;
    double most = 0x1p60;

    bool operator==(const LossScaleRule&) const = default;
};

struct LossScale
{
    double value = 1;
    std::int64_t good_steps = 0;

    // Returns whether the step may be made.
    bool after(bool finite, const LossScaleRule& rule);
    bool operator==(const LossScale&) const = default;
};

struct LossScaleStep
{
    double scale = 1;   // used in this step
    double largest = 0; // log2 of the largest |g| before scaling
    bool overflow = false;
    std::int64_t good_steps = 0; // in a row, after this step
};

struct LossScaleRun
{
    LossScaleRule rule;
    double start = 65536;
    GradientSpread spread;
    double gradients = 1e6; // of which the largest decides; above 1
    FormatId format = FormatId::fp16;

    bool operator==(const LossScaleRun&) const = default;
};

// The largest of many normal deviates is drawn from its limiting distribution (Gumbel; Leadbetter et al.
// 1983, "Extremes and Related Properties of Random Sequences", theorem 1.5.3).
std::vector<LossScaleStep> run_loss_scale(const LossScaleRun& run, std::size_t steps, std::uint64_t seed);

} // namespace ringside
