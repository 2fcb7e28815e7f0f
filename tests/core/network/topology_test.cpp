// Who sits where and what travels over which link: written out for eight GPUs, held against Megatron-LM's
// documented groups, then for random scenarios under every order.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/network/topology.h"
#include "core/network/traffic.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

using Ranks = std::vector<std::int64_t>;

constexpr std::array kAllGroups{
    Group::tensor,   Group::context,  Group::expert,          Group::data,
    Group::pipeline, Group::replicas, Group::expert_replicas, Group::expert_tensor};

Scenario two_nodes_of_four()
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8, "gpus_per_node": 4},
                              "parallel": {"tensor": 2, "pipeline": 2}, "training": {"global_batch": 8}})");
}

Topology topology_of(const Scenario& s, const AxisOrder& order = kMegatronOrder)
{
    const Result<Report> report = evaluate(s);
    REQUIRE(report);
    return topology(s, report->memory, order);
}

// Every distinct group, sorted by its first rank.
std::set<Ranks> groups(const RankGrid& grid, Group group)
{
    std::set<Ranks> all;
    for (std::int64_t rank = 0; rank < grid.gpus(); ++rank)
    {
        all.insert(grid.members(rank, group));
    }
    return all;
}

// The slow way: every edge of every ring, looked at. The share of the messages that stay in a domain, of the
// worst group and of all.
struct Counted
{
    double worst = 0; // share between domains
    double mean = 0;
};

Counted count_ring(const RankGrid& grid, Group group)
{
    Counted c;
    double crossed = 0;
    for (const Ranks& members : groups(grid, group))
    {
        double crossings = 0;
        for (std::size_t i = 0; i < members.size(); ++i)
        {
            const std::int64_t next = members[(i + 1) % members.size()];
            crossings += grid.domain(members[i]) != grid.domain(next) ? 1 : 0;
        }
        c.worst = std::max(c.worst, crossings / static_cast<double>(members.size()));
        crossed += crossings;
    }
    c.mean = crossed / static_cast<double>(grid.gpus());
    return c;
}

Counted count_all_to_all(const RankGrid& grid)
{
    Counted c;
    double outside_of_all = 0;
    const auto n = static_cast<double>(grid.size(Group::expert));
    for (const Ranks& members : groups(grid, Group::expert))
    {
        double outside = 0;
        for (const std::int64_t a : members)
        {
            for (const std::int64_t b : members)
            {
                outside += grid.domain(a) != grid.domain(b) ? 1 : 0;
            }
        }
        c.worst = std::max(c.worst, outside / std::max(1.0, n * (n - 1)));
        outside_of_all += outside;
    }
    c.mean = outside_of_all / std::max(1.0, static_cast<double>(grid.gpus()) * (n - 1));
    return c;
}

} // namespace

