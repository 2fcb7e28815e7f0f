// Timelines asked for a moment or a stretch of time: what runs, what is kept, how busy it is.
#include "tests/core/pipeline/schedule_cases.h"

#include "core/pipeline/density.h"

#include <catch2/catch_approx.hpp>

#include <numeric>
#include <set>

using namespace ringside;
using Catch::Approx;
using test::run;

namespace
{

// What state_at says of one rank, counted over all its events.
RankState counted(const Timeline& t, std::size_t rank, double at)
{
    RankState state;
    for (std::size_t k = t.first[rank]; k < t.first[rank + 1]; ++k)
    {
        const Event& e = t.events[k];
        const bool frees = e.operation.pass == Pass::backward || e.operation.pass == Pass::weight;
        state.in_flight += e.operation.pass == Pass::forward && e.start <= at ? 1 : 0;
        state.in_flight -= frees && e.end <= at ? 1 : 0;
        if (e.start <= at && at < e.end)
        {
            state.running = k;
        }
    }
    return state;
}

// Work of one rank inside a stretch, by kind.
Shares work_between(const Timeline& t, std::size_t rank, double from, double to, double input_share)
{
    Shares work;
    const auto inside = [&](double start, double end)
    { return std::max(0.0, std::min(end, to) - std::max(start, from)); };
    for (const Event& e : t.rank(rank))
    {
        const double middle = e.start + (e.end - e.start) * input_share;
        switch (e.operation.pass)
        {
        case Pass::forward:
            work.forward += inside(e.start, e.end);
            break;
        case Pass::input:
            work.input += inside(e.start, e.end);
            break;
        case Pass::weight:
            work.weight += inside(e.start, e.end);
            break;
        case Pass::backward:
            work.input += inside(e.start, middle);
            work.weight += inside(middle, e.end);
            break;
        }
    }
    return work;
}

} // namespace

TEST_CASE("hand-worked: what runs and what is kept can be asked for any moment of 1F1B")
{
    const Timeline t = run("1f1b", {4, 8, 1});
    CHECK(state_at(t, 5)[0].in_flight == 4);
    CHECK_FALSE(state_at(t, 5)[0].running);
    CHECK(t.events[*state_at(t, 3.5)[3].running].operation == Operation{Pass::forward, false, 3, 0});
    CHECK(state_at(t, 33)[0].in_flight == 0);
    CHECK(state_at(t, -1)[0].in_flight == 0);
}

TEST_CASE("hand-worked: half of 1F1B's last stage is idle in the first six units")
{
    // Its forward from 3 to 4, its backward from 4 to 6, the first unit of that input gradients.
    const Timeline t = run("1f1b", {4, 8, 1});
    const Shares first = Density(t, 0.5).of(3, 0, 6);
    CHECK(first.forward == Approx(1.0 / 6));
    CHECK(first.input == Approx(1.0 / 6));
    CHECK(first.weight == Approx(1.0 / 6));
    CHECK(Density(t, 0.5).of(3, 4, 5).input == 1);
    CHECK(Density(t, 0.5).of(3, 5, 6).weight == 1);
}

TEST_CASE("hand-worked: the path of a micro-batch is its operations in order of time")
{
    const Timeline t = run("1f1b", {2, 2, 1});
    std::string path;
    for (const std::size_t k : path_of(t, 1))
    {
        path += to_text(t.events[k].operation) + " ";
    }
    CHECK(path == "0F1 1F1 1B1 0B1 ");
}

TEST_CASE("the state of every rank at any moment is what counting its events gives")
{
    test::CaseSource source(31);
    for (int round = 0; round < 260; ++round)
    {
        const test::Case c = source.next();
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        for (int k = 0; k < 12; ++k)
        {
            // Often exactly where something starts or ends.
            const auto& e = t.events[static_cast<std::size_t>(
                source.pick(0, static_cast<std::int64_t>(t.events.size()) - 1))];
            const double at = k % 3 == 0 ? e.start : k % 3 == 1 ? e.end : (e.start + e.end) / 2 + 0.125;
            const auto states = state_at(t, at);
            for (std::size_t r = 0; r < t.ranks(); ++r)
            {
                const RankState expected = counted(t, r, at);
                INFO(c.text() << " t " << at << " rank " << r);
                REQUIRE(states[r].in_flight == expected.in_flight);
                REQUIRE(states[r].running == expected.running);
            }
        }
    }
}

