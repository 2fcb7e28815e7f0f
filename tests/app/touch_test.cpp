// Fingers, in front of the whole program.
#include "tests/ui/harness.h"

#include "app/session/touch.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

struct Finger
{
    explicit Finger(test::Window& window) : w(window)
    {
        ImGui::GetIO().ConfigInputTrickleEventQueue = true; // as in a browser
    }

    test::Window& w;
    Touch touch;
    double now = 1;

    void at(ImVec2 place, double seconds = 0.02)
    {
        now += seconds;
        touch.move(std::array{place}, now);
        w.frames(3);
    }
    void lift()
    {
        touch.move({}, now);
        w.frames(5);
    }
    void swipe(ImVec2 from, ImVec2 to)
    {
        for (int i = 0; i <= 10; ++i)
        {
            const auto share = static_cast<float>(i) / 10;
            at({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
        }
        lift();
    }
};

} // namespace

TEST_CASE("a tap presses when the finger is lifted")
{
    test::Window w;
    Finger finger(w);
    const Rect there = w.find("Memory###rail Memory").rect;
    finger.at({there.centre(), there.middle()});
    finger.at({there.centre() + 3, there.middle() + 2});
    CHECK(w.session().view() == "overview");
    finger.lift();
    CHECK(w.session().view() == "memory");
}

TEST_CASE("a swipe scrolls a list and presses nothing on its way")
{
    test::Window w({1280, 480});
    Finger finger(w);
    const double memory = w.memory();
    const float before = w.find("Pipeline stages").rect.y;
    finger.swipe({1150, 400}, {1150, 250}); // over the sliders of the panel
    CHECK(w.find("Pipeline stages").rect.y < before - 60);
    CHECK(w.memory() == memory);
    finger.swipe({1150, 150}, {1150, 400});
    CHECK(w.find("Pipeline stages").rect.y == before);
}

TEST_CASE("a second finger takes a press back")
{
    test::Window w;
    Finger finger(w);
    const Rect there = w.find("Memory###rail Memory").rect;
    const ImVec2 at{there.centre(), there.middle()};
    finger.at(at);
    finger.touch.move(std::array{at, ImVec2{at.x + 80, at.y}}, 2);
    w.frames(2);
    finger.at(at);
    finger.lift();
    CHECK(w.session().view() == "overview");
}

TEST_CASE("a finger that goes sideways drags a slider from where it came down")
{
    test::Window w;
    Finger finger(w);
    const double before = w.memory();
    const Rect track = w.find("Pipeline stages").rect;
    finger.swipe({track.x + track.w * 0.4F, track.bottom() - 6}, {track.right() - 4, track.bottom() - 6});
    CHECK(w.memory() != before);
}

TEST_CASE("what the system takes away lets go of everything")
{
    test::Window w;
    Finger finger(w);
    finger.at({600, 400});
    finger.at({660, 400});
    finger.touch.cancel();
    w.frames(3);
    CHECK_FALSE(ImGui::GetIO().MouseDown[0]);
}

TEST_CASE("two fingers that part zoom the map of the cluster")
{
    test::Window w;
    w.open("layout");
    w.settle();
    Finger finger(w);
    const test::Drawn before = w.drawn();
    for (int i = 0; i < 8; ++i)
    {
        const auto apart = static_cast<float>(40 + 20 * i);
        finger.touch.move(std::array{ImVec2{500 - apart, 350}, ImVec2{500 + apart, 350}}, 1 + i * 0.02);
        w.frames(3);
    }
    finger.lift();
    CHECK(w.drawn().vertices != before.vertices);
}

TEST_CASE("the panel of a narrow window lies over the picture, and a press beside it closes it alone")
{
    test::Window w({700, 844});
    w.settle();
    CHECK(w.seek("Pipeline stages") == nullptr);
    w.click("Scenario###panel button");
    w.settle();
    REQUIRE(w.seek("Pipeline stages") != nullptr);
    w.drag("Pipeline stages", 0.4F, 0.9F);
    const double changed = w.memory();
    w.press_at({28, 150}); // a view of the rail lies there
    w.frames(3);
    CHECK(w.seek("Pipeline stages") == nullptr);
    CHECK(w.session().view() == "overview");
    CHECK(w.memory() == changed);
}

TEST_CASE("while somebody draws, a finger that goes up draws and scrolls nothing")
{
    test::Window w;
    w.open("growth");
    w.settle();
    CHECK_FALSE(w.session().draws());
    w.key(ImGuiKey_B, ImGuiMod_Ctrl);
    w.frames(6);
    REQUIRE(w.session().draws());
    Finger finger(w);
    finger.touch.set_draws(w.session().draws());
    CHECK(w.seek("copy the hands") == nullptr);
    const Rect paper = w.find("###draw on chart 0").rect;
    finger.swipe({paper.centre(), paper.bottom() - 20}, {paper.centre() + 10, paper.y + 20});
    CHECK(w.seek("copy the hands") != nullptr);
}
