#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/serving/engine/simulation.h"
#include "core/serving/lengths.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLongestRequest = 1e6; // [tokens]

// Gamma of this shape with a mean of 1: a sum of exponentials for whole shapes, else Marsaglia and Tsang (ACM
// TOMS 26 (2000) 363) with their step for shapes below 1.
double gamma_gap(double shape, SplitMix& random)
{
    if (shape == 1)
    {
        return -std::log1p(-random.uniform());
    }
    const double boosted = shape < 1 ? shape + 1 : shape;
    const double d = boosted - 1.0 / 3;
    for (;;)
    {
        const double x = random.normal();
        const double v = std::pow(1 + x / std::sqrt(9 * d), 3);
        if (v > 0 && std::log(1 - random.uniform()) < x * x / 2 + d - d * v + d * std::log(v))
        {
            const double less = shape < 1 ? std::pow(1 - random.uniform(), 1 / shape) : 1;
            return d * v * less / shape;
        }
    }
}

std::vector<double> spread_lengths(const ServingTraffic& t, std::int64_t tokens, std::int64_t count,
                                   SplitMix& random)
{
    if (t.spread > 0)
    {
        auto lengths = lognormal_lengths(count, real(tokens), t.spread, kLongestRequest);
        shuffle(lengths, random);
        return lengths;
    }
    const double least = t.length_ratio * real(tokens);
    return list_of<double>(count,
                           [&](std::int64_t)
                           {
                               const double drawn = least + random.uniform() * (real(tokens) - least);
                               return std::max(1.0, std::round(t.length_ratio < 1 ? drawn : real(tokens)));
                           });
}

} // namespace

std::vector<EngineRequest> traffic_requests(const ServingTraffic& t, std::int64_t count)
{
    SplitMix random(static_cast<std::uint64_t>(t.seed));
    if (t.arrivals() == Arrivals::trace || count < 1)
    {
        return {};
    }
    const auto prompts = spread_lengths(t, t.prompt, count, random);
    const auto outputs = spread_lengths(t, t.output, count, random);
    std::vector<EngineRequest> requests(static_cast<std::size_t>(count));
    double now = 0;
    for (std::size_t i = 0; i < requests.size(); ++i)
    {
        EngineRequest& r = requests[i];
        r.prompt = static_cast<std::int64_t>(prompts[i]);
        r.output = static_cast<std::int64_t>(outputs[i]);
        r.cached = std::min(r.prompt - 1, static_cast<std::int64_t>(t.prefix_hit * prompts[i]));
        r.arrival = now;
        now += t.arrivals() == Arrivals::rate ? gamma_gap(t.burstiness, random) / t.rate : 0;
    }
    return requests;
}

} // namespace ringside
