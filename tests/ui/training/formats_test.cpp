// Number formats in a user's hands: bits that are turned over, a number that is dragged, the four pages,
// and what each says.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/choices.h"
#include "core/training/block_format.h"
#include "core/training/loss_scale.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::unique_ptr<Window> opened(int page = 0)
{
    auto w = std::make_unique<Window>();
    w->open("formats");
    w->settle(300);
    for (int i = 0; i < page; ++i)
    {
        w->key(ImGuiKey_Y);
        w->settle(300);
    }
    return w;
}

} // namespace

TEST_CASE("the scenario's format is on show until another is chosen by digit, row or list")
{
    const auto w = opened();
    CHECK(says(*w, "BF16 stores"));
    w->key(ImGuiKey_4);
    w->settle(300);
    CHECK(says(*w, "FP16 stores"));
    w->click("format E5M2");
    w->settle(300);
    CHECK(says(*w, "E5M2 stores"));
    w->key(ImGuiKey_F);
    w->frames(2);
    w->click("FP32");
    w->settle(300);
    CHECK(says(*w, "FP32 stores"));
}

TEST_CASE("training in fp8 shows E4M3")
{
    const auto w = opened();
    Scenario fp8 = w->session().scenario();
    fp8.training.precision = Precision::fp8;
    w->session().apply(ChangeScenario{fp8});
    w->settle(300);
    REQUIRE(w->valid());
    CHECK(says(*w, "E4M3 stores"));
}

TEST_CASE(
    "a bit turned over is another number in every row: 0.1 without its sign bit, doubled by an exponent bit")
{
    const auto w = opened();
    CHECK(says(*w, "x = 0.1"));
    w->click("BF16 bit 15");
    w->settle(300);
    CHECK(says(*w, "\u22120.100098"));
    w->click("BF16 bit 15");
    w->settle(300);
    // 0.1 has the exponent field 123 = 0b01111011; bit 2 of it is 0 and worth 2^4.
    w->click("BF16 bit 9");
    w->settle(300);
    CHECK(says(*w, "x = 1.60156"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("infinity and NaN are said, not drawn, and a bit leads back")
{
    const auto w = opened();
    w->click("E2M1 bit 0"); // 0 becomes 0.5
    w->settle(300);
    CHECK(says(*w, "E2M1 holds 0.5 exactly"));
    for (const char* bit : {"FP16 bit 10", "FP16 bit 14"})
    {
        w->click(bit); // 0.5 has the exponent field 0b01110: bits 0 and 4 make it all ones
        w->settle(300);
    }
    CHECK(says(*w, "encode inf"));
    CHECK(w->drawn().fault == "");
    w->click("FP16 bit 0");
    w->settle(300);
    CHECK(says(*w, "encode NaN"));
    w->click("FP16 bit 14");
    w->settle(300);
    CHECK(!says(*w, "encode NaN"));
}

TEST_CASE("beyond the end 8 bits saturate, or do not when O is pressed")
{
    const auto w = opened();
    w->click("FP16 bit 14"); // 0.1 has the exponent field 0b01011; its highest bit is worth 2^16
    w->settle(300);
    w->key(ImGuiKey_5);
    w->settle(300);
    CHECK(says(*w, "at 448"));
    w->key(ImGuiKey_O);
    w->settle(300);
    CHECK(says(*w, "overflows"));
}

TEST_CASE("the number is dragged through the octaves and, finely, among its neighbours")
{
    const auto w = opened();
    const test::Item& knob = w->find("magnitude of the number");
    const ImVec2 at{knob.rect.centre(), knob.rect.middle()};
    w->drag("magnitude of the number", 0.5F, 8);
    w->settle(300);
    CHECK(!says(*w, "x = 0.1 "));
    CHECK(w->find("magnitude of the number").rect.centre() > at.x + 30);
    w->drag("number among its neighbours", 0.5F, 3);
    w->settle(300);
    CHECK(w->drawn().fault == "");
    CHECK(w->drawn().missing_glyphs == 0);
}

TEST_CASE("sums: BF16 stands still at 1, FP32 does not, and the clock and the addend are dragged")
{
    const auto w = opened(1);
    CHECK(says(*w, "still 1"));
    CHECK(says(*w, "rounds back"));
    CHECK(w->motion().duration == 256);
    w->key(ImGuiKey_1);
    w->settle(300);
    CHECK(says(*w, "FP32 has reached 1.256"));
    w->key(ImGuiKey_3);
    w->type_value("Increment", "0.005");
    w->session().apply(Seek{0});
    w->settle(300);
    CHECK(says(*w, "rounds up"));
    // From 2 on half a step is more than 0.005.
    w->session().apply(Seek{256});
    w->settle(300);
    CHECK(says(*w, "still 2"));
    w->drag("sum over additions", 0.9F, 0.1F);
    w->settle(300);
    CHECK(w->playback().t < 60);
    w->drag("number that is added", 0.5F, -12);
    w->settle(300);
    CHECK(says(*w, "rounds back"));
}

TEST_CASE("blocks: every block format has its row and error, and an outlier costs its own block")
{
    const auto w = opened(2);
    for (const BlockFormat& f : block_formats())
    {
        w->click("block format " + std::string(f.name));
        w->settle(300);
        INFO(std::string(f.name));
        CHECK(says(*w, fmt::format("{}: {:g} bits", f.name, f.bits_per_value())));
        CHECK(w->drawn().fault == "");
    }
    w->click("Outlier on or off");
    w->settle(300);
    CHECK(w->drawn().fault == "");
    w->move_to({-100, -100});
    w->frames(2);
    CHECK(w->seek("number 64") != nullptr);
}

TEST_CASE("the loss scale runs by the clock, falls from 2^24, and D holds it")
{
    const auto w = opened(3);
    w->key(ImGuiKey_4);
    w->session().apply(Seek{0});
    w->settle(300);
    CHECK(says(*w, "step 1"));
    CHECK(says(*w, "Gradients \u00d7 2\u00b2\u2074"));
    w->session().apply(Seek{400});
    w->settle(300);
    CHECK(!says(*w, "Gradients \u00d7 2\u00b2\u2074"));
    CHECK(says(*w, "steps without overflow"));
    w->key(ImGuiKey_D);
    w->settle(300);
    CHECK(says(*w, "Gradients \u00d7 2\u00b2\u2074"));
    w->click("2\u00b9\u2076");
    w->settle(300);
    CHECK(says(*w, "Gradients \u00d7 2\u00b9\u2076"));
    w->drag("centre of the gradients", 0.5F, -6);
    w->settle(300);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("a number far beyond a format's range leaves its line where the format ends")
{
    for (const NumberFormat& f : number_formats())
    {
        INFO(f.name);
        const auto w = opened();
        w->drag("magnitude of the number", 0.5F, 20);
        w->click(fmt::format("format {}", f.name));
        w->settle(300);
        CHECK(w->drawn().fault == "");
        CHECK(says(*w, fmt::format("Neighboring numbers in {}", f.name)));
    }
}

TEST_CASE("a fault in the scenario leaves the last good picture of the formats")
{
    const auto w = opened();
    w->session().apply(ChangeScenario{ringside::with(w->session().scenario(), Knob::tensor, 3)});
    w->frames(3);
    CHECK(!w->valid());
    CHECK(w->drawn().fault == "");
    CHECK(says(*w, "Range vs precision"));
}
