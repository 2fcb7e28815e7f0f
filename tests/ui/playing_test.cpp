// Time: played, stopped, scrubbed and stepped through.
#include "tests/ui/harness.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;
using test::Window;

TEST_CASE("Space plays and pauses every view that moves")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        INFO(view->id);
        const bool moves = w.motion().duration > 0;
        w.session().apply(Play{false}); // some open playing
        w.key(ImGuiKey_Space);
        CHECK(w.playback().playing == moves);
        if (!moves)
        {
            CHECK(w.seek("Time###scrub") == nullptr);
            continue;
        }
        const double t = w.playback().t;
        w.frames(5, 0.05);
        CHECK(w.playback().t != t);
        w.key(ImGuiKey_Space);
        CHECK(!w.playback().playing);
        const double stopped = w.playback().t;
        w.frames(5, 0.05);
        CHECK(w.playback().t == stopped);
        w.click("Play or pause###play");
        CHECK(w.playback().playing);
        w.click("Play or pause###play");
        CHECK(!w.playback().playing);
    }
}

TEST_CASE("comma and full stop step to the stops in order, Home and End go to the ends")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        if (w.motion().duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        const double duration = w.motion().duration;
        w.session().apply(Play{false}); // some open playing
        w.key(ImGuiKey_End);
        CHECK(w.playback().t == duration);
        w.key(ImGuiKey_Home);
        CHECK(w.playback().t == 0);
        std::vector<double> visited{0};
        while (visited.back() < duration && visited.size() < 2000)
        {
            w.key(ImGuiKey_Period);
            REQUIRE(w.playback().t > visited.back());
            visited.push_back(w.playback().t);
        }
        CHECK(visited.back() == Catch::Approx(duration));
        for (std::size_t i = visited.size() - 1; i-- > 0;)
        {
            w.key(ImGuiKey_Comma);
            REQUIRE(w.playback().t == Catch::Approx(visited[i]).margin(1e-9));
        }
        CHECK(w.playback().t == 0);
    }
}

TEST_CASE("the time can be scrubbed backwards")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const double duration = w.motion().duration;
        if (duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        std::vector<double> seen;
        w.drag("Time###scrub", 0.9F, 0.1F, [&] { seen.push_back(w.playback().t); });
        CHECK(std::is_sorted(seen.rbegin(), seen.rend()));
        CHECK(seen.front() == Catch::Approx(duration * 0.9).epsilon(0.03));
        CHECK(seen.back() == Catch::Approx(duration * 0.1).epsilon(0.05));
        CHECK(!w.playback().playing);
    }
}

TEST_CASE("playing stops at the end, after as many rounds as the view plays")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const Motion motion = w.motion();
        if (motion.duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        w.session().apply(Seek{motion.duration * 0.95});
        w.session().apply(Play{true});
        int rounds = 1;
        double last = w.playback().t;
        for (int i = 0; i < 10000 && w.playback().playing; ++i)
        {
            w.frame(0.1);
            rounds += w.playback().t < last ? 1 : 0;
            last = w.playback().t;
        }
        CHECK(rounds == motion.rounds);
        CHECK(!w.playback().playing);
        CHECK(w.playback().t == motion.duration);
        // Pressed at the end, play starts from the beginning.
        w.key(ImGuiKey_Space);
        w.frame(0.05);
        CHECK(w.playback().t < motion.duration / 2);
        w.session().apply(Play{false});
    }
}

TEST_CASE("the speed button goes round its speeds and changes how fast time runs")
{
    Window w;
    w.open("ring");
    std::set<float> speeds;
    for (int i = 0; i < 5; ++i)
    {
        w.click("Speed###speed");
        speeds.insert(w.playback().speed);
    }
    CHECK(speeds == std::set<float>{0.25F, 0.5F, 1, 2, 4});
}

TEST_CASE("Space plays whatever widget the keyboard is on, also in the presenter; Enter presses the widget")
{
    for (const bool presenter : {false, true})
    {
        INFO("presenter " << presenter);
        Preferences p;
        p.presenter = presenter;
        Window w({1280, 800}, p);
        w.open("pipelines");
        w.frames(3);
        w.key(ImGuiKey_Tab);
        w.key(ImGuiKey_Tab);
        w.frames(2);
        REQUIRE_FALSE(w.focused().empty());
        const std::string focused = w.focused();
        const Scenario before = w.session().scenario();
        w.key(ImGuiKey_Space);
        w.frames(2);
        CHECK(w.playback().playing);
        CHECK(w.focused() == focused);
        CHECK(w.session().scenario() == before);
        w.key(ImGuiKey_Space);
        w.frames(2);
        CHECK_FALSE(w.playback().playing);
    }
}
