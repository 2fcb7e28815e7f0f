#include "core/reliability/straggler.h"

#include "core/base/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

// ln of the share of a normal distribution below z, without losing what is next to 1.
double log_below(double z)
{
    const double above = std::erfc(z / std::numbers::sqrt2) / 2;
    return above < 0.5 ? std::log1p(-above)
                       : std::log(std::max(std::erfc(-z / std::numbers::sqrt2) / 2, 1e-300));
}

// Mean of the largest of `fast` draws around 0 and `slow` around `offset`, all of deviation 1: the integral
// of 1 - F(z) above a point that all stay above.
double expected_largest(double fast, double slow, double offset)
{
    assert(fast >= 0 && slow >= 0 && fast + slow >= 1);
    const double low = std::min(0.0, offset) - 12;
    const double high = std::max(0.0, offset) + 12;
    const int steps = 2000;
    const double width = (high - low) / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i)
    {
        const double z = low + width * i;
        const double log_all =
            (fast > 0 ? fast * log_below(z) : 0) + (slow > 0 ? slow * log_below(z - offset) : 0);
        const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * -std::expm1(log_all);
    }
    return low + sum * width / 3;
}

} // namespace

double expected_largest_normal(double n)
{
    return n > 1 ? expected_largest(n, 0, 0) : 0;
}

double expected_step(const RankTimes& t)
{
    const auto slow = static_cast<double>(std::clamp<std::int64_t>(t.slow, 0, t.ranks));
    const double fast = static_cast<double>(std::max<std::int64_t>(1, t.ranks)) - slow;
    if (!(t.spread > 0))
    {
        return t.mean * (slow > 0 && (t.slower > 0 || fast == 0) ? 1 + t.slower : 1);
    }
    // Far apart, only one of the two groups can be the slowest.
    const double apart = t.slower / t.spread;
    if (slow > 0 && (apart > 40 || fast == 0))
    {
        return t.mean * (1 + t.slower + t.spread * expected_largest_normal(slow));
    }
    return t.mean * (1 + t.spread * (fast + slow > 1 ? expected_largest(fast, slow, apart) : 0));
}

double straggler_loss(const RankTimes& t)
{
    const double step = expected_step(t);
    return step > 0 ? 1 - t.mean / step : 0;
}

double one_slow_loss(double slower)
{
    return slower > 0 ? slower / (1 + slower) : 0;
}

std::vector<double> draw_rank_times(const RankTimes& t, std::uint64_t seed, std::uint64_t step)
{
    const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(t.ranks, 1, 1 << 20));
    SplitMix random(seed ^ (step << 20U));
    std::vector<double> times(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        const double offset = static_cast<std::int64_t>(i) < t.slow ? t.slower : 0;
        times[i] = t.mean * std::max(0.01, 1 + offset + t.spread * random.normal());
    }
    return times;
}

std::vector<Bin> histogram(const std::vector<double>& times, std::int64_t slow, std::size_t bins, double low,
                           double high)
{
    std::vector<Bin> all(bins);
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        const double share = std::clamp((times[i] - low) / (high - low), 0.0, 0.999999);
        Bin& bin = all[static_cast<std::size_t>(share * static_cast<double>(bins))];
        ++(static_cast<std::int64_t>(i) < slow ? bin.slow : bin.healthy);
    }
    return all;
}

} // namespace ringside
