// The simulator of tasks on lanes: worked by hand, refused, and what holds for any tasks.
#include "core/pipeline/tasks.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace ringside;
using Catch::Approx;

TEST_CASE("hand-worked: four tasks on two lanes, each starting when lane and input are there")
{
    // Lane 0: a (0 to 2), c waits for b until 5 (5 to 6). Lane 1: b waits for a (2 to 5), d follows (5 to 9).
    const std::vector<Task> tasks{{0, 2, {}}, {1, 3, {0}}, {0, 1, {1}}, {1, 4, {0}}};
    const auto run = run_tasks(tasks, 2);
    REQUIRE(run);
    CHECK(run->times[0].end == 2);
    CHECK(run->times[1].start == 2);
    CHECK(run->times[1].waited_for == 0);
    CHECK(run->times[2].start == 5);
    CHECK(run->times[2].free == 2);
    CHECK(run->times[2].waited_for == 1);
    CHECK(run->times[3].start == 5);
    CHECK(run->times[3].waited_for == -1); // its input was there at 2; its lane was busy
    CHECK(run->makespan == 9);
    CHECK(run->busy == std::vector<double>{3, 7});
    CHECK(critical_path(tasks) == 6);
}

TEST_CASE(
    "tasks that cannot run are refused by number: no such lane, no such task, time running back, circles")
{
    const auto path = [](std::vector<Task> tasks)
    {
        const auto run = run_tasks(tasks, 2);
        REQUIRE(!run);
        return run.issues().front().path;
    };
    CHECK(path({{0, 1, {}}, {2, 1, {}}}) == "task 1");
    CHECK(path({{-1, 1, {}}}) == "task 0");
    CHECK(path({{0, 1, {7}}}) == "task 0");
    CHECK(path({{0, -1, {}}}) == "task 0");
    CHECK(path({{0, 1, {1}}, {1, 1, {0}}}) == "task 0");
    CHECK(path({{0, 1, {1}}, {0, 1, {}}}) == "task 0"); // after one that its lane runs later
    CHECK(critical_path(std::vector<Task>{{0, 1, {1}}, {1, 1, {0}}}) == 0);
}

TEST_CASE("no tasks take no time")
{
    const auto run = run_tasks({}, 3);
    REQUIRE(run);
    CHECK(run->makespan == 0);
    CHECK(run->busy == std::vector<double>{0, 0, 0});
}

TEST_CASE("any tasks: lanes never do two things, nobody starts early, bounds from below and above hold")
{
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round)
    {
        const auto lanes = 1 + random() % 4;
        std::vector<Task> tasks(random() % 60);
        double sum = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i)
        {
            tasks[i].lane = static_cast<std::int32_t>(random() % lanes);
            tasks[i].duration = static_cast<double>(random() % 9) / 3;
            sum += tasks[i].duration;
            for (std::size_t k = random() % 4; i > 0 && k > 0; --k)
            {
                tasks[i].after.push_back(static_cast<std::int32_t>(random() % i));
            }
        }
        const auto run = run_tasks(tasks, lanes);
        REQUIRE(run);
        std::vector<double> free(lanes, 0);
        for (std::size_t i = 0; i < tasks.size(); ++i)
        {
            const TaskTime& time = run->times[i];
            double& lane = free[static_cast<std::size_t>(tasks[i].lane)];
            REQUIRE(time.start >= lane);
            REQUIRE(time.free == lane);
            double earliest = lane;
            for (const std::int32_t k : tasks[i].after)
            {
                earliest = std::max(earliest, run->times[static_cast<std::size_t>(k)].end);
            }
            REQUIRE(time.start == earliest); // and not a moment later
            REQUIRE((time.waited_for < 0) == (earliest == lane));
            lane = time.end;
        }
        const double longest = run->busy.empty() ? 0 : *std::max_element(run->busy.begin(), run->busy.end());
        REQUIRE(run->makespan >= longest - 1e-9);
        REQUIRE(run->makespan >= critical_path(tasks) - 1e-9);
        REQUIRE(run->makespan <= sum + 1e-9);
    }
}