TEST_CASE("hand-worked: 2 nodes of 4, tensor 2, data 2, pipeline 2, every group written out")
{
    const RankGrid grid(two_nodes_of_four(), kMegatronOrder);
    CHECK(groups(grid, Group::tensor) == std::set<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
    CHECK(groups(grid, Group::data) == std::set<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
    CHECK(groups(grid, Group::pipeline) == std::set<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
    CHECK(groups(grid, Group::context).size() == 8);
    CHECK(groups(grid, Group::replicas) == groups(grid, Group::data));
    for (std::int64_t rank = 0; rank < 8; ++rank)
    {
        CHECK(grid.domain(rank) == (rank < 4 ? 0 : 1));
        CHECK(grid.slot(rank) == rank % 4);
    }
    CHECK(grid.coordinates(6) == Coordinates{0, 0, 1, 1, 0, 0, 2});
    // Pipeline innermost, then tensor: stages are neighbours now.
    const RankGrid turned(two_nodes_of_four(), *parse_order("pp-tp-dp-cp-ep"));
    CHECK(groups(turned, Group::pipeline) == std::set<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
    CHECK(groups(turned, Group::tensor) == std::set<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
    CHECK(groups(turned, Group::data) == std::set<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}

TEST_CASE("hand-worked: a sharded copy in every node, gradients alone between nodes")
{
    const Scenario s = test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 16, "gpus_per_node": 4},
            "parallel": {"zero": 3, "shard_group": 4}, "training": {"global_batch": 32, "micro_batch": 1}})");
    const Result<Report> report = evaluate(s);
    REQUIRE(report);
    const DataTraffic sent = data_traffic_by_group(s, report->memory);
    // Two micro-batches: each gathers 2 bytes a weight twice and reduces 4 bytes of gradients, three quarters
    // of them to the others of the node; the four copies then sum up the quarter that each rank owns.
    const double weights = 8'030'261'248;
    CHECK(sent.dense.shards == Approx(weights * (2 * 2 * 2 + 2 * 4) * 3 / 4));
    CHECK(sent.dense.copies == Approx(weights * 2 * 4 * 2 * 3 / 4 / 4));
    const AxisLoad& data = topology(s, report->memory, kMegatronOrder).of(Axis::data);
    CHECK(data.per_gpu.inside.value == Approx(sent.dense.shards));
    CHECK(data.per_gpu.rail.value == Approx(sent.dense.copies));
    CHECK(data.per_gpu.spine.value == 0);
    CHECK(data.cluster.total().value == Approx(16 * data_traffic(s, report->memory).value));
}

TEST_CASE("hand-worked: 2 nodes of 4, bytes by link")
{
    const Scenario s = two_nodes_of_four();
    const Topology t = topology_of(s);
    // Tensor and data groups stay in a node; every transfer of the pipeline goes to the same slot of the
    // other. Two stages: each GPU sends 4 micro-batches one way, 8192 x 4096 x 2 bytes each.
    CHECK(t.of(Axis::tensor).per_gpu.between().value == 0);
    CHECK(t.of(Axis::data).per_gpu.between().value == 0);
    CHECK(t.of(Axis::pipeline).per_gpu.inside.value == 0);
    CHECK(t.of(Axis::pipeline).per_gpu.rail.value == 4.0 * 8192 * 4096 * 2);
    CHECK(t.of(Axis::pipeline).cluster.rail.value == 8 * 4.0 * 8192 * 4096 * 2);
    CHECK(t.of(Axis::pipeline).per_gpu.spine.value == 0);
    CHECK(!t.of(Axis::tensor).leaves);
    CHECK(t.of(Axis::pipeline).leaves);
    // Data outermost and tensor in the middle of it: each pair of replicas is now one rail.
    const Topology turned = topology_of(s, *parse_order("pp-tp-dp-cp-ep"));
    CHECK(turned.of(Axis::pipeline).per_gpu.between().value == 0);
    CHECK(turned.of(Axis::data).per_gpu.inside.value == 0);
    CHECK(turned.of(Axis::data).per_gpu.rail.value == Approx(t.of(Axis::data).per_gpu.inside.value));
}

TEST_CASE("hand-worked: tensor 16 on nodes of 8 sends an eighth over the network, and costs more than inside")
{
    Scenario s = test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"preset": "dgx-h100", "gpus": 256},
        "parallel": {"tensor": 16, "sequence_parallel": true, "pipeline": 4, "zero": 1},
        "training": {"sequence_length": 8192, "global_batch": 128}})");
    const AxisLoad split = topology_of(s).of(Axis::tensor);
    // 2 of the ring's 16 hops leave the node, on the rail of the slot they started from.
    CHECK(split.leaves);
    CHECK(split.per_gpu.between().value == Approx(tensor_traffic(s).value / 8));
    CHECK(split.per_gpu.spine.value == 0);
    CHECK(split.between.value == Approx(tensor_traffic(s).value / 8 / 50e9));
    CHECK(split.one_nic.value == Approx(tensor_traffic(s).value / 50e9)); // 9 times what 450 GB/s take
    s.cluster.gpus_per_node = 72; // in a rack of 72 they mostly stay together
    s.cluster.gpus = 64;
    s.training.global_batch = 32;
    const AxisLoad whole = topology_of(s).of(Axis::tensor);
    CHECK(!whole.leaves);
    CHECK(whole.inside.value == Approx(tensor_traffic(s).value / 450e9));
    CHECK(whole.one_nic == whole.inside);
}

TEST_CASE("hand-worked: the default scenario keeps tensor groups in their node")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const Topology t = topology_of(s);
    // 2 x 7/8 x 134 MB x 4 all-reduces x 20 layers x 16 micro-batches.
    CHECK(t.of(Axis::tensor).per_gpu.inside.value == Approx(2 * 7.0 / 8 * 134217728 * 4 * 20 * 16));
    CHECK(t.of(Axis::tensor).inside.value == Approx(0.668).epsilon(0.001));
    // A middle stage sends 16 micro-batches down and 16 up, 16.8 MB each.
    CHECK(t.of(Axis::pipeline).per_gpu.rail.value == 2.0 * 16 * 134217728 / 8);
    CHECK(t.per_gpu.spine.value == 0);
    CHECK(t.hottest == LinkClass::inside);
    CHECK(t.hottest_axis == Axis::tensor);
}

