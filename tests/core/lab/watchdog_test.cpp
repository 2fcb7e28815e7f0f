#include "tests/core/lab/parallel_support.h"

#include "core/lab/ranks/communication/watchdog.h"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using parallel::Aborted;
using parallel::CallRecord;
using parallel::diagnose;
using parallel::Diagnosis;
using parallel::Trouble;
using parallel::Watchdog;

namespace
{

// The log of a rank that has done `done` all-reduces of a group of four, one a second; it is looked at after
// 30 s.
CallRecord busy(int rank, std::int64_t done)
{
    CallRecord r;
    r.rank = rank;
    r.now = 30;
    r.groups[3] = {"data", {0, 1, 2, 3}};
    for (std::int64_t i = 0; i < done; ++i)
    {
        r.calls.push_back({.number = i,
                           .axis = "data",
                           .kind = "all-reduce",
                           .bytes = 400,
                           .start = static_cast<double>(i),
                           .end = static_cast<double>(i) + 0.5,
                           .stream = 6});
    }
    r.begun[6] = done;
    return r;
}

CallRecord waits(CallRecord r, double start, int waits_for, const std::string& kind = "all-reduce",
                 std::int64_t bytes = 400)
{
    r.calls.push_back({.number = r.begun[6],
                       .axis = "data",
                       .kind = kind,
                       .bytes = bytes,
                       .start = start,
                       .waits_for = waits_for,
                       .stream = 6});
    ++r.begun[6];
    return r;
}

// A message of a group of two, which only its ranks know of.
CallRecord waits_for_message(CallRecord r, double start, int from, const std::string& kind = "receive")
{
    r.groups[4] = {"pipeline", {r.rank, from}};
    r.calls.push_back({.number = 5,
                       .axis = "pipeline",
                       .kind = kind,
                       .bytes = 64,
                       .start = start,
                       .waits_for = from,
                       .stream = 8,
                       .collective = false});
    return r;
}

// What a watchdog says of four threads that do `work`.
std::string said(const std::function<void(Communicator&, CallLog&, ThreadWorld&)>& work)
{
    ThreadWorld world(4);
    std::vector<CallLog> logs(4);
    std::vector<const CallLog*> read;
    read.reserve(logs.size());
    for (const CallLog& log : logs)
    {
        read.push_back(&log);
    }
    const Watchdog dog(world, read, 0.3);
    try
    {
        world.run(
            [&](Transport& transport)
            {
                CallLog& log = logs[static_cast<std::size_t>(transport.rank())];
                Communicator all(transport, "data", all_of(4), 3, log);
                work(all, log, world);
                log.finish();
            });
    }
    catch (const Aborted& fault)
    {
        return fault.what();
    }
    return {};
}

bool starts_with(const std::string& text, const std::string& start)
{
    INFO(text);
    CHECK(text.starts_with(start));
    return text.starts_with(start);
}

} // namespace

TEST_CASE("a rank that never joined is named, with the call, who waits and what it did last")
{
    const std::vector<CallRecord> records{waits(busy(0, 17), 19.8, 3), waits(busy(1, 17), 20, 0), busy(2, 17),
                                          waits(busy(3, 17), 21, 2)};
    CHECK_FALSE(diagnose(records, 11));
    const auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::absent);
    CHECK(found->rank == 2);
    CHECK(found->waiting == std::vector<int>{0, 1, 3});
    CHECK(found->call.number == 17);
    CHECK(found->says ==
          "rank 2 never joined all-reduce #17 of data; ranks 0, 1 and 3 have waited for it for 10.2 s; "
          "its last call was all-reduce #16 of data, which ended 13.5 s ago");
}

TEST_CASE("a rank that is only slow is told from one that is lost")
{
    auto slow = busy(2, 17);
    slow.calls.push_back(
        {.number = 90, .axis = "tensor", .kind = "all-gather", .start = 28, .end = 29, .stream = 12});
    const std::vector<CallRecord> records{waits(busy(0, 17), 19.8, 3), waits(busy(1, 17), 20, 0), slow,
                                          waits(busy(3, 17), 21, 2)};
    const auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::slow);
    CHECK(found->rank == 2);
    CHECK(found->says ==
          "rank 2 has not yet joined all-reduce #17 of data; ranks 0, 1 and 3 have waited for it for 10.2 "
          "s; it is computing; its last call was all-gather #90 of tensor, which ended 1.0 s ago");
}

TEST_CASE("a rank that called something else, or with another size, is named at once")
{
    std::vector<CallRecord> records{waits(busy(0, 17), 19, 3), waits(busy(1, 17), 19, 0),
                                    waits(busy(2, 17), 19, 1, "all-gather"), waits(busy(3, 17), 19, 2)};
    auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::other_call);
    CHECK(found->rank == 2);
    CHECK(found->says == "rank 2 called all-gather as #17 of data, where ranks 0, 1 and 3 called all-reduce: "
                         "it skipped a call, or made an extra one");
    records[2] = waits(busy(2, 17), 19, 1, "all-reduce", 404);
    found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::other_size);
    CHECK(found->says == "rank 2 called all-reduce #17 of data with 404 B, ranks 0, 1 and 3 with 400 B");
}

