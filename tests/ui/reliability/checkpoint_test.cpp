// Checkpoints: parts are left out by key and by tick, and the layout they are loaded on is chosen.
#include "tests/ui/words.h"

#include "core/base/text/text.h"
#include "core/evaluate/report.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE("a checkpoint says its size as the metric has it")
{
    test::Window w;
    w.open("checkpoint");
    w.settle();
    const Evaluated& now = w.session().now();
    const double bytes = find_metric("checkpoint.bytes")->value(now.scenario, *now.report);
    CHECK(test::says(w, format_bytes(Bytes(bytes))));
}

TEST_CASE("keys and ticks leave parts out, 0 puts all back")
{
    test::Window w;
    w.open("checkpoint");
    w.key(ImGuiKey_4);
    w.settle();
    CHECK(test::says(w, "without variance"));
    w.click("###holds momentum");
    w.settle();
    CHECK(test::says(w, "momentum and variance"));
    w.key(ImGuiKey_0);
    w.settle();
    CHECK(!test::says(w, "without variance"));
    CHECK(test::says(w, "bit for bit"));
}

TEST_CASE(
    "H and D and the sliders change the layout the checkpoint is loaded on, and the clock moves its shards")
{
    test::Window w;
    w.open("checkpoint/shards");
    w.settle();
    CHECK(test::says(w, "Saved: TP 8 \u00d7 PP 4 \u00d7 2 of 8 shards")); // as many as there is room for
    CHECK(test::says(w, "Loaded: TP 4"));
    w.key(ImGuiKey_H);
    w.settle();
    CHECK(test::says(w, "Loaded: TP 2"));
    w.key(ImGuiKey_D);
    w.key(ImGuiKey_D);
    w.settle();
    CHECK(test::says(w, "Loaded: TP 8"));
    CHECK(w.motion().duration == Approx(1));
    w.session().apply(Seek{1});
    w.settle();
    CHECK(w.drawn().fault == "");
}

TEST_CASE("the Lab is one press away from checkpoints")
{
    test::Window w;
    w.open("checkpoint");
    w.key(ImGuiKey_L);
    w.frames(2);
    CHECK(w.session().frame(0).view == "lab");
}
