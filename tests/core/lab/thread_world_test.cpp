#include "tests/core/lab/parallel_support.h"
#include "tests/threads.h"

#include "core/base/json/json.h"
#include "core/lab/ranks/communication/backend_memory.h"
#include "core/lab/ranks/communication/communicator_check.h"
#include "core/lab/ranks/nccl/nccl.h"
#include "core/lab/trainer/cpu/cpu_backend.h"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <filesystem>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using parallel::Aborted;
using parallel::CallGroup;
using parallel::Memory;
using parallel::Pending;

namespace
{

// The host's memory, counted.
class CountedMemory final : public Memory
{
public:
    void add(void* to, const void* from, DType type, Index elements) override
    {
        parallel::host_memory().add(to, from, type, elements);
    }
    void copy(void* to, const void* from, Index bytes) override
    {
        parallel::host_memory().copy(to, from, bytes);
    }
    void* allocate(Index bytes) override
    {
        ++held_;
        return parallel::host_memory().allocate(bytes);
    }
    void release(void* memory) override
    {
        --held_;
        parallel::host_memory().release(memory);
    }

    int held() const { return held_; }

private:
    std::atomic<int> held_ = 0;
};

std::string why_it_ended(int ranks, const std::function<void(Communicator&, CallLog&)>& work)
{
    try
    {
        together(ranks, work);
    }
    catch (const std::exception& fault)
    {
        return fault.what();
    }
    return {};
}

} // namespace

TEST_CASE("a started call goes on while its rank does something else")
{
    // Rank 1 joins the sum only once rank 0, which has started it, has sent something.
    std::atomic<int> right = 0;
    together(2,
             [&](Communicator& all, CallLog&)
             {
                 float sum = 1;
                 float go = 0;
                 Pending pending;
                 if (all.rank() == 0)
                 {
                     pending = all.start([&] { all.all_reduce(&sum, DType::f32, 1); });
                     all.send(1, &go, DType::f32, 1);
                 }
                 else
                 {
                     all.receive(0, &go, DType::f32, 1);
                     pending = all.start([&] { all.all_reduce(&sum, DType::f32, 1); });
                 }
                 pending.wait();
                 right += sum == 2 ? 1 : 0;
             });
    CHECK(right == 2);
}

TEST_CASE("started calls are carried out in order, and all of them before the communicator ends")
{
    std::atomic<int> right = 0;
    for (const int ranks : {1, 4})
    {
        right = 0;
        std::vector<std::vector<float>> sums(static_cast<std::size_t>(ranks), std::vector<float>(50, 1));
        together(ranks,
                 [&](Communicator& all, CallLog&)
                 {
                     auto& mine = sums[static_cast<std::size_t>(all.rank())];
                     for (std::size_t i = 0; i < mine.size(); ++i)
                     {
                         all.start(
                             [&all, &mine, i]
                             {
                                 mine[i] += i > 0 ? mine[i - 1] : 0;
                                 all.all_reduce(&mine[i], DType::f32, 1);
                                 mine[i] /= static_cast<float>(all.ranks());
                             });
                     }
                 });
        for (const auto& mine : sums)
        {
            for (std::size_t i = 0; i < mine.size(); ++i)
            {
                CHECK(mine[i] == static_cast<float>(i + 1));
            }
        }
    }
}

TEST_CASE("what goes wrong in a started call is thrown where it is waited for")
{
    const std::string why = why_it_ended(2,
                                         [](Communicator& all, CallLog&)
                                         {
                                             float x = 0;
                                             auto pending = all.start(
                                                 [&]
                                                 {
                                                     all.send(all.rank(), &x, DType::f32, 1); // to itself
                                                 });
                                             pending.wait();
                                         });
    CHECK(why.find("cannot send to or receive from rank") != std::string::npos);
}

TEST_CASE("a rank that gives up ends the waits of all others with its reason")
{
    for (const int ranks : {2, 3, 8})
    {
        ThreadWorld world(ranks);
        std::atomic<int> ended = 0;
        const auto live = [&](Transport& transport)
        {
            CallLog log;
            Communicator all(transport, "data", all_of(ranks), 1, log);
            std::vector<float> data(1000, 1);
            if (transport.rank() == 1)
            {
                all.all_reduce(data.data(), DType::f32, 1000);
                throw std::runtime_error("out of luck");
            }
            try
            {
                all.all_reduce(data.data(), DType::f32, 1000);
                const auto pending = all.start([&] { all.barrier(); });
                all.all_reduce(data.data(), DType::f32, 1000);
            }
            catch (const Aborted& fault)
            {
                ended += std::string(fault.what()) == "rank 1: out of luck" ? 1 : 0;
                throw;
            }
        };
        CHECK_THROWS_AS(world.run(live), std::runtime_error);
        CHECK(ended == ranks - 1);
        CHECK(world.aborted() == "rank 1: out of luck");
    }
}

