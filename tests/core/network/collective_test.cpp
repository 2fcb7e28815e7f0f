#include "core/network/collective/cost.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <bit>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr std::array kKinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                            CollectiveKind::all_gather, CollectiveKind::broadcast,
                            CollectiveKind::reduce,     CollectiveKind::all_to_all,
                            CollectiveKind::send_recv};

// Every kind by every algorithm that has it, for every number of ranks and a few sizes of node.
template <class F>
void for_every_collective(const F& f)
{
    for (const CollectiveKind kind : kKinds)
    {
        for (const CollectiveAlgorithm* algorithm : collective_algorithms())
        {
            for (std::int64_t n = 1; n <= kMaxRanks; ++n)
            {
                for (const std::int64_t per_node : {8, 1, 2, 3, 4})
                {
                    if (per_node != 8 && algorithm->id != "hierarchical")
                    {
                        break;
                    }
                    const auto made = make_collective(kind, *algorithm, {n, per_node});
                    if (made)
                    {
                        INFO(name_of(kind) << " " << algorithm->id << " N " << n << " g " << per_node);
                        f(*made, *algorithm);
                    }
                }
            }
        }
    }
}

// What rank r puts in for chunk c; 0 where it has nothing of its own.
double own(const Holdings& before, std::size_t r, std::size_t c)
{
    return before[r][c] != 0 ? static_cast<double>(1000 * (r + 1) + c) : 0;
}

} // namespace

TEST_CASE("hand-worked: after 4 steps of 8 ranks a chunk in flight carries 5 contributions")
{
    const Collective ring = ring_all_reduce(8);
    CHECK(ring.steps.size() == 14);
    const Holdings after = holdings_after(ring, 4);
    const Transfer next = ring.steps[4].transfers[3];
    CHECK(std::popcount(after[3][static_cast<std::size_t>(next.chunk)]) == 5);
}

TEST_CASE("hand-worked: reduce-scatter round a ring of three")
{
    const auto c = make_collective(CollectiveKind::reduce_scatter, *find_algorithm("ring"), {3, 8});
    REQUIRE(c);
    REQUIRE(c->steps.size() == 2);
    // Chunk r starts at rank r + 1 and has been everywhere when it comes to rank r.
    CHECK(c->steps[0].transfers == std::vector<Transfer>{{0, 1, 2, true}, {1, 2, 0, true}, {2, 0, 1, true}});
    CHECK(c->steps[1].transfers == std::vector<Transfer>{{0, 1, 1, true}, {1, 2, 2, true}, {2, 0, 0, true}});
}

TEST_CASE("every collective by every algorithm ends with the right contributions and the right numbers")
{
    int compared = 0;
    for_every_collective(
        [&](const Collective& c, const CollectiveAlgorithm&)
        {
            const Holdings before = holdings_before(c);
            const Holdings after = holdings_after(c, c.steps.size());
            std::vector<std::vector<double>> values(static_cast<std::size_t>(c.ranks),
                                                    std::vector<double>(static_cast<std::size_t>(c.chunks)));
            for (std::size_t r = 0; r < values.size(); ++r)
            {
                for (std::size_t k = 0; k < values[r].size(); ++k)
                {
                    values[r][k] = own(before, r, k);
                }
            }
            const auto end = execute(c, values);
            for (std::size_t r = 0; r < end.size(); ++r)
            {
                for (std::size_t k = 0; k < end[r].size(); ++k)
                {
                    const Contributors all =
                        wanted(c, static_cast<std::int64_t>(r), static_cast<std::int64_t>(k));
                    if (all == 0)
                    {
                        continue; // scratch space when it is over
                    }
                    double sum = 0;
                    for (std::size_t from = 0; from < end.size(); ++from)
                    {
                        sum += (all >> from & 1U) != 0 ? own(before, from, k) : 0;
                    }
                    REQUIRE(after[r][k] == all);
                    REQUIRE(end[r][k] == sum);
                }
            }
            ++compared;
        });
    CHECK(compared > 2000);
}

