// A synchronous step is as long as its slowest rank: what the spread of ranks and a few slow ones cost.
// Compute times are normally distributed and independent; nothing about why a rank is slow.
//
// The step is the maximum of n normal draws, its mean by integration; drawn steps have the same
// distribution. Only compute varies.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside
{

struct RankTimes
{
    std::int64_t ranks = 256; // that wait for each other, from 1
    double mean = 1;          // [s] of a healthy rank
    double spread = 0.01;     // standard deviation of a healthy rank's step, over its mean
    std::int64_t slow = 0;    // ranks that are slow in every step, up to `ranks`
    double slower = 0.2;      // how much longer they take: 0.2 is 20%

    bool operator==(const RankTimes&) const = default;
};

// Mean of the largest of n standard normal draws (Tippett, Biometrika 17 (1925) 364). Grows like sqrt(2 ln
// n). 0 for one draw or fewer.
double expected_largest_normal(double n);

// Mean length of the step [s]: of the largest of all ranks' times.
double expected_step(const RankTimes& times);
// Share of the throughput lost against ranks that all take the mean: 1 - mean / expected_step().
double straggler_loss(const RankTimes& times);
// The loss by hand, where ranks do not vary: x / (1 + x) once any rank is slow.
double one_slow_loss(double slower);

// The ranks' times in one step, the slow ones first; at most 2^20 of them. Another `step`, another draw.
std::vector<double> draw_rank_times(const RankTimes& times, std::uint64_t seed, std::uint64_t step);

struct Bin
{
    std::int64_t healthy = 0;
    std::int64_t slow = 0;
};
// `bins` (from 1) of equal width from `low` to `high`, of the times of draw_rank_times(); what lies outside
// is in the first or the last.
std::vector<Bin> histogram(const std::vector<double>& times, std::int64_t slow, std::size_t bins, double low,
                           double high);

} // namespace ringside
