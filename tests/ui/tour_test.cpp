// The tour over the window: gone through, left, and what other keys do meanwhile.
#include "tests/source_path.h"
#include "tests/ui/study/glossary_room.h"
#include <fmt/format.h>

#include "core/scenario/link/link.h"
#include "ui/shell/guide/tour.h"

#include <fstream>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

void start(Window& w)
{
    w.drawing.shell().tour().start();
    w.settle();
}

bool on(Window& w)
{
    return w.drawing.shell().tour().on();
}

} // namespace

TEST_CASE("no window begins with the tour unless it is asked for")
{
    Window w;
    CHECK_FALSE(on(w));
    CHECK_FALSE(says(w, "Esc leaves"));
}

TEST_CASE("Enter, Space and the right arrow go on to the tour's end, the left one back")
{
    Window w;
    start(w);
    const auto count = tour_stops().size();
    CHECK(count >= 5);
    for (std::size_t stop = 0; stop < count; ++stop)
    {
        INFO(tour_stops()[stop].title);
        CHECK(says(w, tour_stops()[stop].title));
        CHECK(says(w, fmt::format("{} of {}", stop + 1, count)));
        CHECK(w.drawn().fault == "");
        CHECK(w.drawn().missing_glyphs == 0);
        constexpr std::array kOn{ImGuiKey_Enter, ImGuiKey_Space, ImGuiKey_RightArrow};
        if (stop == 2)
        {
            w.key(ImGuiKey_LeftArrow);
            w.settle();
            CHECK(says(w, tour_stops()[1].title));
            w.key(ImGuiKey_RightArrow);
            w.settle();
        }
        w.key(kOn[stop % kOn.size()]);
        w.settle();
    }
    CHECK_FALSE(on(w));
    CHECK_FALSE(w.playback().playing); // Space was the tour's
    CHECK(w.session().view() == "overview");
}

TEST_CASE("Next is pressed, and a press elsewhere leaves the tour and does what it does")
{
    Window w;
    start(w);
    w.click("tour next");
    w.settle();
    CHECK(says(w, tour_stops()[1].title));
    w.click("rail Memory");
    w.settle();
    CHECK_FALSE(on(w));
    CHECK(w.session().view() == "memory");
}

TEST_CASE("any other key leaves the tour and does what it does")
{
    Window w;
    start(w);
    w.key(ImGuiKey_T);
    w.settle();
    CHECK_FALSE(on(w));
    CHECK(w.session().preferences().light);
    start(w);
    w.key(ImGuiKey_Escape);
    w.settle();
    CHECK_FALSE(on(w));
    start(w);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.settle();
    CHECK_FALSE(on(w));
    CHECK(w.seek("###query") != nullptr);
}

TEST_CASE("the palette shows the tour again, out of a lesson and over the overview")
{
    Window w;
    test::give_course(w);
    w.session().apply(StartLesson{"bubble"});
    w.frames(3);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("tour");
    w.key(ImGuiKey_Enter);
    w.frames(20);
    CHECK(on(w));
    CHECK(w.session().frame(0).lesson == nullptr);
    CHECK(w.session().view() == "overview");
    CHECK(says(w, tour_stops()[0].title));
}

TEST_CASE("cards of the tour lie inside the window with all their words, at any size")
{
    struct Mode
    {
        ImVec2 size;
        float text;
    };
    for (const Mode mode : {Mode{{1280, 800}, 1}, Mode{{640, 480}, 1}, Mode{{640, 480}, 2.5F},
                            Mode{{320, 240}, 1}, Mode{{1920, 1080}, 1.5F}})
    {
        Preferences p;
        p.text_scale = mode.text;
        p.reduced_motion = true;
        Window w(mode.size, p);
        start(w);
        for (const TourStop& stop : tour_stops())
        {
            INFO(stop.title << ", " << mode.size.x << " x " << mode.size.y << ", text " << mode.text);
            CHECK(w.drawn().fault == "");
            const Rect next = w.find("tour next").rect;
            CHECK(next.x >= 0.0F);
            CHECK(next.right() <= mode.size.x);
            CHECK(next.bottom() <= mode.size.y);
            w.key(ImGuiKey_Enter);
            w.settle();
        }
        CHECK_FALSE(on(w));
    }
}

TEST_CASE("the tour begins with what people come for, and a use is begun by its key or its button")
{
    Window w;
    start(w);
    for (const char* use : {"use plan", "use teach", "use study", "use example"})
    {
        CHECK(w.seek(use) != nullptr);
    }
    w.click("use plan");
    w.settle();
    CHECK_FALSE(on(w));
    CHECK(w.session().view() == "planner");
    start(w);
    w.key(ImGuiKey_3);
    w.settle();
    CHECK_FALSE(on(w));
    CHECK(w.session().view() == "lessons");
}

TEST_CASE("the tour has the places of the gallery to begin with, each with its scenario")
{
    std::ifstream list(test::source_path("assets/gallery/start.txt"));
    Window w({1280, 800});
    std::size_t place = 0;
    for (std::string line; std::getline(list, line);)
    {
        const PlaceLink link = read_link(line.substr(0, line.find(' ')), w.session().frame(0).presets).link;
        start(w);
        w.key(ImGuiKey_4);
        w.settle();
        CHECK(says(w, "Begin with an example"));
        w.click(fmt::format("place {}", ++place));
        w.settle();
        INFO(line);
        CHECK_FALSE(on(w));
        CHECK(w.session().view() == link.view);
        CHECK((!link.scenario || w.session().scenario() == *link.scenario));
    }
    CHECK(place == 12);
}
