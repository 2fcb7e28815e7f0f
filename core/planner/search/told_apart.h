// Which layouts of a search computed times cannot tell from the best, and the simplest of them.
#pragma once

#include "core/planner/search/layout_search.h"

#include <span>

namespace ringside
{

// Errors of two published runs of one model differ by this share in the median (spread_in_groups() over the
// measured sources, `ringside bench accuracy`): a smaller difference does not say which layout is faster.
inline constexpr double kToldApart = 0.08;

// Of an objective that is a time; memory is exact, and only its own layout equals the best. What is tight
// equals nothing that is not.
bool equals_best(const Candidate& candidate, const Candidate& best, Objective objective);

// Tensor, context, pipeline and expert parallelism, and sharding beyond the optimizer's states: how many of
// them a layout has.
int kinds_of_parallelism(const Layout& layout);

// Of those that equal the first the one with the fewest kinds, then the better one. Null of none.
const Candidate* simplest_equal(std::span<const Candidate> best_first, Objective objective);

} // namespace ringside
