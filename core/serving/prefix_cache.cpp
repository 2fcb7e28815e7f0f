#include "core/serving/prefix_cache.h"

#include "core/base/ranges.h"
#include "core/base/scale.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Prefixes that are asked for about equally often: how many, and each one's probability.
struct Alike
{
    double count = 0;
    double each = 0;
};

// The first ranks alone, then a twentieth more of them in each group, whose mean is that of the integral.
std::vector<Alike> popularity(const PrefixTraffic& traffic)
{
    constexpr double kAlone = 64;
    const double s = traffic.skew;
    const auto below = [s](double rank)
    { return std::fabs(1 - s) < 1e-9 ? std::log(rank) : std::pow(rank, 1 - s) / (1 - s); };
    const auto end = static_cast<double>(traffic.prefixes);
    std::vector<Alike> all;
    double sum = 0;
    for (double rank = 0; rank < end;)
    {
        const double count = std::min(rank < kAlone ? 1 : std::floor(rank / 20), end - rank);
        const double each =
            count > 1 ? (below(rank + count + 0.5) - below(rank + 0.5)) / count : std::pow(rank + 1, -s);
        all.push_back({count, each});
        sum += count * each;
        rank += count;
    }
    for (Alike& group : all)
    {
        group.each /= sum;
    }
    return all;
}

// What is held, and what of it is found, where a prefix is kept for this many requests.
PrefixPoint at_time(const std::vector<Alike>& q, double time)
{
    PrefixPoint point;
    for (const Alike& group : q)
    {
        const double held = -group.count * std::expm1(-group.each * time);
        point.room += held;
        point.hits += group.each * held;
    }
    return point;
}

} // namespace

double prefix_hits(const PrefixTraffic& traffic, double room)
{
    if (room <= 0)
    {
        return 0;
    }
    if (room >= static_cast<double>(traffic.prefixes))
    {
        return 1;
    }
    const std::vector<Alike> q = popularity(traffic);
    const auto held = [&q](double time) { return at_time(q, time).room; };
    double low = 0;
    double high = room;
    while (held(high) < room)
    {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 44; ++i)
    {
        const double middle = (low + high) / 2;
        (held(middle) < room ? low : high) = middle;
    }
    return at_time(q, high).hits;
}

std::vector<PrefixPoint> prefix_curve(const PrefixTraffic& traffic)
{
    constexpr int kSteps = 96;
    const std::vector<Alike> q = popularity(traffic);
    return list_of<PrefixPoint>(even_ratios(0.1, 20 / q.back().each, kSteps),
                                [&](double time) { return at_time(q, time); });
}

} // namespace ringside
