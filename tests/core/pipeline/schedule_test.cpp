#include "tests/core/pipeline/schedule_cases.h"

#include "core/pipeline/notation.h"
#include "core/pipeline/zero_bubble.h"

#include <catch2/catch_approx.hpp>

#include <cmath>
#include <numeric>

using namespace ringside;
using Catch::Approx;
using test::run;

namespace
{

using Counts = std::vector<std::int64_t>;

Timeline run_text(const std::string& text, const Costs& costs)
{
    const auto written = read_order(text);
    REQUIRE(written);
    auto timeline = simulate(written->order, costs);
    REQUIRE(timeline);
    return *timeline;
}

Costs costs_of(std::vector<StageCost> stages, double transfer = 0, bool blocking = false, double pair = 1)
{
    return {std::move(stages), transfer, blocking, pair};
}

const Event& event(const Timeline& t, const std::string& name)
{
    const auto found = std::find_if(t.events.begin(), t.events.end(),
                                    [&](const Event& e) { return to_text(e.operation) == name; });
    REQUIRE(found != t.events.end());
    return *found;
}

double idle_of(const Timeline& t)
{
    return t.makespan - *std::max_element(t.busy.begin(), t.busy.end());
}

std::int64_t sum(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

} // namespace

TEST_CASE("hand-worked: 1F1B with 4 stages and 8 micro-batches takes 33 units at F = I = W = 1")
{
    const Timeline t = run("1f1b", {4, 8, 1});
    CHECK(t.makespan == 33);
    CHECK(t.bubble_of_total() == Approx(9.0 / 33));
    CHECK(t.bubble_over_ideal() == Approx(3.0 / 8));
    CHECK(t.peak_in_flight == Counts{4, 3, 2, 1});
    // Rank r begins with the r-th forward and ends with the (3 - r)-th backward before the last.
    for (std::size_t r = 0; r < 4; ++r)
    {
        CHECK(t.span(r) == 33 - 3 * static_cast<double>(r));
    }
    CHECK(t.longest_span() == 33);
    CHECK(t.transfers == 2 * 3 * 8);
}

TEST_CASE("hand-worked: ZB-H1 with 4 stages and 8 micro-batches takes 27 units and keeps no more than 4")
{
    // Qi et al., arXiv 2401.10241, table 2: the bubble is (p - 1)(F + I - W) = 3.
    const Timeline t = run("zb-h1", {4, 8, 1});
    CHECK(t.makespan == 27);
    CHECK(t.bubble_of_total() == Approx(3.0 / 27));
    CHECK(t.bubble_over_ideal() == Approx(3.0 / 24));
    CHECK(*std::max_element(t.peak_in_flight.begin(), t.peak_in_flight.end()) <= 4);
}

TEST_CASE("hand-worked: DualPipe on two stages has no bubble")
{
    // One rank a direction: both ends feed the middle without a gap. 4 x 3 units of work on each.
    const ScheduleKind kind = schedule("dualpipe");
    const test::Ran ran = run(kind, {2, 4, 1}, equal_costs(kind, {2, 4, 1}, {}));
    CHECK(write_order(ran.order) == "0F0 1F2 0F1 1B2 1F3&0B0 1B3 0I1 0W1\n"
                                    "0F2 1F0 0F3 1B0 1F1&0B2 1B1 0I3 0W3\n");
    CHECK(ran.timeline.makespan == 12);
    CHECK(ran.timeline.bubble_of_total() == 0);
    CHECK(ran.timeline.peak_in_flight == Counts{3, 3});
    CHECK(event(ran.timeline, "1F3").start == 5);
    CHECK(event(ran.timeline, "0B0").end == 8);
    CHECK(event(ran.timeline, "0W1").end == 12);
    CHECK(ran.timeline.transfers == 2 * 4);
}

TEST_CASE("hand-worked: DualPipe on four stages waits F&B + B - 3 W = 2 units of 26")
{
    // DeepSeek-V3, arXiv 2412.19437, table 2, with p / 2 - 1 = 1.
    const Timeline t = run("dualpipe", {4, 8, 1});
    CHECK(t.makespan == 26);
    CHECK(idle_of(t) == 2);
    CHECK(*std::max_element(t.peak_in_flight.begin(), t.peak_in_flight.end()) == 5);
}

TEST_CASE("hand-worked: DualPipeV on two stages waits before each pair that needs the other's pair")
{
    const ScheduleKind kind = schedule("dualpipev");
    const test::Ran ran = run(kind, {2, 4, 2}, equal_costs(kind, {2, 4, 2}, {2, 2, 2}));
    CHECK(write_order(ran.order) ==
          "0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3&3B1 3F2&0B0 3B2 3F3&0B1 3B3 0I2 0W2 0I3 0W3\n"
          "1F0 2F0 1F1 2F1 1F2 2B0 2F2&1B0 1F3&2B1 2F3&1B1 2B2 1B2 2I3 1I3 2W3 1W3\n");
    // Rank 0 waits from 10 to 11 for 2F2, which is handed on with 1B0, and from 16 to 17 for 2F3.
    const Timeline& t = ran.timeline;
    CHECK(event(t, "3B1").end == 10);
    CHECK(event(t, "1B0").end == 11);
    CHECK(event(t, "3F2").start == 11);
    CHECK(event(t, "3B2").end == 16);
    CHECK(event(t, "3F3").start == 17);
    CHECK(t.makespan == 26);
    CHECK(t.busy == std::vector<double>{24, 24});
    CHECK(t.peak_in_flight == Counts{5, 5});
    CHECK(run("dualpipev", {1, 2, 2}).makespan == 6); // one rank has nobody to wait for
}

TEST_CASE("hand-worked: a pair starts when both inputs are there and hands on both results at its end")
{
    const std::vector<StageCost> two(2);
    const std::string apart = "0F0 0F1 0B0 0B1\n1F0 1B0 1F1 1B1";
    const std::string paired = "0F0 0F1&0B0 0B1\n1F0 1B0 1F1 1B1";
    CHECK(run_text(apart, costs_of(two)).makespan == 9);
    // 0B0 has its gradient at 4, so 0F1 waits until then; 1F1 starts when 0B0 is done too.
    const Timeline t = run_text(paired, costs_of(two));
    CHECK(event(t, "0F1").start == 4);
    CHECK(event(t, "0B0").start == 5);
    CHECK(event(t, "0B0").end == 7);
    CHECK(event(t, "1F1").ready == 7);
    CHECK(event(t, "1F1").start == 7);
    CHECK(t.makespan == 12);
    // The other way round: the forward's input is what is waited for.
    const Timeline late = run_text("0F0 0F1 0B0 0B1\n1F0 1B0&1F1 1B1", costs_of({{3, 1, 1}, {1, 1, 1}}));
    CHECK(event(late, "1B0").ready == 4);
    CHECK(event(late, "1B0").start == 6);
    CHECK(event(late, "0B0").ready == 9);
}

TEST_CASE("hand-worked: a pair that takes half as long shortens both of its operations")
{
    const Timeline t =
        run_text("0F0 0F1&0B0 0B1\n1F0 1B0 1F1 1B1", costs_of(std::vector<StageCost>(2), 0, false, 0.5));
    CHECK(event(t, "0F1").end == 4.5);
    CHECK(event(t, "0B0").end == 5.5);
    CHECK(event(t, "1F1").start == 5.5);
    CHECK(t.busy == std::vector<double>{1 + 1.5 + 2, 6});
    CHECK(t.makespan == 10.5);
}

TEST_CASE("hand-worked: three operations joined are refused, or one pair and one on its own")
{
    // 0F0 and 0F1 together until 2, so stage 1 has both inputs at 2; 0B0 waits for 1B0, done at 5.
    const auto written = read_order("0F0&0F1&0B0 0B1\n1F0 1B0 1F1 1B1");
    if (!written)
    {
        return;
    }
    const auto t = simulate(written->order, costs_of(std::vector<StageCost>(2)));
    if (t)
    {
        CHECK(event(*t, "1F0").ready == 2);
        CHECK(event(*t, "1F1").ready == 2);
        CHECK(event(*t, "1F1").start == 5);
    }
}

TEST_CASE("hand-worked: an operation marked as paired with nothing runs alone")
{
    Order order(2);
    order[1] = {{Pass::forward, true, 0, 0}};
    order[0] = {{Pass::forward, false, 1, 0}};
    const auto t = simulate(order, costs_of(std::vector<StageCost>(2)));
    REQUIRE(t);
    CHECK(event(*t, "1F0").start == 1);
}

TEST_CASE("hand-worked: a sender that waits for its transfer makes GPipe on two stages take 13, not 11")
{
    // F 1, B 2, transfer 1. Overlapped: 1F0 from 2 and 1F1 from 3, 1B0 from 4, 1B1 from 6; 0B1 from 9 to 11.
    const ScheduleShape shape{2, 2, 1};
    const Timeline overlapped = run("gpipe", shape, {1, 1, 1, 1});
    CHECK(event(overlapped, "0F1").start == 1);
    CHECK(event(overlapped, "1F1").start == 3);
    CHECK(event(overlapped, "1B1").start == 6);
    CHECK(overlapped.makespan == 11);
    // Blocking: 0F1 from 2, 1F1 from 4; 1B0 from 5, 1B1 from 8; 0B0 from 8, 0B1 from 11 to 13.
    const Timeline blocking = run("gpipe", shape, {1, 1, 1, 1, 0, 1, true});
    CHECK(event(blocking, "0F1").start == 2);
    CHECK(event(blocking, "1F1").start == 4);
    CHECK(event(blocking, "1B1").start == 8);
    CHECK(event(blocking, "0B1").start == 11);
    CHECK(blocking.makespan == 13);
    CHECK(blocking.busy == overlapped.busy);
    CHECK(overlapped.transfers == 4);
}

TEST_CASE("hand-worked: nothing is sent where a V turns on one rank")
{
    // One rank holds both chunks: no transfer at all, whatever it costs.
    const Timeline t = run("zb-v", {1, 3, 2}, {2, 2, 2, 100, 0, 1, true});
    CHECK(t.transfers == 0);
    CHECK(t.makespan == 18);
    // Two ranks, chunks 0 | 1 2 | 3: of 3 steps forward and 3 back the middle ones stay.
    CHECK(run("zb-v", {2, 3, 2}).transfers == 2 * 2 * 3);
}

TEST_CASE("hand-worked: one slow stage sets the pace of the others")
{
    // GPipe, F 1 and 2, B 2 and 4: the second stage works from 1 to 19, the first ends two later.
    const Timeline t =
        run_text("0F0 0F1 0F2 0B0 0B1 0B2\n1F0 1F1 1F2 1B0 1B1 1B2", costs_of({{1, 1, 1}, {2, 2, 2}}));
    CHECK(event(t, "1F2").end == 7);
    CHECK(event(t, "1B0").end == 11);
    CHECK(t.makespan == 21);
    CHECK(t.bubble_over_ideal() == Approx(3.0 / 18));
    CHECK(t.bubble_of_total() == Approx(1 - 27.0 / 42));
    // Forwards alone: each stage once, and the slowest m - 1 times more. 1 + 3 + 1 + 3 x 3.
    const Timeline forwards = run_text("0F0 0F1 0F2 0F3\n1F0 1F1 1F2 1F3\n2F0 2F1 2F2 2F3",
                                       costs_of({{1, 0, 0}, {3, 0, 0}, {1, 0, 0}}));
    CHECK(forwards.makespan == 14);
}

TEST_CASE("hand-worked: recomputation makes a backward longer and nothing else")
{
    StageTimes times;
    times.recompute = 1;
    // Eight micro-batches and three more, each 1 + 3.
    const Timeline t = run("1f1b", {4, 8, 1}, times);
    CHECK(t.makespan == 44);
    CHECK(t.peak_in_flight == Counts{4, 3, 2, 1});
    CHECK(t.bubble_over_ideal() == Approx(3.0 / 8));
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
            for (const char* id : {"gpipe", "1f1b"})
            {
                const Timeline t = run(id, {p, m, 1}, {1, 1.5, 0.75});
                CHECK(t.bubble_of_total() == Approx((pd - 1) / (md + pd - 1)).margin(1e-12));
                CHECK(t.bubble_over_ideal() == Approx((pd - 1) / md).margin(1e-12));
            }
            CHECK(run("naive", {p, m, 1}).bubble_of_total() == Approx((pd - 1) / pd).margin(1e-12));
            for (const std::int64_t v : {2, 3})
            {
                for (const char* id : {"interleaved", "looped-bfs"})
                {
                    CHECK(run(id, {p, m, v}, {1, 1.5, 0.75}).bubble_over_ideal() ==
                          Approx((pd - 1) / (md * static_cast<double>(v))).margin(1e-9));
                }
            }
        }
    }
}

