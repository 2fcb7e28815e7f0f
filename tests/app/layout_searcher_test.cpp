// The search beside the window: the same answer however many threads look, and a new question ends the old
// one.
#include "tests/core/support.h"

#include "app/session/layout_searcher.h"
#include "app/session/session.h"
#include "ui/shell/frame/layouts_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

using namespace ringside;

namespace
{

Scenario small()
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 32},
                              "training": {"global_batch": 64}})");
}

const LayoutAnswer& finished(LayoutSearcher& searcher)
{
    const LayoutAnswer* answer = searcher.look();
    for (int i = 0; i < 60'000 && answer->progress < 1; ++i)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        answer = searcher.look();
    }
    REQUIRE(answer->progress == 1.0);
    return *answer;
}

} // namespace

TEST_CASE("nothing is looked at before anything was asked for")
{
    LayoutSearcher searcher;
    CHECK(searcher.look() == nullptr);
}

TEST_CASE("none, two and five threads find the same layouts in the same order")
{
    LayoutSearcher alone(0);
    alone.want(small(), {});
    const SearchResult expected = finished(alone).result;
    REQUIRE(expected.fit > 100);
    for (const std::size_t threads : {2U, 5U, 2U, 5U, 2U, 5U}) // again: who is first is left to chance
    {
        INFO(threads << " threads");
        LayoutSearcher searcher(threads);
        searcher.want(small(), {});
        const SearchResult& found = finished(searcher).result;
        CHECK(found.tried == expected.tried);
        CHECK(found.legal == expected.legal);
        CHECK(found.fit == expected.fit);
        CHECK(found.rejected == expected.rejected);
        CHECK(found.best == expected.best);
        CHECK(found.cuts == expected.cuts);
        CHECK(found.frontier == expected.frontier);
        CHECK(found.nearest_miss == expected.nearest_miss);
    }
}

TEST_CASE("asking the same again, or of the same scenario laid out otherwise, goes on")
{
    LayoutSearcher searcher;
    Scenario s = default_scenario(test::presets());
    searcher.want(s, {});
    const double first = searcher.look()->progress;
    REQUIRE(first > 0);
    REQUIRE(first < 1);
    s.parallel.tensor = 4;
    s.parallel.zero = 3;
    s.training.micro_batch = 2;
    searcher.want(s, {});
    CHECK(searcher.look()->progress > first);
    CHECK(searcher.look()->answers(s, {}));
}

TEST_CASE("another scenario or other limits end a search that is under way")
{
    for (const std::size_t threads : {std::size_t{0}, std::size_t{2}})
    {
        INFO(threads << " threads");
        LayoutSearcher searcher(threads);
        const Scenario large = default_scenario(test::presets());
        searcher.want(large, {});
        searcher.look();
        searcher.want(small(), {});
        CHECK(!searcher.look()->answers(large, {}));
        CHECK(finished(searcher).answers(small(), {}));
        SearchLimits other;
        other.zero3 = false;
        searcher.want(small(), other);
        const LayoutAnswer& answer = finished(searcher);
        CHECK(answer.answers(small(), other));
        CHECK(std::none_of(answer.result.best.begin(), answer.result.best.end(),
                           [](const Candidate& c) { return c.layout.zero == 3; }));
    }
}

TEST_CASE("a search that is not waited for ends with its searcher")
{
    LayoutSearcher searcher(2);
    searcher.want(default_scenario(test::presets()), {});
}
