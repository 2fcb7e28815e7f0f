#include "core/engine/memory.h"
#include "core/schedule/simulate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <random>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

Timeline run(ScheduleKind kind, const ScheduleShape& shape, const StageTimes& times = {})
{
    auto order = make_order(kind, shape);
    REQUIRE(order);
    auto timeline = simulate(*order, equal_costs(shape, times));
    REQUIRE(timeline);
    return *timeline;
}

} // namespace

TEST_CASE("hand-worked: 1F1B with 4 stages and 8 micro-batches takes 33 units at F = B = W = 1")
{
    const Timeline t = run(ScheduleKind::one_f_one_b, {4, 8, 1});
    CHECK(t.makespan == 33);
    CHECK(t.bubble_of_total() == Approx(9.0 / 33));
    CHECK(t.bubble_over_ideal() == Approx(3.0 / 8));
    CHECK(t.peak_in_flight == std::vector<std::int64_t>{4, 3, 2, 1});
}

TEST_CASE("equal stages reproduce the closed forms of the bubble exactly")
{
    for (const std::int64_t p : {1, 2, 3, 4, 8, 16})
    {
        for (const std::int64_t groups : {1, 2, 5})
        {
            const std::int64_t m = p * groups;
            const auto pd = static_cast<double>(p);
            const auto md = static_cast<double>(m);
            for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b})
            {
                const Timeline t = run(kind, {p, m, 1}, {1, 1.5, 0.75, 0});
                CHECK(t.bubble_of_total() == Approx((pd - 1) / (md + pd - 1)).margin(1e-12));
                CHECK(t.bubble_over_ideal() == Approx((pd - 1) / md).margin(1e-12));
            }
            CHECK(run(ScheduleKind::naive, {p, m, 1}).bubble_of_total() ==
                  Approx((pd - 1) / pd).margin(1e-12));
            for (const std::int64_t v : {2, 3})
            {
                const Timeline t = run(ScheduleKind::interleaved, {p, m, v}, {1, 1, 1, 0});
                CHECK(t.bubble_over_ideal() == Approx((pd - 1) / (md * static_cast<double>(v))).margin(1e-9));
            }
        }
    }
}

TEST_CASE("the simulated stash equals the memory engine's closed form for every stage")
{
    for (const std::int64_t p : {1, 2, 4, 8})
    {
        for (const std::int64_t m : {p, 2 * p, 6 * p})
        {
            for (const ScheduleInfo& info : schedules())
            {
                const std::int64_t v = info.kind == ScheduleKind::interleaved ? 3 : 1;
                const Timeline t = run(info.kind, {p, m, v});
                for (std::int64_t stage = 0; stage < p; ++stage)
                {
                    const auto kept = peak_in_flight(info.kind, p, m, v, stage);
                    INFO(info.id << " p " << p << " m " << m << " stage " << stage);
                    CHECK(std::accumulate(kept.begin(), kept.end(), std::int64_t{0}) ==
                          t.peak_in_flight[static_cast<std::size_t>(stage)]);
                }
            }
        }
    }
}

TEST_CASE("random shapes and times: every operation once, dependencies hold, no rank does two things at once")
{
    std::mt19937 random(7);
    const auto pick = [&](int least, int most)
    { return std::uniform_int_distribution<int>(least, most)(random); };
    for (int round = 0; round < 1000; ++round)
    {
        const ScheduleInfo& info = schedules()[static_cast<std::size_t>(pick(0, 3))];
        const std::int64_t v = info.kind == ScheduleKind::interleaved ? pick(2, 4) : 1;
        const std::int64_t p = pick(1, 7);
        const ScheduleShape shape{p, info.kind == ScheduleKind::interleaved ? p * pick(1, 4) : pick(1, 20),
                                  v};
        Costs costs = equal_costs(shape, {});
        for (StageCost& cost : costs.stages)
        {
            cost = {pick(1, 9) / 4.0, pick(0, 9) / 4.0, pick(0, 9) / 4.0};
        }
        costs.transfer = pick(0, 3) / 4.0;
        const auto timeline = simulate(info.make(shape), costs);
        REQUIRE(timeline);
        std::set<std::string> seen;
        for (std::size_t r = 0; r < timeline->ranks(); ++r)
        {
            double free = 0;
            for (const Event& e : timeline->rank(r))
            {
                REQUIRE(seen.insert(to_text(e.operation)).second);
                REQUIRE(e.start >= free);
                REQUIRE(e.start >= e.ready);
                free = e.end;
                if (e.waited_for >= 0)
                {
                    REQUIRE(timeline->events[static_cast<std::size_t>(e.waited_for)].end <= e.ready);
                }
            }
        }
        REQUIRE(seen.size() == static_cast<std::size_t>(2 * p * v * shape.micro_batches));
    }
}

