// The walk to a layout in a user's hands: what it asks, where it ends, and what its keys load.
#include "tests/ui/words.h"

#include "core/planner/decision_tree.h"
#include "core/planner/layout.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

TEST_CASE("the walk asks from one GPU on and its end can be loaded")
{
    Window w;
    w.open("decide");
    w.settle(2000);
    const DecisionWalk walk = decide(w.session().scenario());
    for (const Decision& decision : walk.decisions)
    {
        INFO(decision.question);
        CHECK(says(w, decision.question));
        CHECK(says(w, decision.working));
    }
    REQUIRE(walk.fits);
    w.key(ImGuiKey_L);
    w.settle(2000);
    CHECK(layout_of(w.session().scenario()) == layout_of(walk.scenario));
    CHECK(w.valid());
    CHECK(w.session().now().report->memory.fits());
}

TEST_CASE("S loads what the search found, which is no slower than the walk where the walk is legal")
{
    Window w;
    w.open("decide");
    w.settle(2000);
    const DecisionWalk walk = decide(w.session().scenario());
    w.click("load best");
    w.settle(2000);
    CHECK(w.valid());
    CHECK(w.session().now().report->step.total() <= walk.seconds * 1.02);
    CHECK(w.session().now().report->memory.fits());
}

TEST_CASE("a walk that ends too large says by how much")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "llama-3.1-405b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8}, "training": {"global_batch": 64}})")});
    w.open("decide");
    w.settle(2000);
    CHECK(says(w, "over"));
    CHECK(says(w, "nothing fits"));
    CHECK(w.seek("load best") == nullptr);
}