TEST_CASE("a fault in a started call that nobody waits for ends the others too")
{
    const std::string why =
        why_it_ended(2,
                     [](Communicator& all, CallLog&)
                     {
                         float x = 0;
                         float y = 0;
                         auto pending = all.start(
                             [&]
                             {
                                 if (all.rank() == 0)
                                 {
                                     throw std::runtime_error("out of luck");
                                 }
                                 all.barrier();
                             });
                         if (all.rank() == 1)
                         {
                             pending.wait();
                         }
                         all.exchange(1 - all.rank(), &x, 1, 1 - all.rank(), &y, 1, DType::f32);
                     });
    CHECK(why == "rank 0: out of luck");
}

TEST_CASE("a rank that leaves by a fault does not wait for what it has started")
{
    const std::string why = why_it_ended(2,
                                         [](Communicator& all, CallLog&)
                                         {
                                             float x = 0;
                                             if (all.rank() == 1)
                                             {
                                                 all.receive(0, &x, DType::f32, 1);
                                             }
                                             all.start([&] { all.barrier(); });
                                             throw std::runtime_error("out of luck");
                                         });
    CHECK(why == "out of luck");
}

TEST_CASE("the first reason to end counts, and later ranks hear it too")
{
    ThreadWorld world(2);
    world.rank(0).abort("first");
    world.rank(1).abort("second");
    world.abort("third");
    CHECK(world.aborted() == "rank 0: first");
    CHECK_THROWS_AS(world.rank(1).post(0, 1, nullptr, 0), Aborted);
    CHECK_THROWS_AS(world.rank(1).receive(0, 1, nullptr, 0, [](const void*) {}), Aborted);
}

TEST_CASE("a message of another size ends the world and names both")
{
    const std::string why =
        why_it_ended(2,
                     [](Communicator& all, CallLog&)
                     {
                         std::vector<float> data(8, 1);
                         all.broadcast(data.data(), DType::f32, all.rank() == 0 ? 8 : 4, 0);
                     });
    CHECK(why == "rank 1 expects 8 B of rank 0, which sends 16 B");
}

TEST_CASE("random calls of several groups at once give the sums they should")
{
    // A grid of 2 x 2 x 2: every rank is in three groups, and starts calls of all of them.
    for (unsigned seed = 0; seed < 20; ++seed)
    {
        std::atomic<int> wrong = 0;
        ThreadWorld world(8);
        world.run(
            [&](Transport& transport)
            {
                const int me = transport.rank();
                CallLog log;
                std::vector<std::unique_ptr<Communicator>> groups;
                for (int axis = 0; axis < 3; ++axis)
                {
                    const int bit = 1 << axis;
                    const int low = me & ~bit;
                    groups.push_back(std::make_unique<Communicator>(
                        transport, "axis", std::vector<int>{low, low | bit}, 8 * (axis + 1) + low, log));
                }
                std::mt19937 shared(seed);                              // the same on all ranks
                std::mt19937 own(seed * 8 + static_cast<unsigned>(me)); // not the same
                std::vector<std::vector<float>> data(60);
                std::vector<Pending> pending;
                for (std::size_t i = 0; i < data.size(); ++i)
                {
                    Communicator& group = *groups[shared() % 3];
                    const auto count = static_cast<Index>(shared() % 300);
                    data[i].assign(static_cast<std::size_t>(count), static_cast<float>(group.rank() + 1));
                    const auto reduce = [&group, &d = data[i], count]
                    { group.all_reduce(d.data(), DType::f32, count); };
                    if (shared() % 2 == 0)
                    {
                        pending.push_back(group.start(reduce));
                    }
                    else
                    {
                        reduce();
                    }
                    if (own() % 4 == 0)
                    {
                        std::this_thread::sleep_for(std::chrono::microseconds(own() % 200));
                    }
                }
                for (Pending& p : pending)
                {
                    p.wait();
                }
                for (const auto& d : data)
                {
                    wrong += std::all_of(d.begin(), d.end(), [](float x) { return x == 3; }) ? 0 : 1;
                }
            });
        CHECK(wrong == 0);
    }
}

TEST_CASE("what other transports are checked against is the same every time, and another with another seed")
{
    const auto once = parallel::checked_on_threads(3);
    const auto again = parallel::checked_on_threads(3);
    const auto other = parallel::checked_on_threads(3, 2);
    REQUIRE(once.size() == 3);
    CHECK(once[0].size() > 300);
    CHECK(once == again);
    CHECK(once[0][0].hash == once[1][0].hash); // an all-reduce
    CHECK(once[0][0].hash != other[0][0].hash);
}

