// B = DP x accumulation x micro-batch, solved for each of them.
#include "tests/core/random_scenarios.h"

#include "core/training/batch.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

constexpr std::array kAll{BatchPart::global, BatchPart::replicas, BatchPart::accumulation, BatchPart::micro};

} // namespace

TEST_CASE("hand-worked: 512 sequences are 8 replicas times 16 rounds of 4")
{
    const BatchSplit whole{{512, 8, 16, 4}};
    for (const BatchPart unknown : kAll)
    {
        const auto solved = solve_batch(whole.with(unknown, 7), unknown);
        INFO(name_of(unknown));
        REQUIRE(solved);
        CHECK(*solved == whole);
        CHECK(nearest_batches(whole, unknown).empty());
    }
}

TEST_CASE("a batch that does not divide is named, with the nearest that do")
{
    const auto refused = solve_batch({{500, 8, 1, 4}}, BatchPart::accumulation);
    REQUIRE(!refused);
    CHECK(to_line(refused.issues().front()) ==
          "training.global_batch: 500 sequences do not divide by data parallel 8 \u00d7 micro-batch 4 = 32 "
          "(use 480 or 512)");
    const auto few = solve_batch({{3, 8, 1, 4}}, BatchPart::accumulation);
    REQUIRE(!few);
    CHECK(few.issues().front().hint == "use 32");
}

TEST_CASE("instead of the batch each of the other two can be moved to where it divides")
{
    // 500 = 4 x 125: beside micro-batches of 4, 125 replicas at most divide; the nearest to 8 are 5 and 25.
    // Beside 8 replicas no micro-batch does.
    const auto near = nearest_batches({{500, 8, 1, 4}}, BatchPart::accumulation);
    const std::vector<BatchSplit> expected{
        {{480, 8, 15, 4}}, {{512, 8, 16, 4}}, {{500, 5, 25, 4}}, {{500, 25, 5, 4}}};
    CHECK(near == expected);
}

TEST_CASE("parts that are no counts are refused by their name, and so are batches beyond all measure")
{
    const auto none = solve_batch({{512, 0, 1, 4}}, BatchPart::accumulation);
    REQUIRE(!none);
    CHECK(none.issues().front().path == "cluster.gpus");
    CHECK(none.issues().front().message == "data parallel of 0");
    CHECK(!solve_batch({{1, 1'000'000'000, 1'000'000'000, 1'000'000'000}}, BatchPart::global));
    CHECK(!solve_batch({{-5, 1, 1, 1}}, BatchPart::micro));
    CHECK(nearest_batches({{-5, 1, 1, 1}}, BatchPart::micro).empty());
    // What is asked for may be anything.
    CHECK(solve_batch({{512, 8, -3, 4}}, BatchPart::accumulation));
}

TEST_CASE("hand-worked: 16 million tokens per step, and the steps in which 15.6 trillion would be read")
{
    // Llama 3 (arXiv 2407.21783), section 3.4.1, ends at 16M: 2048 sequences of 8192 tokens.
    const Scenario s = test::scenario(R"({"training": {"global_batch": 2048, "tokens": 15.6e12}})");
    CHECK(batch_tokens(s) == 16'777'216);
    CHECK(run_steps(s) == 929'832);
}

TEST_CASE("any valid scenario's split multiplies out, and comes back as it was")
{
    test::ScenarioSource source(33);
    for (int i = 0; i < 300; ++i)
    {
        const Scenario s = source.next();
        const BatchSplit split = batch_split(s);
        INFO(i);
        REQUIRE(split.of(BatchPart::global) == split.of(BatchPart::replicas) *
                                                   split.of(BatchPart::accumulation) *
                                                   split.of(BatchPart::micro));
        REQUIRE(with_batch(s, split) == s);
        for (const BatchPart unknown : kAll)
        {
            const auto solved = solve_batch(split.with(unknown, 0), unknown);
            REQUIRE(solved);
            REQUIRE(*solved == split);
        }
        const BatchSplit odd = split.with(BatchPart::global, split.of(BatchPart::global) + 1);
        for (const BatchSplit& near : nearest_batches(odd, BatchPart::accumulation))
        {
            const auto solved = solve_batch(near, BatchPart::accumulation);
            REQUIRE(solved);
            REQUIRE(*solved == near);
        }
    }
}