TEST_CASE("no step sends what its sender does not hold, and sums never count a rank twice")
{
    for_every_collective(
        [](const Collective& c, const CollectiveAlgorithm&)
        {
            if (c.ranks > 17 && c.ranks != 32)
            {
                return;
            }
            Holdings held = holdings_before(c);
            for (std::size_t j = 0; j < c.steps.size(); ++j)
            {
                for (const Transfer& t : c.steps[j].transfers)
                {
                    const Contributors sent =
                        held[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(t.chunk)];
                    const bool to_switch = c.in_switch && t.to == c.ranks;
                    REQUIRE((sent != 0 || to_switch));
                    REQUIRE(t.from != t.to);
                    if (t.adds)
                    {
                        REQUIRE((held[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(t.chunk)] &
                                 sent) == 0);
                    }
                }
                held = holdings_after(c, j + 1);
            }
        });
}

TEST_CASE("what does not go together is refused with what would")
{
    const auto refused = [](CollectiveKind kind, const char* algorithm, CollectiveShape shape)
    {
        const auto made = make_collective(kind, *find_algorithm(algorithm), shape);
        REQUIRE_FALSE(made);
        return to_line(made.issues().front());
    };
    CHECK(refused(CollectiveKind::all_to_all, "tree", {8, 8}) ==
          "algorithm: all-to-all has no tree algorithm (use one of naive, ring, bruck, hierarchical)");
    CHECK(refused(CollectiveKind::all_reduce, "hierarchical", {12, 8}) ==
          "ranks: 12 ranks do not fill nodes of 8 (use 8 or 16)");
    CHECK(refused(CollectiveKind::all_reduce, "ring", {65, 8}) == "ranks: 65 is out of range (use 1 to 64)");
    CHECK(refused(CollectiveKind::send_recv, "naive", {3, 8}) == "ranks: 3 is out of range (use 2)");
}

TEST_CASE("hand-worked: 16.06 GB over 8 ranks at 450 GB/s and 5 us takes 62.5 ms")
{
    const RingCost cost = ring_all_reduce_cost(8, Bytes(16.06e9), {Seconds(5e-6), BytesPerSecond(450e9)});
    CHECK(cost.sent_per_rank.value == Approx(28.105e9));
    CHECK(cost.total().value == Approx(0.0625).epsilon(0.001));
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
        CHECK(cost.latency.value == Approx(2e-6 * static_cast<double>(n - 1)));
        last = cost.sent_per_rank;
    }
}

TEST_CASE("what runs on trees sends along their edges only, and every rank hangs on a root")
{
    for (const std::string_view id : {"tree", "double-tree"})
    {
        for (std::int64_t n = 2; n <= 64; ++n)
        {
            INFO(id << " of " << n);
            const auto made = make_collective(CollectiveKind::all_reduce, *find_algorithm(id), {n, 8});
            REQUIRE(static_cast<bool>(made));
            REQUIRE(made->trees.size() == (id == "tree" ? 1 : 2));
            for (const auto& parents : made->trees)
            {
                REQUIRE(parents.size() == static_cast<std::size_t>(n));
                REQUIRE(std::count(parents.begin(), parents.end(), -1) == 1);
                for (std::size_t r = 0; r < parents.size(); ++r)
                {
                    auto up = static_cast<std::int64_t>(r);
                    for (std::int64_t hops = 0; up >= 0; ++hops)
                    {
                        REQUIRE(hops < n);
                        up = parents[static_cast<std::size_t>(up)];
                    }
                }
            }
            for (const Step& step : made->steps)
            {
                for (const Transfer& t : step.transfers)
                {
                    const auto& parents = made->trees[static_cast<std::size_t>(t.chunk) % made->trees.size()];
                    const auto& child = t.adds ? t.from : t.to; // sums go up, results down
                    REQUIRE(parents[static_cast<std::size_t>(child)] == (t.adds ? t.to : t.from));
                }
            }
        }
    }
}
