// A number of GPUs that the layout does not suit, typed by a user: the repair fits, and ends when it can.
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::Window;

TEST_CASE("100 GPUs get a layout that fits, and 256 the one that stood there before")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    REQUIRE(before.cluster.gpus == 256);
    w.type_value("GPUs", "100");
    w.frames(3);
    REQUIRE(w.valid());
    CHECK(w.session().scenario().parallel.tensor == 4);
    CHECK(w.session().scenario().parallel.pipeline == 5);
    CHECK(w.session().now().report->memory.fits());
    w.type_value("GPUs", "96");
    w.frames(3);
    CHECK(w.session().scenario().parallel == before.parallel); // TP 8, PP 4, DP 3
    w.type_value("GPUs", "100");
    w.frames(3);
    w.type_value("GPUs", "256");
    w.frames(3);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("what is changed after a repair stays changed")
{
    Window w;
    w.open("memory");
    w.type_value("GPUs", "100");
    w.frames(3);
    Scenario next = w.session().scenario();
    next.training.recompute = Recompute::full;
    w.session().apply(ChangeScenario{next});
    w.type_value("GPUs", "200");
    w.frames(3);
    CHECK(w.session().scenario().training.recompute == Recompute::full);
    CHECK(w.session().scenario().parallel.tensor == next.parallel.tensor);
}
