// Layouts that computed times cannot tell from the best, and the simplest of them.
#include "core/planner/search/told_apart.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace ringside;

namespace
{

Candidate candidate(std::int64_t tensor, std::int64_t pipeline, double seconds, bool tight = false)
{
    Candidate c;
    c.layout.gpus = 64;
    c.layout.tensor = tensor;
    c.layout.pipeline = pipeline;
    c.seconds = seconds;
    c.tight = tight;
    return c;
}

} // namespace

TEST_CASE("hand-worked: within 8% of the best time a layout equals it, tight ones only tight ones")
{
    const Candidate best = candidate(8, 4, 10);
    CHECK(equals_best(best, best, Objective::step_time));
    CHECK(equals_best(candidate(4, 4, 10.7), best, Objective::step_time));
    CHECK_FALSE(equals_best(candidate(4, 4, 10.85), best, Objective::step_time));
    CHECK_FALSE(equals_best(candidate(4, 4, 10.7, true), best, Objective::step_time));
    // Memory is exact.
    CHECK_FALSE(equals_best(candidate(4, 4, 10), best, Objective::memory));
    CHECK(equals_best(best, best, Objective::memory));
}

TEST_CASE(
    "hand-worked: the simplest of the equal ones has the fewest kinds of parallelism, then the least time")
{
    CHECK(kinds_of_parallelism(candidate(8, 4, 1).layout) == 2);
    CHECK(kinds_of_parallelism(candidate(1, 1, 1).layout) == 0);
    const std::vector<Candidate> all{candidate(8, 4, 10), candidate(4, 4, 10.1), candidate(8, 1, 10.5),
                                     candidate(1, 8, 10.6), candidate(1, 1, 11)};
    CHECK(simplest_equal(all, Objective::step_time) == &all[2]);
    CHECK(simplest_equal({}, Objective::step_time) == nullptr);
    CHECK(simplest_equal(all, Objective::memory) == all.data());
}
