// Lengths of prompts and answers.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside
{

// Tokens of each of `count` answers, ascending: quantiles of a lognormal law with this sigma of its
// logarithm, cut off at `cap`, whose mean is `mean` where the cap allows it. At least 1 each.
std::vector<double> lognormal_lengths(std::int64_t count, double mean, double spread, double cap);

} // namespace ringside
