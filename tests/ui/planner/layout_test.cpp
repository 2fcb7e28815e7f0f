// The cluster map by hand: the order of ranks is dragged, moved by keys and made the best; the mouse finds
// GPUs at any zoom.
#include "tests/ui/words.h"

#include "core/network/topology.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

// Axes from left to right.
std::string shown_order(const test::Window& window)
{
    std::vector<std::pair<float, std::string>> chips;
    for (const test::Item& item : window.items())
    {
        const auto at = item.label.find("###order ");
        if (at != std::string::npos)
        {
            chips.emplace_back(item.rect.x, item.label.substr(at + 9));
        }
    }
    std::sort(chips.begin(), chips.end());
    std::string order;
    for (const auto& [x, name] : chips)
    {
        order += name + " ";
    }
    return order;
}

} // namespace

TEST_CASE("the cluster map starts in Megatron-LM's order, which nothing beats for the default scenario")
{
    test::Window window;
    window.open("layout");
    window.frames(2);
    CHECK(shown_order(window) == "tensor context expert data pipeline ");
    CHECK(window.seek("best order") == nullptr);
}

TEST_CASE("a dragged axis changes the order, O takes the best, R goes back to Megatron-LM's")
{
    test::Window window;
    window.open("layout");
    window.frames(2);
    const float pitch = window.find("order context").rect.x - window.find("order tensor").rect.x;
    const float width = window.find("order tensor").rect.w;
    window.drag("order tensor", 0.5F, 0.5F + 4.5F * pitch / width);
    window.frames(2);
    CHECK(shown_order(window) == "context expert data pipeline tensor ");
    CHECK(window.seek("best order") != nullptr); // tensor outermost leaves every node
    window.key(ImGuiKey_O);
    window.frames(2);
    CHECK(window.seek("best order") == nullptr);
    CHECK(shown_order(window) != "context expert data pipeline tensor ");
    window.key(ImGuiKey_R);
    window.frames(2);
    CHECK(shown_order(window) == "tensor context expert data pipeline ");
}

TEST_CASE("arrow keys move the axis that was pressed")
{
    test::Window window;
    window.open("layout");
    window.frames(2);
    window.click("order data");
    window.key(ImGuiKey_LeftArrow);
    window.frames(2);
    CHECK(shown_order(window) == "tensor context data expert pipeline ");
    window.key(ImGuiKey_RightArrow);
    window.key(ImGuiKey_RightArrow);
    window.frames(2);
    CHECK(shown_order(window) == "tensor context expert pipeline data ");
    window.key(ImGuiKey_RightArrow); // already outermost
    window.frames(2);
    CHECK(shown_order(window) == "tensor context expert pipeline data ");
}

TEST_CASE("sixteen thousand GPUs are drawn at every zoom, under the mouse and pressed")
{
    test::Window window;
    window.session().apply(ChangeScenario{
        test::scenario(R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
        "parallel": {"tensor": 8, "pipeline": 2, "zero": 1, "sequence_parallel": true},
        "training": {"global_batch": 4096}})")});
    REQUIRE(window.valid());
    window.open("layout");
    window.frames(2);
    const ImVec2 middle{500, 320};
    for (int turn = 0; turn < 24; ++turn)
    {
        window.wheel(middle, 1);
        window.frame();
        const test::Drawn drawn = window.drawn();
        REQUIRE(drawn.fault == "");
        REQUIRE(drawn.missing_glyphs == 0);
        REQUIRE(drawn.vertices < 200'000);
    }
    window.press_at(middle);
    for (const ImGuiKey key : {ImGuiKey_1, ImGuiKey_2, ImGuiKey_3, ImGuiKey_4, ImGuiKey_5, ImGuiKey_F})
    {
        window.key(key);
        window.frames(2);
        CHECK(window.drawn().fault == "");
    }
}

TEST_CASE("the panel writes GPUs and HBM as people do")
{
    test::Window window;
    window.open("layout");
    window.frames(2);
    CHECK(test::says(window, "GPUs per node"));
}