TEST_CASE("ranks whose memory is a backend's get the bits of the host's")
{
    constexpr Index kCount = 1037;
    std::vector<Numbers> sums;
    for (const bool own_backends : {false, true})
    {
        ThreadWorld world(3);
        std::vector<Numbers> ends(3, Numbers(DType::bf16, kCount));
        world.run(
            [&](Transport& transport)
            {
                CallLog log;
                trainer::CpuBackend computes(1);
                trainer::CpuBackend moves(1);
                parallel::BackendMemory memory(moves, computes);
                Communicator all(transport, "data", all_of(3), 1, log,
                                 own_backends ? memory : parallel::host_memory());
                Numbers mine = fractions(DType::bf16, kCount, transport.rank());
                all.all_reduce(mine.data(), DType::bf16, kCount);
                ends[static_cast<std::size_t>(transport.rank())] = mine;
            });
        CHECK(ends[0] == ends[1]);
        CHECK(ends[0] == ends[2]);
        sums.push_back(ends[0]);
    }
    CHECK(sums[0] == sums[1]);
}

TEST_CASE("where NCCL cannot serve, it says why in a sentence")
{
    const parallel::NcclProbe probe = parallel::probe_nccl();
    if (probe.usable)
    {
        CHECK(probe.says.starts_with("NCCL "));
        return;
    }
    CHECK(probe.says.starts_with("no NCCL: "));
    CHECK(probe.says.size() > std::string("no NCCL: ").size());
}

TEST_CASE("a group without oneself is refused")
{
    ThreadWorld world(2);
    CallLog log;
    CHECK_THROWS_AS(Communicator(world.rank(0), "data", {1}, 1, log), std::invalid_argument);
}

TEST_CASE("two hundred worlds leave neither memory nor threads behind, whether they end well or not")
{
    CountedMemory memory;
    const auto before = test::threads_of_this_process();
    for (int i = 0; i < 200; ++i)
    {
        ThreadWorld world(4);
        const auto live = [&](Transport& transport)
        {
            CallLog log;
            Communicator all(transport, "data", all_of(4), 1, log, memory);
            all.set_algorithm(i % 2 == 0 ? "ring" : "recursive-doubling");
            std::vector<float> data(100, 1);
            // Before its own part, or all may be done by then.
            if (i % 4 == 0 && transport.rank() == i / 4 % 4)
            {
                transport.abort("enough");
            }
            auto pending = all.start([&] { all.all_reduce(data.data(), DType::f32, 100); });
            pending.wait();
        };
        if (i % 4 == 0)
        {
            CHECK_THROWS_AS(world.run(live), Aborted);
        }
        else
        {
            world.run(live);
        }
    }
    CHECK(memory.held() == 0);
    CHECK(test::threads_are_back_to(before));
}

TEST_CASE("sums of 16-bit numbers are rounded once, to nearest even")
{
    // 256 + 1 = 257 lies between bf16's 256 and 258; 1 + 2^-11 between fp16's 1 and 1 + 2^-10.
    Numbers a(DType::bf16, 2);
    Numbers b(DType::bf16, 2);
    a.set(0, 256);
    b.set(0, 1);
    a.set(1, 258);
    b.set(1, 1);
    parallel::host_memory().add(a.data(), b.data(), DType::bf16, 2);
    CHECK(a[0] == 256.0F);
    CHECK(a[1] == 260.0F);
    Numbers c(DType::f16, 2);
    Numbers d(DType::f16, 2);
    c.set(0, 1);
    d.set(0, 1.0F / 2048);
    c.set(1, 65504);
    d.set(1, 16);
    parallel::host_memory().add(c.data(), d.data(), DType::f16, 2);
    CHECK(c[0] == 1.0F);
    CHECK(c[1] == std::numeric_limits<float>::infinity());
}

TEST_CASE("a log's record has the last calls, and its totals count every call")
{
    CallLog log;
    log.join(3, CallGroup{"tensor", {4, 5}});
    for (int i = 0; i < 3; ++i)
    {
        const auto call = log.begin(6, "tensor", "all-reduce", 100);
        log.sent(call, 70);
        log.waiting(call, 5);
        log.end(call);
    }
    const auto open = log.begin(7, "tensor", "barrier", 0);
    log.waiting(open, 4);
    const auto record = log.record(4);
    REQUIRE(record.calls.size() == 4);
    CHECK(record.calls[2].number == 2);
    CHECK(record.calls[3].number == 0);
    CHECK(record.calls[3].waits_for == 4);
    CHECK(record.calls[3].end < 0);
    REQUIRE(record.totals.size() == 2);
    CHECK(record.totals[0].calls == 3);
    CHECK(record.totals[0].bytes == 300);
    CHECK(record.totals[0].sent == 210);
    CHECK(log.last(1).size() == 2); // the last one that has ended, and the one that waits
}