TEST_CASE("hand-worked: all-to-all sends to every partner alike, and chunks come round from the last stage")
{
    const Scenario experts = test::scenario(R"({"model": "mixtral-8x7b",
        "cluster": {"gpus": 16, "gpus_per_node": 4}, "parallel": {"expert": 8},
        "training": {"global_batch": 16}})");
    const AxisLoad load = topology_of(experts).of(Axis::expert);
    // Of 7 partners 3 are in the node, 1 has the same slot in the other, 3 have other slots there.
    CHECK(load.per_gpu.inside.value == Approx(expert_traffic(experts).value * 3 / 7));
    CHECK(load.per_gpu.rail.value == Approx(expert_traffic(experts).value * 1 / 7));
    CHECK(load.per_gpu.spine.value == Approx(expert_traffic(experts).value * 3 / 7));

    Scenario chunks = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 4, "gpus_per_node": 1},
        "parallel": {"pipeline": 4, "chunks": 2},
        "training": {"global_batch": 8, "schedule": "interleaved"}})");
    const AxisLoad ring = topology_of(chunks).of(Axis::pipeline);
    const double each = 8 * pipeline_message(chunks).value;
    CHECK(ring.cluster.total().value == Approx(each * 2 * (4 * 2 - 1))); // p v - 1 boundaries, both ways
    CHECK(ring.per_gpu.total().value == Approx(each * 4)); // a middle stage, 2 chunks, both ways
}

TEST_CASE("the default order makes the groups of Megatron-LM's documentation")
{
    // parallel_state.initialize_model_parallel: 16 GPUs, tensor 2, pipeline 4.
    const Scenario s = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 16},
        "parallel": {"tensor": 2, "pipeline": 4}, "training": {"global_batch": 8}})");
    const RankGrid grid(s, kMegatronOrder);
    CHECK(groups(grid, Group::data) ==
          std::set<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}});
    CHECK(groups(grid, Group::tensor) ==
          std::set<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}});
    CHECK(groups(grid, Group::pipeline) ==
          std::set<Ranks>{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}});
}

TEST_CASE("experts have a grid of their own: expert tensor, expert, and what remains, inside a stage")
{
    const Scenario s = test::scenario(R"({"model": "mixtral-8x7b", "cluster": {"gpus": 16},
        "parallel": {"tensor": 4, "pipeline": 2, "expert": 4, "expert_tensor": 1},
        "training": {"global_batch": 8}})");
    const RankGrid grid(s, kMegatronOrder);
    CHECK(groups(grid, Group::expert) ==
          std::set<Ranks>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
    CHECK(groups(grid, Group::expert_replicas) ==
          std::set<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}});
    // Stages innermost: those of stage 0 are the even ranks, and its experts stay among them.
    const RankGrid turned(s, *parse_order("pp-tp-cp-ep-dp"));
    CHECK(groups(turned, Group::expert) ==
          std::set<Ranks>{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}});
}

TEST_CASE("orders: 120 of them, each reads back, an axis moves and the others keep theirs")
{
    const std::vector<AxisOrder> all = all_orders();
    CHECK(all.size() == 120);
    for (const AxisOrder& order : all)
    {
        CHECK(parse_order(order_name(order)) == order);
    }
    CHECK(order_name(kMegatronOrder) == "tp-cp-ep-dp-pp");
    CHECK(!parse_order("tp-cp-ep-dp"));
    CHECK(!parse_order("tp-tp-ep-dp-pp"));
    CHECK(order_name(moved(kMegatronOrder, Axis::tensor, 3)) == "cp-ep-dp-tp-pp");
    CHECK(order_name(moved(kMegatronOrder, Axis::pipeline, 0)) == "pp-tp-cp-ep-dp");
    CHECK(moved(kMegatronOrder, Axis::data, 3) == kMegatronOrder);
    CHECK(order_name(moved(kMegatronOrder, Axis::tensor, 99)) == "cp-ep-dp-pp-tp");
}

