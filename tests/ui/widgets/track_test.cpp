// Sliders: where a value lies on its track, and where a drag, an arrow key and typing take it.
#include "tests/ui/harness.h"

#include "core/scenario/choices.h"
#include "ui/widgets/controls.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>

using namespace ringside;
using Catch::Approx;
using test::Window;

namespace
{

SliderChange dragged(float position)
{
    return {SliderChange::Kind::dragged, position, 0, {}};
}
SliderChange stepped(int steps)
{
    return {SliderChange::Kind::stepped, 0, steps, {}};
}

// The middle of the thumb in the slider of this rectangle; nothing where it has none.
std::optional<float> thumb_in(const Rect& slider)
{
    const ImDrawData* data = ImGui::GetDrawData();
    float sum = 0;
    int many = 0;
    for (int i = 0; i < data->CmdListsCount; ++i)
    {
        for (const ImDrawVert& v : data->CmdLists[i]->VtxBuffer)
        {
            const bool inside = v.pos.x >= slider.x && v.pos.x <= slider.right() && v.pos.y > slider.y + 21 &&
                                v.pos.y < slider.y + 36;
            sum += inside && v.col == dark_theme().text ? v.pos.x : 0;
            many += inside && v.col == dark_theme().text ? 1 : 0;
        }
    }
    return many > 8 ? std::optional(sum / static_cast<float>(many)) : std::nullopt;
}

std::map<std::string, float> thumbs_of(Window& w)
{
    w.move_to({-100, -100});
    w.settle(2000);
    std::map<std::string, float> all;
    for (const test::Item& item : w.items())
    {
        const auto at = item.rect.x > 1008 && item.visible.h > 40 && item.rect.h == 42 && !item.label.empty()
                            ? thumb_in(item.rect)
                            : std::nullopt;
        if (at)
        {
            all[item.label] = *at;
        }
    }
    return all;
}

} // namespace

TEST_CASE("hand-worked: arrow keys go from stop to stop, and from between two to the next one")
{
    constexpr std::array<double, 4> kStops{1, 2, 4, 8};
    for (const Track& track : {Track::at(kStops, say_whole), Track::log_at(kStops, 1, 64)})
    {
        CHECK(moved_to(track, 2, stepped(1)) == 4);
        CHECK(moved_to(track, 2, stepped(-1)) == 1);
        CHECK(moved_to(track, 3, stepped(1)) == 4);
        CHECK(moved_to(track, 3, stepped(-1)) == 2);
        CHECK(moved_to(track, 8, stepped(1)) == 8);
        CHECK(moved_to(track, 1, stepped(-1)) == 1);
    }
    Track snapped = Track::even(0, 2, nullptr);
    snapped.step = 0.05;
    CHECK(moved_to(snapped, 1, stepped(1)) == Approx(1.05));
    CHECK(moved_to(snapped, 1, dragged(0.51F)) == Approx(1.0));
    CHECK(moved_to(Track::even(0, 20, nullptr), 5, stepped(-1)) == Approx(4));
    CHECK(moved_to(Track::log(1, 1000, nullptr), 8, stepped(1)) == Approx(10));
    CHECK(moved_to(Track::log(1, 1000, nullptr), 10, stepped(-1)) == Approx(8));
}

TEST_CASE("hand-worked: evenly spaced stops have equal parts of a track, others their place on the scale")
{
    constexpr std::array<double, 3> kStops{1, 2, 64};
    CHECK(share_of(Track::at(kStops, say_whole), 2) == Approx(0.5));
    const Track track = Track::log_at(kStops, 1, 64);
    CHECK(share_of(track, 2) == Approx(1.0 / 6));
    CHECK(moved_to(track, 64, dragged(0.3F)) == 2);
    CHECK(moved_to(track, 1, dragged(0.7F)) == 64);
    constexpr std::array<double, 2> kFewer{2, 4};
    CHECK(share_of(Track::log_at(kFewer, 1, 64), 2) == share_of(track, 2));
}

TEST_CASE("what is typed stays within the track, and is nothing where it is no number")
{
    constexpr std::array<double, 3> kStops{1, 2, 4};
    CHECK(typed_on(Track::even(0, 1, nullptr, 0.01), "25%") == 0.25);
    CHECK(typed_on(Track::even(0, 1, nullptr), "7") == 1.0);
    CHECK(typed_on(Track::only_at(kStops, say_whole), "3.5") == 4.0);
    CHECK(typed_on(Track::at(kStops, say_whole).rounded(), "2.6") == 3.0);
    CHECK_FALSE(typed_on(Track::even(0, 1, nullptr), "much"));
}

TEST_CASE("a thumb of the scenario panel moves only when its own value does")
{
    for (const std::string_view view : {"layout", "memory", "pipelines"})
    {
        Window w;
        w.open(view);
        const auto before = thumbs_of(w);
        INFO(view);
        REQUIRE(before.size() >= 3);
        for (const std::int64_t gpus : {256, 512, 64})
        {
            w.session().apply(ChangeScenario{with(w.session().scenario(), Knob::gpus, gpus)});
            const auto after = thumbs_of(w);
            for (const auto& [label, at] : before)
            {
                INFO(label << ", " << gpus << " GPUs");
                REQUIRE(after.contains(label));
                const bool follows = label.starts_with("GPUs") || label.starts_with("Micro-batches");
                CHECK((follows || std::abs(after.at(label) - at) < 0.5F));
            }
        }
    }
}