TEST_CASE("where a schedule has a closed form of its idle time, equal stages take exactly that for any times")
{
    test::CaseSource source(11);
    for (const ScheduleKind kind : schedules())
    {
        for (int round = 0; kind->idle != nullptr && round < 150; ++round)
        {
            test::Case c = source.of(kind);
            c.times.transfer = 0;
            const double idle = kind->idle(c.shape, c.times);
            if (!std::isfinite(idle))
            {
                continue;
            }
            const Timeline t = run(kind, c.shape, equal_costs(kind, c.shape, c.times)).timeline;
            INFO(c.text() << " F " << c.times.forward << " I " << c.times.backward_input << " W "
                          << c.times.backward_weight << " pair " << c.times.pair);
            CHECK(idle_of(t) == Approx(idle).margin(1e-9));
        }
    }
}

TEST_CASE("with F = I = W and enough micro-batches every closed form of idle time holds")
{
    for (const ScheduleKind kind : schedules())
    {
        for (const std::int64_t p : {2, 3, 4, 6, 8})
        {
            for (const std::int64_t m : {2 * p, 3 * p, 4 * p + 2})
            {
                const ScheduleShape shape{p, m, kind->least_chunks};
                if (kind->idle == nullptr || !check_shape(kind, shape).empty())
                {
                    continue;
                }
                INFO(kind->id << " p " << p << " m " << m);
                const Timeline t = run(kind, shape, equal_costs(kind, shape, {2, 2, 2})).timeline;
                REQUIRE(std::isfinite(kind->idle(shape, {2, 2, 2})));
                CHECK(idle_of(t) == Approx(kind->idle(shape, {2, 2, 2})).margin(1e-9));
            }
        }
    }
}

