// A small number added to a large one again and again, rounded to a format after every addition: what a
// weight without a master copy goes through. Same seed, same walk.
#pragma once

#include "core/training/number_format.h"

#include <vector>

namespace ringside
{

struct Walk
{
    FormatId format = FormatId::bf16;
    double start = 1;
    double addend = 1e-3; // exact, not rounded to the format
    std::size_t steps = 256;
};

// The sum before the first addition and after each: steps + 1 values. To nearest it stands still where the
// addend is at most half a step (a tie goes to the even neighbour).
std::vector<double> walk_nearest(const Walk& walk);
std::vector<double> walk_at_random(const Walk& walk, std::uint64_t seed);
// Mean over walks with seeds of their own, `draws` at least 1. Its expectation is start + n x addend while
// nothing saturates (Gupta et al. 2015, arXiv 1502.02551, section 3).
std::vector<double> walk_mean(const Walk& walk, std::uint64_t seed, std::size_t draws);

// Anything smaller leaves a value of the format unchanged, anything larger does not: half of the step above
// it. Exactly half is a tie, which goes to the even one of the two.
double lost_addend(const NumberFormat& format, double value);

} // namespace ringside
