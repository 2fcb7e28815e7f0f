#include "core/collective/collective.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <bit>

using namespace ringside;

TEST_CASE("hand-worked: after 4 steps of 8 ranks a chunk in flight carries 5 contributions")
{
    const Collective ring = ring_all_reduce(8);
    CHECK(ring.steps.size() == 14);
    const Holdings after = holdings_after(ring, 4);
    const Transfer next = ring.steps[4].transfers[3];
    CHECK(std::popcount(after[3][static_cast<std::size_t>(next.chunk)]) == 5);
}

TEST_CASE("the ring executed on numbers gives every rank the sum, for every N from 2 to 64")
{
    for (std::int64_t n = 2; n <= kMaxRanks; ++n)
    {
        const auto size = static_cast<std::size_t>(n);
        std::vector<std::vector<double>> values(size, std::vector<double>(size));
        std::vector<double> sums(size, 0);
        for (std::size_t r = 0; r < size; ++r)
        {
            for (std::size_t c = 0; c < size; ++c)
            {
                values[r][c] = static_cast<double>(r * r + 3 * c + 1);
                sums[c] += values[r][c];
            }
        }
        const Collective ring = ring_all_reduce(n);
        for (const auto& row : execute(ring, values))
        {
            REQUIRE(row == sums);
        }
        const Contributors all = n == 64 ? ~Contributors{0} : (Contributors{1} << n) - 1;
        for (const auto& row : holdings_after(ring, ring.steps.size()))
        {
            REQUIRE(row == std::vector<Contributors>(size, all));
        }
    }
}

TEST_CASE("hand-worked: 16.06 GB over 8 ranks at 450 GB/s and 5 us takes 62.5 ms")
{
    const RingCost cost = ring_all_reduce_cost(8, Bytes(16.06e9), {Seconds(5e-6), BytesPerSecond(450e9)});
    CHECK(cost.sent_per_rank.value == Catch::Approx(28.105e9));
    CHECK(cost.total().value == Catch::Approx(0.0625).epsilon(0.001));
    CHECK(ring_all_reduce_cost(1, Bytes(1e9), {Seconds(5e-6), BytesPerSecond(450e9)}).total().value == 0);
}

TEST_CASE("bytes per rank stay under 2 S whatever N, while steps grow with N")
{
    const Link link{Seconds(1e-6), BytesPerSecond(1e9)};
    Bytes last(0.0);
    for (std::int64_t n = 2; n <= 1024; n *= 2)
    {
        const RingCost cost = ring_all_reduce_cost(n, Bytes(1e9), link);
        CHECK(cost.sent_per_rank > last);
        CHECK(cost.sent_per_rank < Bytes(2e9));
        CHECK(cost.latency.value == Catch::Approx(2e-6 * static_cast<double>(n - 1)));
        last = cost.sent_per_rank;
    }
}