TEST_CASE("a closed form of idle time that is given where pairs take less than their parts holds there")
{
    for (const char* id : {"dualpipe", "dualpipev"})
    {
        const ScheduleKind kind = schedule(id);
        for (const double pair : {0.5, 0.75})
        {
            const ScheduleShape shape{8, 16, kind->least_chunks};
            const StageTimes times{2, 2, 2, 0, 0, pair};
            const double idle = kind->idle(shape, times);
            INFO(id << " pair " << pair);
            CHECK((!std::isfinite(idle) || idle_of(run(id, shape, times)) == Approx(idle)));
        }
    }
}

TEST_CASE("where a schedule says what it keeps, that is what equal stages keep")
{
    test::CaseSource source(12);
    for (const ScheduleKind kind : schedules())
    {
        for (int round = 0; kind->kept != nullptr && round < 100; ++round)
        {
            const test::Case c = source.of(kind);
            const Timeline t = run(kind, c.shape, equal_costs(kind, c.shape, {})).timeline;
            for (std::int64_t rank = 0; rank < c.shape.stages; ++rank)
            {
                INFO(c.text() << " rank " << rank);
                const Counts kept = kind->kept(c.shape, rank);
                CHECK(kept.size() == static_cast<std::size_t>(c.shape.chunks));
                CHECK(sum(kept) == t.peak_in_flight[static_cast<std::size_t>(rank)]);
            }
        }
    }
}

TEST_CASE("the limits of the zero-bubble schedules are those of their papers")
{
    // In micro-batches of a chunk: p and 2 p of a whole stage; 2 p halves; p and two more; about 2 p / 3, in
    // twos.
    CHECK(zb_h1_limit(8) == 8);
    CHECK(zb_h2_limit(8) == 16);
    CHECK(zb_v_limit(8) == 16);
    CHECK(v_half_limit(8) == 10);
    CHECK(v_min_limit(8) == 8);
    CHECK(v_min_limit(4) == 4);
}