TEST_CASE("under every order coordinates and ranks are each other's inverse, and groups part the ranks")
{
    test::ScenarioSource source(20260721);
    const std::vector<AxisOrder> orders = all_orders();
    for (int draw = 0; draw < 60; ++draw)
    {
        const Scenario s = source.next();
        if (s.cluster.gpus > 1024)
        {
            continue;
        }
        for (std::size_t o = static_cast<std::size_t>(draw) % 7; o < orders.size(); o += 7)
        {
            const RankGrid grid(s, orders[o]);
            INFO(order_name(orders[o]) << ", " << s.cluster.gpus << " GPUs");
            std::array<std::vector<int>, kGroups> seen;
            for (std::int64_t rank = 0; rank < grid.gpus(); ++rank)
            {
                const Coordinates c = grid.coordinates(rank);
                REQUIRE(grid.rank(c) == rank);
                REQUIRE(grid.expert_rank(c) == rank);
                REQUIRE(grid.domain(rank) * grid.per_domain() + grid.slot(rank) == rank);
                for (std::size_t g = 0; g < kAllGroups.size(); ++g)
                {
                    const Group group = kAllGroups[g];
                    seen[g].resize(static_cast<std::size_t>(grid.gpus()));
                    REQUIRE(grid.member(rank, group, grid.position(rank, group)) == rank);
                    if (grid.position(rank, group) != 0)
                    {
                        continue;
                    }
                    const Ranks members = grid.members(rank, group);
                    REQUIRE(static_cast<std::int64_t>(members.size()) == grid.size(group));
                    REQUIRE(std::is_sorted(members.begin(), members.end()));
                    for (const std::int64_t m : members)
                    {
                        REQUIRE(m >= 0);
                        REQUIRE(m < grid.gpus());
                        REQUIRE(grid.position(m, group) == grid.position(m, group));
                        REQUIRE(grid.members(m, group) == members);
                        ++seen[g][static_cast<std::size_t>(m)];
                        if (group != Group::pipeline)
                        {
                            REQUIRE(grid.coordinates(m).pipeline == c.pipeline);
                        }
                    }
                }
            }
            for (const std::vector<int>& counts : seen)
            {
                REQUIRE(std::all_of(counts.begin(), counts.end(), [](int n) { return n == 1; }));
            }
        }
    }
}

TEST_CASE("inside and between add up to the traffic, and agree with every hop looked at one by one")
{
    test::ScenarioSource source(777);
    const std::vector<AxisOrder> orders = all_orders();
    for (int draw = 0; draw < 120; ++draw)
    {
        const Scenario s = source.next();
        const Result<Report> report = evaluate(s);
        REQUIRE(report);
        if (s.cluster.gpus > 1024)
        {
            continue;
        }
        const std::array<double, 4> bytes{tensor_traffic(s).value, context_traffic(s).value,
                                          expert_traffic(s).value, data_traffic(s, report->memory).value};
        for (std::size_t o = static_cast<std::size_t>(draw) % 31; o < orders.size(); o += 31)
        {
            const Topology t = topology(s, report->memory, orders[o]);
            const RankGrid grid(s, orders[o]);
            INFO(order_name(orders[o])
                 << ", " << s.cluster.gpus << " GPUs, " << s.cluster.gpus_per_node << " a domain");
            const auto n = static_cast<double>(s.cluster.gpus);
            for (std::size_t a = 0; a < bytes.size(); ++a)
            {
                REQUIRE(t.axes[a].per_gpu.total().value == Approx(bytes[a]).epsilon(1e-12));
                REQUIRE(t.axes[a].cluster.total().value == Approx(bytes[a] * n).epsilon(1e-9));
            }
            const auto holds = [&](Axis axis, const Counted& counted, double all)
            {
                REQUIRE(t.of(axis).per_gpu.between().value ==
                        Approx(counted.worst * all).epsilon(1e-9).margin(1e-3));
                REQUIRE(t.of(axis).cluster.between().value ==
                        Approx(counted.mean * all * n).epsilon(1e-9).margin(1e-3));
            };
            holds(Axis::tensor, count_ring(grid, Group::tensor), bytes[0]);
            holds(Axis::context, count_ring(grid, Group::context), bytes[1]);
            holds(Axis::expert, count_all_to_all(grid), bytes[2]);
            if (s.model.experts == 0)
            {
                holds(Axis::data, count_ring(grid, Group::replicas), bytes[3]);
            }
            // Every micro-batch crosses every boundary of two stages once in each direction.
            const auto v = static_cast<double>(s.parallel.chunks);
            const auto p = static_cast<double>(s.parallel.pipeline);
            const Placement placement = s.training.schedule->placement;
            const double boundaries = p == 1                         ? 0
                                      : placement == Placement::loop ? p * v - 1
                                      : placement == Placement::v    ? (p - 1) * v
                                                                     : p - 1;
            REQUIRE(t.of(Axis::pipeline).cluster.total().value ==
                    Approx(n / p * 2 * boundaries * pipeline_message(s).value *
                           static_cast<double>(micro_batches(s)))
                        .epsilon(1e-9));
        }
    }
}