TEST_CASE("PyTorch's runtime orders of GPipe, 1F1B and interleaved 1F1B are ours")
{
    std::ifstream in(std::string(RINGSIDE_SOURCE_DIR) + "/tests/data/schedules_runtime.json");
    const auto document = nlohmann::json::parse(in);
    int compared = 0;
    for (const auto& row : document["orders"])
    {
        const std::string name = row["schedule"];
        const ScheduleKind kind = name == "GPipe"  ? ScheduleKind::gpipe
                                  : name == "1F1B" ? ScheduleKind::one_f_one_b
                                                   : ScheduleKind::interleaved;
        const ScheduleShape shape{row["p"], row["m"], row["v"]};
        const auto order = make_order(kind, shape);
        INFO(name << " p " << shape.stages << " m " << shape.micro_batches << " v " << shape.chunks);
        REQUIRE(order);
        for (std::size_t r = 0; r < order->size(); ++r)
        {
            std::vector<std::string> ours;
            for (const Operation& op : (*order)[r])
            {
                ours.push_back(to_text(op));
            }
            CHECK(ours == row["compact"][std::to_string(r)].get<std::vector<std::string>>());
        }
        ++compared;
    }
    CHECK(compared >= 9);
}

TEST_CASE("an illegal shape is refused with the nearest legal one")
{
    const auto refused = make_order(ScheduleKind::interleaved, {4, 6, 2});
    REQUIRE_FALSE(refused);
    CHECK(to_line(refused.issues()[0]) == "micro_batches: 6 is not a multiple of 4 stages (use 8)");
    CHECK_FALSE(make_order(ScheduleKind::gpipe, {4, 8, 2}));
}

TEST_CASE("an order that waits in a circle is refused, not run forever")
{
    Order order{{{Pass::backward, 0, 0}, {Pass::forward, 0, 0}}};
    CHECK_FALSE(simulate(order, equal_costs({1, 1, 1}, {})));
}

TEST_CASE("what runs and what is kept can be asked for any moment")
{
    const Timeline t = run(ScheduleKind::one_f_one_b, {4, 8, 1});
    CHECK(state_at(t, 5)[0].in_flight == 4);
    CHECK_FALSE(state_at(t, 5)[0].running);
    CHECK(t.events[*state_at(t, 3.5)[3].running].operation == Operation{Pass::forward, 3, 0});
    CHECK(state_at(t, 33)[0].in_flight == 0);
}

TEST_CASE("the stash over time rises to the peak and ends empty")
{
    for (const ScheduleKind kind : {ScheduleKind::naive, ScheduleKind::gpipe, ScheduleKind::one_f_one_b})
    {
        const ScheduleShape shape{4, 8, 1};
        const auto timeline = simulate(*make_order(kind, shape), equal_costs(shape, {}));
        REQUIRE(timeline);
        for (std::size_t rank = 0; rank < timeline->ranks(); ++rank)
        {
            const std::vector<StashStep> steps = stash_over_time(*timeline, rank);
            double peak = 0;
            for (std::size_t i = 0; i < steps.size(); ++i)
            {
                peak = std::max(peak, steps[i].held);
                CHECK(steps[i].held >= 0);
                CHECK((i == 0 || steps[i].t >= steps[i - 1].t));
            }
            CHECK(peak == static_cast<double>(timeline->peak_in_flight[rank]));
            CHECK(steps.back().held == 0);
            CHECK(steps.back().t == timeline->makespan);
        }
    }
    // By hand: 1F1B, stage 3 of 4: a forward at 3, its backward from 4 to 6, and so on, never two at once.
    const ScheduleShape shape{4, 2, 1};
    const auto timeline = simulate(*make_order(ScheduleKind::one_f_one_b, shape), equal_costs(shape, {}));
    const std::vector<StashStep> last = stash_over_time(*timeline, 3);
    REQUIRE(last.size() == 5);
    CHECK((last[1].t == 3 && last[1].held == 1));
    CHECK((last[2].t == 6 && last[2].held == 1));
    CHECK((last[3].t == 9 && last[3].held == 0));
}
