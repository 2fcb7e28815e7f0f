// The sizes view and the collectives view: what their keys change in the picture.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include "core/network/collective/cost.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("Y goes through time, bus bandwidth, ranks, measured and fabric, and comes back")
{
    test::Window w;
    w.open("message");
    CHECK(test::says(w, "latency-bound"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "bus bandwidth, GB/s"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "Sent by the busiest rank"));
    CHECK(test::says(w, "Sequential steps"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "diamonds: measured"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "A rail-optimized fabric"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "latency-bound"));
}

TEST_CASE("the axis of sizes goes as far as the message, and no curve ends before its own")
{
    test::Window w;
    w.open("message");
    const auto terabytes = [&] { return test::says(w, "1 TB") || test::says(w, "10 TB"); };
    CHECK_FALSE(terabytes());
    Scenario s = w.session().scenario();
    s.model.layers *= 16;
    s.training.global_batch = 256;
    s.parallel.tensor = s.parallel.pipeline = 1;
    w.session().apply(ChangeScenario{s});
    w.settle(300);
    REQUIRE(w.session().now().report->collective->message > Bytes(1e12));
    CHECK(terabytes());
}

TEST_CASE("a GPU that is pressed is sent to: over its rail, over the spine, or over NVLink first")
{
    test::Window w;
    w.open("message/fabric");
    w.settle();
    CHECK(test::says(w, "three switches"));
    w.click("###gpu 3 1");
    w.settle();
    CHECK(test::says(w, "one leaf switch"));
    w.click("###gpu 0 4");
    w.settle();
    CHECK(test::says(w, "no network"));
    w.click("###gpu 1 0");
    w.click("PXN");
    w.settle();
    CHECK(test::says(w, "of the other rail"));
}
