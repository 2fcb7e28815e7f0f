#include "core/training/rounding_walk.h"

#include "core/base/random.h"

namespace ringside
{

namespace
{

template <class Round>
std::vector<double> walked(const Walk& walk, Round round)
{
    std::vector<double> sums{round(walk.start)};
    for (std::size_t i = 0; i < walk.steps; ++i)
    {
        sums.push_back(round(sums.back() + walk.addend));
    }
    return sums;
}

} // namespace

std::vector<double> walk_nearest(const Walk& walk)
{
    const NumberFormat& format = number_format(walk.format);
    return walked(walk, [&](double v) { return round_to(format, v, Overflow::saturate); });
}

std::vector<double> walk_at_random(const Walk& walk, std::uint64_t seed)
{
    const NumberFormat& format = number_format(walk.format);
    SplitMix random(seed);
    return walked(walk, [&](double v) { return round_at_random(format, v, random.uniform()); });
}

std::vector<double> walk_mean(const Walk& walk, std::uint64_t seed, std::size_t draws)
{
    std::vector<double> mean(walk.steps + 1, 0);
    for (std::size_t draw = 0; draw < draws; ++draw)
    {
        const std::vector<double> one = walk_at_random(walk, seed + draw);
        for (std::size_t i = 0; i < mean.size(); ++i)
        {
            mean[i] += one[i] / static_cast<double>(draws);
        }
    }
    return mean;
}

double lost_addend(const NumberFormat& format, double value)
{
    return step_at(format, value) / 2;
}

} // namespace ringside
