// Experts on many nodes: copies of tokens against DeepSeek-V3's figures, replicas against EPLB's own example,
// two batches that take turns.
#include "tests/core/support.h"

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/parallelism/experts/dispatch.h"
#include "core/parallelism/experts/overlap.h"
#include "core/parallelism/experts/replicas.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

double mean_packets(const DispatchSetup& setup, DispatchWay way)
{
    constexpr std::int64_t kTokens = 2000;
    return sum_over(kTokens,
                    [&](std::int64_t token)
                    {
                        const auto all = token_packets(setup, way, static_cast<std::uint64_t>(token));
                        return static_cast<double>(
                            std::ranges::count_if(all, [](const TokenPacket& p) { return p.node != 0; }));
                    }) /
           static_cast<double>(kTokens);
}

} // namespace

TEST_CASE("published: DeepSeek-V3's tokens cross the network 7.0, 4.6 or 3.5 times, in 76 instead of 200 KB")
{
    DispatchSetup v3;
    CHECK(network_copies(v3, DispatchWay::experts) == Approx(7.0));
    CHECK(network_copies(v3, DispatchWay::nodes) == Approx(4.6).margin(0.01));
    CHECK(network_copies(v3, DispatchWay::limited) == Approx(3.5));
    v3.tokens = 1;
    CHECK(dispatch_cost(v3, DispatchWay::limited).network.value == Approx(76e3).epsilon(0.01));
    v3.eight_bit = false;
    CHECK(dispatch_cost(v3, DispatchWay::experts).network.value == Approx(200704));
}

TEST_CASE("packets of single tokens add up to the closed forms, and stay on their nodes")
{
    DispatchSetup setup;
    CHECK(mean_packets(setup, DispatchWay::experts) == Approx(7.0).epsilon(0.02));
    CHECK(mean_packets(setup, DispatchWay::nodes) == Approx(4.6).epsilon(0.03));
    CHECK(mean_packets(setup, DispatchWay::limited) <= 3.55);
    CHECK(mean_packets(setup, DispatchWay::limited) >= 3.2);
    for (std::uint64_t token = 0; token < 200; ++token)
    {
        const auto packets = token_packets(setup, DispatchWay::limited, token);
        CHECK(packets.size() <= 4);
        for (const TokenPacket& packet : packets)
        {
            CHECK(packet.node < setup.nodes);
            CHECK(packet.gpus.back() < setup.per_node);
        }
    }
}

TEST_CASE("a scenario's experts lie on as many nodes as its group fills, and as if on 8 where one holds them")
{
    const ExpertPlan v3 = expert_plan(test::scenario(R"({"model": "deepseek-v3",
        "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048}, "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
        "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
        "training": {"global_batch": 15360, "sequence_length": 4096}})"));
    const DispatchSetup wide = dispatch_setup(v3);
    CHECK(wide.nodes == 8);
    CHECK(wide.per_node == 8);
    CHECK(wide.chosen == 8);
    CHECK(wide.limit == 4);
    CHECK(wide.tokens == 4096);
    CHECK(replica_parameters(v3, v3.held) == Approx(v3.parameters));
    const DispatchSetup narrow = dispatch_setup(expert_plan(test::scenario(R"({"model": "mixtral-8x7b",
        "cluster": {"gpus": 64}, "parallel": {"expert": 8, "zero": 1}})")));
    CHECK(narrow.nodes == 8);
    CHECK(narrow.chosen == 2);
}

TEST_CASE("a limit of all nodes changes nothing, and one node sends nothing")
{
    DispatchSetup setup;
    setup.limit = setup.nodes;
    CHECK(network_copies(setup, DispatchWay::limited) == network_copies(setup, DispatchWay::nodes));
    setup.nodes = 1;
    for (const DispatchWay way : every<DispatchWay>())
    {
        CHECK(dispatch_cost(setup, way).network.value == 0);
    }
}

TEST_CASE("published: replicas are placed as in EPLB's example of 12 experts on 8 GPUs of 2 nodes")
{
    const std::vector<double> first{90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86};
    const std::vector<double> second{20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27};
    const ReplicaOptions options{8, 2, 4, 4};
    using Held = std::vector<std::vector<std::int64_t>>;
    CHECK(balanced_placement(first, options).held ==
          Held{{5, 6}, {5, 7}, {8, 4}, {3, 4}, {10, 9}, {10, 2}, {0, 1}, {11, 1}});
    CHECK(balanced_placement(second, options).held ==
          Held{{7, 10}, {6, 8}, {6, 11}, {8, 9}, {2, 4}, {5, 1}, {5, 0}, {3, 1}});
}

TEST_CASE("replicas never make the busiest GPU busier, no load is lost, and more of them balance better")
{
    SplitMix random(5);
    for (int trial = 0; trial < 50; ++trial)
    {
        const auto load = list_of<double>(std::int64_t{64}, [&](std::int64_t e)
                                          { return 1000 / (1 + real(e % 13)) * random.uniform(); });
        const double before = placed_in_order(load, 8).imbalance();
        const ExpertPlacement after = balanced_placement(load, {8, 1, 1, 16});
        CHECK(sum_over(after.load) == Approx(sum_over(load)));
        CHECK(after.imbalance() <= before + 1e-9);
        CHECK(after.imbalance() < 1.2);
        CHECK(sum_over<std::int64_t>(after.replicas) == 80);
        CHECK(balanced_placement(load, {8, 2, 8, 16}).imbalance() >= after.imbalance() - 0.05);
    }
}

TEST_CASE("hand-worked: one batch takes compute and network, two take the longer of them")
{
    const MoeTimes even{1, 0.5};
    CHECK(moe_run(even, 4, 1).each == Approx(2));
    CHECK(moe_run(even, 4, 1).makespan == Approx(8));
    CHECK(moe_run(even, 6, 2).each == Approx(1));
    CHECK(moe_run({0.5, 0.5}, 6, 2).each == Approx(1));
    CHECK(moe_run({2, 0.5}, 6, 2).each == Approx(2));
    for (const double network : {0.2, 0.7, 1.5})
    {
        const double each = moe_run({network, 0.4}, 8, 2).each;
        CHECK(each >= std::max(1.0, network) - 1e-9);
        CHECK(each <= 1 + network);
    }
}
