// How busy each rank is over any stretch of a timeline, by kind of work: what a picture shows where single
// operations are too narrow to draw.
#pragma once

#include "core/pipeline/simulate.h"

#include <array>

namespace ringside
{

// Shares of a stretch of time, each 0 to 1; what is left is idle.
struct Shares
{
    double forward = 0;
    double input = 0;
    double weight = 0;
};

class Density
{
public:
    Density() = default;
    // `input_share` of a whole backward computes input gradients. The timeline must outlive this.
    Density(const Timeline& timeline, double input_share);

    // Shares of rank `rank` from `from` to `to`, from < to.
    Shares of(std::size_t rank, double from, double to) const { return columns(rank, from, to, 1).front(); }
    // Shares of `count` equal columns of that stretch.
    std::vector<Shares> columns(std::size_t rank, double from, double to, std::size_t count) const;

private:
    // Work of the rank until `t`. `at` is the last of its events that has begun, or the one before the first:
    // it moves on with t.
    std::array<double, 3> until(std::size_t rank, double t, std::ptrdiff_t& at) const;

    const Timeline* timeline_ = nullptr;
    double input_share_ = 0.5;
    std::vector<std::array<double, 3>> before_; // work of its rank before each event
};

} // namespace ringside
