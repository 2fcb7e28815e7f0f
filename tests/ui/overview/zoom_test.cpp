// The zoom by hand: wheel, keys, the list of heights, links; the picture at any height by any way, its words,
// and that nothing jumps.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr ImVec2 kInPicture{600, 400};

// Pictures are compared without easing on the way to them.
Preferences still()
{
    Preferences p;
    p.reduced_motion = true;
    return p;
}

// Everything that was given to the renderer.
std::vector<float> picture()
{
    std::vector<float> all;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
    {
        for (const ImDrawVert& v : list->VtxBuffer)
        {
            all.insert(all.end(), {v.pos.x, v.pos.y, static_cast<float>(v.col)});
        }
    }
    return all;
}

void seek_height(test::Window& w, double height)
{
    w.session().apply(Seek{height});
    w.settle(5000);
}

} // namespace

TEST_CASE("zoom: wheel and page keys move the height, and a press goes one further down")
{
    test::Window w({1280, 800}, still());
    w.open("zoom");
    w.settle();
    CHECK(w.playback().t == Approx(0));
    w.key(ImGuiKey_PageDown);
    CHECK(w.playback().t == Approx(1));
    w.key(ImGuiKey_PageDown);
    w.key(ImGuiKey_PageUp);
    CHECK(w.playback().t == Approx(1));
    w.wheel(kInPicture, 2);
    const double in = w.playback().t;
    CHECK(in > 1);
    w.wheel(kInPicture, -2);
    CHECK(w.playback().t == Approx(1));
    w.move_to(kInPicture);
    w.press_at(kInPicture);
    w.frames(2);
    CHECK(w.playback().t == Approx(2));
    w.click("height 10");
    w.frames(2);
    CHECK(w.playback().t == Approx(10));
    w.key(ImGuiKey_PageDown);
    CHECK(w.playback().t == Approx(10));
}

TEST_CASE("zoom: pinching zooms, too")
{
    test::Window w({1280, 800}, still());
    w.open("zoom/gpu");
    w.settle();
    w.move_to(kInPicture);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    ImGui::GetIO().AddMouseWheelEvent(0, 1);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
    w.frames(4);
    CHECK(w.playback().t > 2);
}

TEST_CASE("zoom: a link opens any height again, and O the view that explains it")
{
    test::Window w({1280, 800}, still());
    std::set<std::string> opened;
    for (const std::string_view place : find_view("zoom")->pages)
    {
        INFO(place);
        w.open(place);
        w.settle(5000);
        const std::string link = w.session().link_text();
        CHECK(link.find(std::string(place)) != std::string::npos);
        const double height = w.playback().t;
        seek_height(w, 4.5);
        w.session().open_link(link);
        w.settle(5000);
        CHECK(w.playback().t == Approx(height).margin(1e-6));
        w.key(ImGuiKey_O);
        w.settle(5000);
        CHECK(w.session().view() != "zoom");
        opened.insert(w.session().view());
        w.open("zoom");
    }
    CHECK(opened.size() >= 6);
}

TEST_CASE("zoom: any way to a height shows the same picture")
{
    test::Window w({1280, 800}, still());
    w.open("zoom");
    w.move_to({-100, -100});
    for (const double height : {0.0, 0.6, 1.4, 3.3, 4.5, 6.8, 8.2, 9.7})
    {
        INFO(height);
        seek_height(w, height);
        const auto first = picture();
        seek_height(w, 10);
        seek_height(w, 2.2);
        seek_height(w, height);
        CHECK(picture() == first);
    }
}

TEST_CASE("zoom: with motion the picture follows the clock, and ends where the clock is")
{
    test::Window w;
    w.open("zoom");
    w.move_to({-100, -100});
    w.settle();
    w.session().apply(Seek{3.0});
    CHECK(w.frame()); // on its way
    CHECK(w.settle(5000) > 60);
    const auto arrived = picture();
    w.session().set_preferences(still());
    w.settle();
    CHECK(picture() == arrived);
}

TEST_CASE("zoom: words never lie on each other nor are cut off, at any height, in wide and in narrow windows")
{
    test::Window w({1280, 800}, still());
    w.open("zoom");
    w.move_to({-100, -100});
    for (const test::Setup& setup : test::setups())
    {
        Preferences p = setup.preferences(w.session().preferences());
        p.reduced_motion = true;
        w.session().set_preferences(p);
        w.resize(setup.window);
        for (double height = 0; height <= 10; height += 0.23)
        {
            INFO(setup.says() << ", height " << height);
            seek_height(w, height);
            CHECK(test::words_on_each_other(w) == "");
            CHECK(test::cut_words(w) == "");
            CHECK(w.drawn().fault.empty());
        }
    }
}

TEST_CASE("zoom: 16,384 GPUs are drawn with no more than a window needs, at every height")
{
    test::Window w({1280, 800}, still());
    Scenario s = default_scenario(test::presets());
    s.cluster.gpus = 16384;
    s.training.global_batch = 16384;
    w.session().apply(ChangeScenario{s});
    REQUIRE(w.valid());
    w.open("zoom");
    for (double height = 0; height <= 10; height += 0.11)
    {
        INFO(height);
        seek_height(w, height);
        CHECK(w.drawn().fault.empty());
        CHECK(w.drawn().vertices < 150'000);
    }
}