TEST_CASE("tensor parallelism innermost and no larger than a node that it divides never leaves it")
{
    test::ScenarioSource source(31);
    for (int draw = 0; draw < 200; ++draw)
    {
        const Scenario s = source.next();
        if (s.cluster.gpus_per_node % s.parallel.tensor == 0)
        {
            const Topology t = topology_of(s);
            CHECK(!t.of(Axis::tensor).leaves);
            CHECK(t.of(Axis::tensor).per_gpu.between().value == 0);
        }
    }
}

TEST_CASE("faster links never take longer, and the best order is never worse than any")
{
    test::ScenarioSource source(5);
    for (int draw = 0; draw < 40; ++draw)
    {
        Scenario s = source.next();
        const Result<Report> report = evaluate(s);
        REQUIRE(report);
        const Topology before = topology(s, report->memory, kMegatronOrder);
        const OrderCost best = best_order(s, report->memory, kMegatronOrder);
        CHECK(topology(s, report->memory, best.order).total.value == Approx(best.total.value));
        if (s.cluster.gpus <= 512)
        {
            for (const AxisOrder& order : all_orders())
            {
                REQUIRE(best.total.value <= topology(s, report->memory, order).total.value * (1 + 1e-6));
            }
        }
        s.cluster.network_gb_per_s *= 2;
        const Topology faster = topology(s, report->memory, kMegatronOrder);
        CHECK(faster.total <= before.total);
        CHECK(faster.between.value == Approx(before.between.value / 2));
        s.cluster.node_link_gb_per_s = 2 * node_link(s.cluster);
        CHECK(topology(s, report->memory, kMegatronOrder).inside.value == Approx(before.inside.value / 2));
    }
}

TEST_CASE("where no order is cheaper the present one is the best")
{
    const Scenario s = two_nodes_of_four();
    const Result<Report> report = evaluate(s);
    REQUIRE(report);
    const OrderCost best = best_order(s, report->memory, kMegatronOrder);
    CHECK(best_order(s, report->memory, best.order).order == best.order);
    const Scenario one = test::scenario(R"({"model": "gpt-2-124m", "cluster": {"gpus": 1},
                           "training": {"global_batch": 1, "sequence_length": 1024}})");
    const Topology t = topology_of(one);
    CHECK(t.total.value == 0);
    CHECK(t.per_gpu.total().value == 0);
    CHECK(best_order(one, evaluate(one)->memory, kMegatronOrder).order == kMegatronOrder);
}

TEST_CASE("sixteen thousand GPUs, all orders, and their map")
{
    const Scenario s = test::scenario(
        R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
        "parallel": {"tensor": 8, "context": 2, "pipeline": 16, "zero": 1, "sequence_parallel": true,
                     "stage_layers": [7,8,8,8,8,8,8,8,8,8,8,8,8,8,8,7]},
        "training": {"global_batch": 4096}})");
    const Result<Report> report = evaluate(s);
    REQUIRE(report);
    const OrderCost best = best_order(s, report->memory, *parse_order("dp-pp-cp-ep-tp"));
    CHECK(best.order != *parse_order("dp-pp-cp-ep-tp"));
    const MapLayout map = map_layout(RankGrid(s, kMegatronOrder), 870, 380);
    CHECK(map.domains == 2048);
    CHECK(map.columns * map.rows >= map.domains);
    CHECK((map.columns - 1) * map.rows < map.domains);
}

TEST_CASE("the map of the default scenario has a row a stage and a column a replica")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const MapLayout map = map_layout(RankGrid(s, kMegatronOrder), 870, 400);
    CHECK(map.columns == 8);
    CHECK(map.rows == 4);
    CHECK(map.slot_columns == 4);
    CHECK(map.slot_rows == 2);
    CHECK(map.row_axis == Axis::pipeline);
    CHECK(map.column_axis == Axis::data);
    const MapLayout rack =
        map_layout(RankGrid(test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"preset": "gb200-nvl72"},
        "parallel": {"tensor": 8}, "training": {"global_batch": 576}})"),
                            kMegatronOrder),
                   870, 400);
    CHECK(rack.slot_columns == 12);
    CHECK(rack.slot_rows == 6);
    CHECK(rack.columns * rack.rows >= 8);
}