TEST_CASE("going from moment to moment meets every start and every end once")
{
    test::CaseSource source(32);
    for (int round = 0; round < 60; ++round)
    {
        test::Case c = source.next();
        c.shape.micro_batches = nearest_micro_batches(c.kind, {c.shape.stages, 1, c.shape.chunks});
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        std::set<double> all;
        for (const Event& e : t.events)
        {
            all.insert({e.start, e.end});
        }
        std::set<double> met;
        for (auto at = next_moment(t, -1); at; at = next_moment(t, *at))
        {
            REQUIRE(met.insert(*at).second);
            REQUIRE(met.size() <= all.size());
        }
        INFO(c.text());
        CHECK(met == all);
        CHECK(*met.rbegin() == t.makespan);
        CHECK_FALSE(next_moment(t, t.makespan));
    }
}

TEST_CASE("the stash over time rises to the peak and ends empty")
{
    test::CaseSource source(33);
    for (int round = 0; round < 260; ++round)
    {
        const test::Case c = source.next();
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        for (std::size_t rank = 0; rank < t.ranks(); ++rank)
        {
            const auto steps = stash_over_time(t, rank);
            double peak = 0;
            INFO(c.text() << " rank " << rank);
            REQUIRE(steps.front().t == 0);
            for (std::size_t i = 0; i < steps.size(); ++i)
            {
                peak = std::max(peak, steps[i].held);
                REQUIRE(steps[i].held >= 0);
                REQUIRE((i == 0 || steps[i].t >= steps[i - 1].t));
                REQUIRE(steps[i].held == static_cast<double>(counted(t, rank, steps[i].t + 1e-9).in_flight));
            }
            CHECK(peak == static_cast<double>(t.peak_in_flight[rank]));
            CHECK(steps.back().held == 0);
            CHECK(steps.back().t == t.makespan);
        }
    }
}

TEST_CASE("hand-worked: the last of four 1F1B stages keeps one micro-batch, never two at once")
{
    // A forward at 3, its backward from 4 to 6, and so on.
    const Timeline t = run("1f1b", {4, 2, 1});
    const auto last = stash_over_time(t, 3);
    REQUIRE(last.size() == 5);
    CHECK((last[1].t == 3 && last[1].held == 1));
    CHECK((last[2].t == 6 && last[2].held == 1));
    CHECK((last[3].t == 9 && last[3].held == 0));
}

TEST_CASE("a stash in weights of its virtual stages is the sum of what it keeps of each")
{
    // Interleaved on two ranks, three chunks: the last chunk weighs nothing, the others one and a half each.
    const Timeline t = run("interleaved", {2, 4, 3}, {3, 3, 3});
    const std::vector<double> weight{1.5, 1.5, 1.5, 1.5, 0, 0};
    for (std::size_t rank = 0; rank < 2; ++rank)
    {
        for (const StashStep& step : stash_over_time(t, rank, weight))
        {
            double held = 0;
            for (const Event& e : t.rank(rank))
            {
                const double size = weight[static_cast<std::size_t>(e.operation.stage)];
                held += e.operation.pass == Pass::forward && e.start <= step.t ? size : 0;
                held -= e.operation.pass == Pass::backward && e.end <= step.t ? size : 0;
            }
            CHECK(step.held == Approx(held).margin(1e-12));
        }
    }
}

TEST_CASE("the shares of any stretch of time are what its operations add up to")
{
    test::CaseSource source(34);
    for (int round = 0; round < 400; ++round)
    {
        const test::Case c = source.next();
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        const double input_share = source.quarters(0, 4);
        const Density density(t, input_share);
        for (int k = 0; k < 8; ++k)
        {
            const auto rank = static_cast<std::size_t>(source.pick(0, c.shape.stages - 1));
            const double from = t.makespan * static_cast<double>(source.pick(-10, 1000)) / 1000;
            const double to =
                from + t.makespan * static_cast<double>(source.pick(1, k < 4 ? 20 : 1100)) / 1000;
            const Shares shares = density.of(rank, from, to);
            const Shares work = work_between(t, rank, from, to, input_share);
            INFO(c.text() << " rank " << rank << " from " << from << " to " << to);
            REQUIRE(shares.forward * (to - from) == Approx(work.forward).margin(1e-6));
            REQUIRE(shares.input * (to - from) == Approx(work.input).margin(1e-6));
            REQUIRE(shares.weight * (to - from) == Approx(work.weight).margin(1e-6));
            REQUIRE(shares.forward + shares.input + shares.weight <= 1 + 1e-9);
        }
    }
}
