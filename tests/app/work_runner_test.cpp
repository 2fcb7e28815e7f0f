// Work beside the window: the same result on any number of threads, in slices and at once; a newer request
// ends the old one; what it throws is a fault of the answer.
#include "tests/core/support.h"

#include "app/session/session.h"
#include "app/session/work_runner.h"
#include "core/planner/search/layout_work.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

using namespace ringside;

namespace
{

Scenario small()
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 32},
                              "training": {"global_batch": 64}})");
}

// Asks until it is over, as frames of a window do.
template <class W>
WorkAnswer<WorkResult<W>> waited_for(WorkRunner& runner, const typename W::Request& request)
{
    auto answer = runner.of<W>(request);
    for (int i = 0; i < 60'000 && !answer.done(); ++i)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        runner.next_frame();
        answer = runner.of<W>(request);
    }
    REQUIRE(answer.done());
    return answer;
}

// Counts to its request, one a slice.
struct Counting
{
    using Request = int;
    static constexpr int kSlice = 1;
    static inline std::atomic<int> slices = 0; // of all of them

    explicit Counting(int request) : to(request) {}
    bool advance(int by)
    {
        ++slices;
        at += by;
        return at < to;
    }
    double progress() const { return static_cast<double>(at) / to; }

    int to;
    int at = 0;
};

enum class Fault
{
    memory_at_first, // runs out while it is begun
    memory_later,
    word_later
};

struct Faulty
{
    using Request = Fault;
    static constexpr int kSlice = 1;

    explicit Faulty(Fault fault) : what(fault)
    {
        if (fault == Fault::memory_at_first)
        {
            throw std::bad_alloc();
        }
    }
    bool advance(int)
    {
        if (++slices < 3)
        {
            return true;
        }
        if (what == Fault::memory_later)
        {
            throw std::bad_alloc();
        }
        throw std::runtime_error("the words of the fault");
    }
    double progress() const { return 0; }

    Fault what;
    int slices = 0;
};

} // namespace

TEST_CASE(
    "in slices, at once, and on two and five threads, a search finds the same layouts in the same order")
{
    LayoutSearch alone(searched_scenario(small(), {}), {});
    while (alone.advance(100'000))
    {
    }
    const SearchResult& expected = alone.result();
    REQUIRE(expected.fit > 100);
    const auto check = [&](WorkRunner& runner)
    {
        const auto answer = waited_for<LayoutWork>(runner, {small(), {}});
        REQUIRE(answer);
        const SearchResult& found = answer->result;
        CHECK(found.tried == expected.tried);
        CHECK(found.legal == expected.legal);
        CHECK(found.fit == expected.fit);
        CHECK(found.rejected == expected.rejected);
        CHECK(found.best == expected.best);
        CHECK(found.cuts == expected.cuts);
        CHECK(found.frontier == expected.frontier);
        CHECK(found.nearest_miss == expected.nearest_miss);
    };
    WorkRunner slices(WorkPace::sliced);
    check(slices);
    WorkRunner at_once(WorkPace::at_once);
    check(at_once);
    for (const std::size_t threads : {2U, 5U, 2U, 5U, 2U, 5U}) // again: who is first is left to chance
    {
        INFO(threads << " threads");
        WorkRunner runner(WorkPace::threaded, threads);
        check(runner);
    }
}

TEST_CASE("work that is asked for at once is done when the answer comes")
{
    WorkRunner runner(WorkPace::at_once);
    const auto answer = runner.of<Counting>(1000);
    CHECK(answer.done());
    CHECK(answer->at == 1000);
    CHECK_FALSE(runner.busy());
}

TEST_CASE("without threads a frame does one slice, and what is quick is done with the first")
{
    WorkRunner runner(WorkPace::sliced);
    CHECK(runner.of<Counting>(1).done());
    CHECK(runner.of<Counting>(4)->at == 1);
    CHECK(runner.busy());
    for (int slice = 2; slice <= 4; ++slice)
    {
        runner.next_frame();
        const auto answer = runner.of<Counting>(4);
        CHECK(answer->at == slice);
        CHECK(answer.done() == (slice == 4));
    }
    CHECK_FALSE(runner.busy());
    // All answers of one frame are the same, however often it is asked.
    CHECK(runner.of<Counting>(9).progress == runner.of<Counting>(9).progress);
}

TEST_CASE("asking again for the same goes on, also of the same scenario laid out otherwise")
{
    WorkRunner runner(WorkPace::sliced);
    Scenario s = default_scenario(test::presets());
    const double first = runner.of<LayoutWork>({s, {}}).progress;
    REQUIRE(first < 1);
    s.parallel.tensor = 4;
    s.parallel.zero = 3;
    s.training.micro_batch = 2;
    runner.next_frame();
    const auto answer = runner.of<LayoutWork>({s, {}});
    CHECK(answer.progress > first);
    CHECK(answer->answers(s, {}));
}

TEST_CASE("a newer request ends one that nobody asks for any more")
{
    for (const WorkPace pace : {WorkPace::sliced, WorkPace::threaded})
    {
        constexpr int kEndless = 1'000'000'000;
        WorkRunner runner(pace, 2);
        CHECK_FALSE(runner.of<Counting>(kEndless).done());
        runner.next_frame();
        CHECK(waited_for<Counting>(runner, 5)->at == 5);
        runner.next_frame();
        runner.next_frame();
        // Begun anew, so the other is gone.
        CHECK(runner.of<Counting>(kEndless)->at == 1);
    }
}

TEST_CASE("work goes on while nobody looks, and its result is noted once")
{
    WorkRunner runner(WorkPace::sliced);
    (void)runner.of<Counting>(20);
    for (int frame = 0; frame < 25; ++frame)
    {
        runner.next_frame();
    }
    CHECK(runner.take_finished<Counting>()->at == 20);
    CHECK(runner.take_finished<Counting>() == nullptr);
    const int before = Counting::slices;
    CHECK(runner.of<Counting>(20).done()); // kept
    CHECK(Counting::slices == before);
}

TEST_CASE("only so many finished results are kept")
{
    WorkRunner runner(WorkPace::at_once);
    for (int request = 1; request <= 10; ++request)
    {
        (void)runner.of<Counting>(request);
        runner.next_frame();
    }
    runner.next_frame();
    const int before = Counting::slices;
    (void)runner.of<Counting>(10);
    CHECK(Counting::slices == before);
    (void)runner.of<Counting>(1);
    CHECK(Counting::slices == before + 1);
}

TEST_CASE("what work throws is a fault of its answer, memory that ran out included")
{
    for (const WorkPace pace : {WorkPace::sliced, WorkPace::threaded, WorkPace::at_once})
    {
        for (const auto& [fault, words] : {std::pair{Fault::memory_at_first, "there is not enough of it"},
                                           std::pair{Fault::memory_later, "there is not enough of it"},
                                           std::pair{Fault::word_later, "the words of the fault"}})
        {
            WorkRunner runner(pace, 2);
            const auto answer = waited_for<Faulty>(runner, fault);
            CHECK_FALSE(answer);
            REQUIRE(answer.faults.size() == 1);
            CHECK(answer.faults.front().message == words);
            CHECK_FALSE(runner.busy());
        }
        const auto alone = finished_work<Faulty>(Fault::word_later);
        CHECK((alone.done() && !alone && alone.faults.size() == 1));
    }
}

TEST_CASE("work that is not waited for ends with its runner")
{
    WorkRunner runner(WorkPace::threaded, 2);
    (void)runner.of<LayoutWork>({default_scenario(test::presets()), {}});
    (void)runner.of<Counting>(1'000'000'000);
}
