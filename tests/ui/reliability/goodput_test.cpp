// Months of a run: the interval is dragged, plugs are pulled, and the numbers said are the engine's.
#include "tests/ui/words.h"

#include "core/base/text/text.h"
#include "core/evaluate/report.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

struct Opened
{
    explicit Opened(const char* view = "goodput", ImVec2 size = {1280, 800}) : window(size)
    {
        window.open(view);
        window.settle();
    }
    test::Window window;

    double expected() const
    {
        const Evaluated& now = window.session().now();
        return find_metric("run.goodput")->value(now.scenario, *now.report);
    }
};

} // namespace

TEST_CASE("months begin with the plan of the metric, and say its goodput")
{
    const Opened w;
    CHECK(test::says(w.window, format_percent(w.expected())));
    CHECK(test::says(w.window, "this run"));
}

TEST_CASE("the clock of months is the run's, in days, and stops at every failure")
{
    Opened w;
    const Motion motion = w.window.motion();
    CHECK(motion.duration == Approx(90));
    CHECK(w.window.playback().t == Approx(90));
    REQUIRE(motion.stops.size() > 5);
    w.window.session().apply(Seek{motion.stops[1]});
    w.window.frames(2);
    CHECK(test::says(w.window, "2 failures"));
}

TEST_CASE("dragging the interval away from the best loses goodput, and O brings it back")
{
    Opened w;
    const std::string best = format_percent(w.expected());
    w.window.drag("###interval between checkpoints", 0.5F, 8);
    w.window.settle();
    CHECK(!test::says(w.window, "the goodput is " + best));
    CHECK(test::says(w.window, "best "));
    w.window.key(ImGuiKey_O);
    w.window.settle();
    CHECK(test::says(w.window, best));
}

TEST_CASE("a plug is pulled on the calendar and by K, and a new seed forgets it")
{
    Opened w;
    const auto failures = [&] { return w.window.motion().stops.size(); };
    const std::size_t before = failures();
    w.window.click("###kill a GPU");
    w.window.settle();
    CHECK(failures() == before + 1);
    w.window.key(ImGuiKey_K);
    w.window.settle();
    CHECK(failures() == before + 2);
    w.window.key(ImGuiKey_N);
    w.window.settle();
    CHECK(test::says(w.window, "seed 2"));
}

TEST_CASE("detection, tiers and asynchronous saves change what is expected")
{
    Opened w;
    w.window.type_value("Time to detect", "30");
    w.window.settle();
    CHECK(test::says(w.window, "30.0 s"));
    const std::string before = test::text_of(w.window);
    w.window.click("Asynchronous saves");
    w.window.settle();
    CHECK(test::text_of(w.window) != before);
    w.window.key(ImGuiKey_A);
    w.window.key(ImGuiKey_E);
    w.window.settle();
    CHECK(w.window.drawn().fault == "");
}

TEST_CASE("another fleet's failures are chosen from the list")
{
    Opened w;
    w.window.click("###fails like");
    w.window.frames(3);
    w.window.click("OPT-175B");
    w.window.settle();
    CHECK(test::says(w.window, "OPT-175B"));
}

TEST_CASE("stragglers: S makes ranks slow, the handle says how slow, and ranks are dragged onto the scenario")
{
    Opened w("stragglers");
    CHECK(!test::says(w.window, "ranks take"));
    w.window.key(ImGuiKey_S);
    w.window.settle();
    CHECK(test::says(w.window, "take 20.0% longer"));
    w.window.drag("###how slow the slow ranks are", 0.5F, -2);
    w.window.settle();
    CHECK(!test::says(w.window, "take 20.0% longer"));
    const std::int64_t before = w.window.session().scenario().cluster.gpus;
    w.window.drag("###ranks that wait", 0.5F, 4);
    w.window.settle();
    CHECK(w.window.session().scenario().cluster.gpus > before);
    CHECK(w.window.valid());
    w.window.key(ImGuiKey_R);
    w.window.settle();
    CHECK(!test::says(w.window, "longer,"));
}

TEST_CASE("fleets: the size is dragged, and what the view says is the engine's")
{
    test::Window w;
    w.open("goodput/fleet");
    w.settle(300);
    CHECK(test::says(w, "Effective training time"));
    CHECK(test::says(w, "Probability that the spares are enough"));
    const std::string before = test::text_of(w);
    w.type_value("GPUs of the job", "16384");
    w.settle(300);
    CHECK(test::text_of(w) != before);
    CHECK(test::says(w, "2 h 47 min"));
    test::check_words_at_every_size(w, "goodput/fleet");
}