TEST_CASE("a rank that has ended, is not heard of, or left no log counts as dead")
{
    std::vector<CallRecord> records{waits(busy(0, 17), 19, 3), waits(busy(1, 17), 19, 0), busy(2, 17),
                                    waits(busy(3, 17), 19, 2)};
    records[2].ended = true;
    auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::dead);
    CHECK(found->says.find("; it has ended; its last call was") != std::string::npos);

    records[2].ended = false;
    records[2].age = 12;
    found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::dead);
    CHECK(found->says.find("; nothing has been heard of it for 12.0 s; its") != std::string::npos);

    records.erase(records.begin() + 2);
    found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::dead);
    CHECK(found->rank == 2);
    CHECK(found->says.ends_with("it has left no log; it has made no call"));
}

TEST_CASE("a rank that waits is followed to the one that does not")
{
    // Rank 2 has not joined because it waits for a message of rank 5, which does nothing.
    CallRecord five;
    five.rank = 5;
    five.now = 30;
    const std::vector<CallRecord> records{waits(busy(0, 17), 12, 3), waits(busy(1, 17), 12, 0),
                                          waits_for_message(busy(2, 17), 13, 5), waits(busy(3, 17), 12, 2),
                                          five};
    const auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->rank == 5);
    CHECK(found->waiting == std::vector<int>{2});
    CHECK(found->says ==
          "rank 5 has not reached receive #5 of pipeline; rank 2 has waited for it for 17.0 s; it has "
          "made no call");
}

TEST_CASE("ranks that wait for each other are a circle")
{
    const std::vector<CallRecord> records{waits_for_message(busy(0, 17), 13, 1, "send"),
                                          waits_for_message(busy(1, 17), 14, 0, "send")};
    const auto found = diagnose(records, 10);
    REQUIRE(found);
    CHECK(found->trouble == Trouble::circle);
    CHECK(found->waiting == std::vector<int>{0, 1});
    CHECK(found->says ==
          "ranks 0 and 1 have waited for each other for 17.0 s: rank 0 in send #5 of pipeline, rank 1 in "
          "send #5 of pipeline");
}

TEST_CASE("a world that hangs because a rank skips its last call ends with that rank's name")
{
    const std::string why = said(
        [](Communicator& all, CallLog&, ThreadWorld&)
        {
            std::vector<float> data(100, 1);
            for (int i = 0; i < (all.rank() == 2 ? 4 : 5); ++i)
            {
                all.all_reduce(data.data(), DType::f32, 100);
            }
        });
    REQUIRE(starts_with(
        why, "rank 2 never joined all-reduce #4 of data; ranks 0, 1 and 3 have waited for it for"));
    CHECK(why.find("it has ended; its last call was all-reduce #3 of data") != std::string::npos);
}

TEST_CASE("a world whose ranks call different things ends with the one that does")
{
    // Both rings send chunks of the same size at first, so nothing but the logs tells.
    const std::string why = said(
        [](Communicator& all, CallLog&, ThreadWorld&)
        {
            std::vector<float> data(400, 1);
            std::vector<float> own(100);
            all.barrier();
            if (all.rank() == 1)
            {
                all.reduce_scatter(data.data(), own.data(), DType::f32, 400);
            }
            else
            {
                all.all_reduce(data.data(), DType::f32, 400);
            }
        });
    starts_with(why, "rank 1 called reduce-scatter as #1 of data, where ranks 0, 2 and 3 called all-reduce");
}

TEST_CASE("a rank that never comes is named while it still runs")
{
    const std::string why = said(
        [](Communicator& all, CallLog&, ThreadWorld& world)
        {
            all.barrier();
            while (all.rank() == 2 && !world.aborted())
            {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            all.barrier();
        });
    starts_with(why, "rank 2 never joined barrier #1 of data; ranks 0, 1 and 3 have waited for it for");
}

TEST_CASE("a rank that makes other calls while it is waited for is slow, and may still come")
{
    ThreadWorld world(2);
    std::vector<CallLog> logs(2);
    bool was_slow = false;
    world.run(
        [&](Transport& transport)
        {
            CallLog& log = logs[static_cast<std::size_t>(transport.rank())];
            Communicator all(transport, "data", all_of(2), 3, log);
            while (transport.rank() == 1 && !was_slow)
            {
                log.end(log.begin(100, "own", "barrier", 0));
                const auto found = diagnose({logs[0].record(0), log.record(1)}, 0.05);
                was_slow = found && found->rank == 1 && found->trouble == Trouble::slow;
            }
            all.barrier();
        });
    CHECK(was_slow);
    CHECK_FALSE(diagnose({logs[0].record(0), logs[1].record(1)}, 0));
}
