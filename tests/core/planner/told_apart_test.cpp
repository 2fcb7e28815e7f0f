// Layouts that computed times cannot tell from the best, and the simplest of them.
#include "tests/core/support.h"

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

TEST_CASE("hand-worked: the simplest of the equal ones has the fewest stages, then the smallest replica")
{
    CHECK(kinds_of_parallelism(candidate(8, 4, 1).layout) == 2);
    CHECK(kinds_of_parallelism(candidate(1, 1, 1).layout) == 0);
    const Scenario s; // nodes of 8
    const std::vector<Candidate> all{candidate(8, 4, 10), candidate(4, 4, 10.1), candidate(8, 1, 10.5),
                                     candidate(1, 8, 10.6), candidate(1, 1, 11)};
    CHECK(simplest_equal(all, Objective::step_time, s) == &all[2]);
    CHECK(simplest_equal({}, Objective::step_time, s) == nullptr);
    CHECK(simplest_equal(all, Objective::memory, s) == all.data());
    CHECK(simplest_equal(std::span(all).first(2), Objective::step_time, s) == &all[1]);
}

TEST_CASE("hand-worked: what nobody runs is not the simplest, whatever it saves")
{
    Scenario s;
    s.training.sequence_length = 8192;
    const Candidate plain = candidate(8, 4, 10.7);
    Candidate ring = candidate(1, 2, 10);
    ring.layout.context = 8;
    Candidate v_shaped = candidate(4, 2, 10.1);
    v_shaped.layout.schedule = schedule("zb-v");
    Candidate wide = candidate(16, 1, 10.2);
    Candidate sharded = candidate(4, 2, 10.3);
    sharded.layout.zero = 2;
    CHECK(departures(plain.layout, s) == 0);
    for (const Candidate& odd : {ring, v_shaped, wide, sharded})
    {
        CHECK(departures(odd.layout, s) == 1);
        const std::vector<Candidate> all{odd, plain};
        CHECK(simplest_equal(all, Objective::step_time, s) == &all[1]);
    }
    s.training.sequence_length = kContextFrom; // Llama 3: CP 1 at 8,192 tokens, 16 at 131,072
    CHECK(departures(ring.layout, s) == 0);
    s.cluster.gpus_per_node = 72;
    CHECK(departures(wide.layout, s) == 0);
}

TEST_CASE("hand-worked: context parallelism and micro-batch scaled alike are one family, its best row stands")
{
    std::vector<Candidate> all{candidate(8, 4, 10), candidate(8, 4, 10.1), candidate(8, 4, 10.2),
                               candidate(8, 2, 10.3)};
    all[1].layout.context = 2;
    all[1].layout.micro_batch = 2;
    all[2].layout.context = 2; // with half the tokens on a GPU
    all[3].layout.context = 2;
    all[3].layout.micro_batch = 2;
    CHECK(one_family(all[0].layout, all[1].layout));
    CHECK_FALSE(one_family(all[0].layout, all[2].layout));
    CHECK_FALSE(one_family(all[1].layout, all[3].layout)); // other stages
    const std::vector<Candidate> rows = one_per_family(all);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] == all[0]);
    CHECK(rows[1] == all[2]);
}

TEST_CASE("70B at 8,192 tokens on 256 H100s: the simplest to run is what its recipes run")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    for (const bool any : {true, false})
    {
        SearchLimits limits;
        limits.framework = any ? Framework() : test::presets().framework_of(s);
        LayoutSearch search(without_layout(s), limits);
        while (search.advance(100'000))
        {
        }
        const Candidate* simplest = simplest_equal(search.result().cuts, Objective::step_time, s);
        REQUIRE(simplest != nullptr);
        // Of any framework's layouts the best of each cut has a schedule of few frameworks.
        CHECK(departures(simplest->layout, s) <= (any ? 1 : 0));
        CHECK(simplest->layout.context == 1);
        CHECK(simplest->layout.tensor <= 8);
        CHECK(simplest->layout.pipeline <= 8);
    }
}
