// Deadlocks over collective logs: what hangs, what does not, and who is found to have left the others first.
#include "core/reliability/hang.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;

namespace
{

using Programs = std::array<std::vector<HangCall>, kHangRanks>;

// Every rank one call on the world, then one on its data pair.
Programs plain()
{
    Programs programs;
    for (auto& program : programs)
    {
        program = {{CallGroup::world, CallKind::all_reduce, 10, "a", 1},
                   {CallGroup::data, CallKind::all_reduce, 20, "b", 1}};
    }
    return programs;
}

bool all_completed(const std::array<std::vector<HangRecord>, kHangRanks>& logs)
{
    return std::all_of(logs.begin(), logs.end(),
                       [](const auto& log)
                       {
                           return std::all_of(log.begin(), log.end(),
                                              [](const HangRecord& r)
                                              { return r.state == CallState::completed; });
                       });
}

bool names(const std::vector<HangFinding>& findings, std::size_t rank)
{
    return std::any_of(findings.begin(), findings.end(),
                       [rank](const HangFinding& f)
                       {
                           const auto all =
                               members(f.group, f.missing.empty() ? f.different.front() : f.missing.front());
                           return std::find(all.begin(), all.end(), rank) != all.end();
                       });
}

} // namespace

TEST_CASE("hand-worked: groups of eight ranks, tensor pairs next to each other, data two apart, stages four")
{
    CHECK(members(CallGroup::tensor, 5) == std::vector<std::size_t>{4, 5});
    CHECK(members(CallGroup::data, 5) == std::vector<std::size_t>{5, 7});
    CHECK(members(CallGroup::pipeline, 5) == std::vector<std::size_t>{1, 5});
    CHECK(members(CallGroup::world, 5).size() == kHangRanks);
}

TEST_CASE("hand-worked: programs that agree complete, at the time of the last one to come")
{
    Programs programs = plain();
    programs[3][0].compute = 5;
    const auto logs = run_programs(programs);
    CHECK(all_completed(logs));
    CHECK(analyze(logs).empty());
    for (const auto& log : logs)
    {
        CHECK(log[0].done > 5);
        CHECK(log[0].done < 5.1);
        CHECK(log[0].sequence == 1);
    }
}

TEST_CASE("hand-worked: two ranks of a pair that call in another order stop everybody")
{
    Programs programs = plain();
    std::swap(programs[0][0], programs[0][1]);
    const auto logs = run_programs(programs);
    // Rank 0 waits for rank 2 on their pair, rank 2 and the others for rank 0 on the world.
    // Each has its next call enqueued behind: both entries exist everywhere, and only the states tell.
    CHECK(logs[0].size() == 2);
    CHECK(logs[0][0].call.group == CallGroup::data);
    CHECK(logs[0][0].state == CallState::started);
    CHECK(logs[0][1].state == CallState::scheduled);
    CHECK(logs[2][0].state == CallState::started);
    CHECK(logs[2][1].state == CallState::scheduled);
    const auto findings = analyze(logs);
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].missing == std::vector<std::size_t>{2});
    CHECK(findings[1].missing == std::vector<std::size_t>{0});
}

TEST_CASE("hand-worked: another size never ends although all are there, and nobody is missing")
{
    Programs programs = plain();
    programs[6][1].elements = 19;
    const auto logs = run_programs(programs);
    CHECK(logs[4][1].state == CallState::started);
    CHECK(logs[6][1].state == CallState::started);
    CHECK(logs[0][1].state == CallState::completed);
    const auto findings = analyze(logs);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].group == CallGroup::data);
    CHECK(findings[0].sequence == 1);
    CHECK(findings[0].different == std::vector<std::size_t>{6});
}

TEST_CASE("hand-worked: a dead rank's log ends, and everybody else waits in the call it never made")
{
    const auto logs = run_programs(plain(), 7, 0);
    CHECK(logs[7].empty());
    for (std::size_t rank = 0; rank < 7; ++rank)
    {
        CHECK(logs[rank].size() == 2);
        CHECK(logs[rank][0].state == CallState::started); // its kernel spins for the dead rank
        CHECK(logs[rank][1].state == CallState::scheduled);
    }
    const auto findings = analyze(logs);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].missing == std::vector<std::size_t>{7});
}

TEST_CASE(
    "hand-worked: a state is the rank's own: started until the end, scheduled where starts are not recorded")
{
    const auto logs = run_programs(plain());
    const HangRecord& record = logs[0][0];
    CHECK(state_at(record, record.done - 0.001) == CallState::started);
    CHECK(state_at(record, record.done - 0.001, false) == CallState::scheduled);
    CHECK(state_at(record, record.done, false) == CallState::completed);
    const auto dead = run_programs(plain(), 7, 0);
    CHECK(state_at(dead[0][0], kWatchdogSeconds) == CallState::started);
    CHECK(state_at(dead[0][0], kWatchdogSeconds, false) == CallState::scheduled);
    CHECK(state_at(dead[0][1], kWatchdogSeconds) == CallState::scheduled);
}

TEST_CASE("every fault of any seed but a slow rank hangs, and the logs lead to the culprit's group")
{
    for (std::size_t f = 0; f < kHangFaults; ++f)
    {
        for (std::uint64_t seed = 0; seed < 150; ++seed)
        {
            const auto fault = static_cast<HangFault>(f);
            const HangCase hang = draw_hang(seed, fault);
            INFO(name_of(fault) << ", seed " << seed << ", rank " << hang.culprit << ", call " << hang.call);
            CHECK(hang.stuck == (fault != HangFault::slow));
            const auto findings = analyze(hang.logs);
            CHECK(findings.empty() == !hang.stuck);
            CHECK((findings.empty() || names(findings, hang.culprit)));
            CHECK(hang.last < kWatchdogSeconds);
            CHECK(!explain_hang(hang).empty());
            CHECK(explain_hang(hang).find(std::to_string(hang.culprit)) != std::string::npos);
        }
    }
}

TEST_CASE("the same seed is the same case, and seeds have every fault")
{
    std::array<int, kHangFaults> seen{};
    for (std::uint64_t seed = 0; seed < 60; ++seed)
    {
        const HangCase hang = draw_hang(seed);
        CHECK(hang.programs == draw_hang(seed).programs);
        ++seen.at(static_cast<std::size_t>(hang.fault));
    }
    for (const int count : seen)
    {
        CHECK(count > 0);
    }
}

TEST_CASE("a slow rank is the one that all others wait for, and they go on when it comes")
{
    const HangCase hang = draw_hang(4, HangFault::slow);
    CHECK(all_completed(hang.logs));
    CHECK(hang.slow_s >= 20);
    CHECK(hang.last > hang.slow_s);
}
