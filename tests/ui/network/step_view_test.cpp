// The step's view: what keys and panel do to the step on show.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include "core/performance/step_life.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using Catch::Approx;

namespace
{

double total(const test::Window& w, StepOptions options)
{
    return step_life(w.session().now().scenario, options).total;
}

StepOptions with(StepStrategy strategy)
{
    StepOptions o;
    o.strategy = strategy;
    return o;
}

} // namespace

TEST_CASE("the step follows the scenario's ZeRO stage until a strategy is chosen by key or by row")
{
    test::Window w;
    w.open("step");
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::zero1))));
    Scenario s = w.session().scenario();
    s.parallel.zero = 2;
    w.session().apply(ChangeScenario{s});
    w.frame();
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::zero2))));
    w.key(ImGuiKey_3);
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::zero3))));
    w.key(ImGuiKey_H);
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::hsdp))));
    w.key(ImGuiKey_0);
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::ddp))));
    w.key(ImGuiKey_Y);
    w.click("compare ZeRO-3");
    w.key(ImGuiKey_Y);
    w.frame();
    CHECK(w.motion().duration == Approx(total(w, with(StepStrategy::zero3))));
    CHECK(w.session().scenario() == s); // options are the view's, not the scenario's
}

TEST_CASE("I takes what layers send out of the step and puts it back")
{
    test::Window w;
    w.open("step");
    w.key(ImGuiKey_1);
    StepOptions o = with(StepStrategy::zero1);
    const double all = total(w, o);
    CHECK(w.motion().duration == Approx(all));
    CHECK(test::says(w, "within layers"));
    w.key(ImGuiKey_I);
    o.inside_layers = false;
    CHECK(total(w, o) < all);
    CHECK(w.motion().duration == Approx(total(w, o)));
    CHECK_FALSE(test::says(w, "within layers"));
    w.key(ImGuiKey_I);
    CHECK(w.motion().duration == Approx(all));
}

TEST_CASE("the step's panel changes its options: micro-batches, buckets, prefetch, overlap, resharding")
{
    test::Window w;
    w.open("step");
    w.key(ImGuiKey_0);
    StepOptions o = with(StepStrategy::ddp);
    w.drag("Bucket", 0.3F, 1);
    o.bucket_mb = 1e9;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.drag("Micro-batches k", 0, 1);
    o.accumulation = 16;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.type_value("Micro-batches k", "2");
    o.accumulation = 2;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.key(ImGuiKey_3);
    o.strategy = StepStrategy::zero3;
    w.drag("Prefetch", 0.3F, 0);
    o.prefetch = 0;
    w.click("Reshard after forward");
    w.frame();
    o.reshard_after_forward = false;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.click("Sync every micro-batch");
    w.frame();
    o.reduce_every = false;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.key(ImGuiKey_O);
    o.overlap = false;
    CHECK(w.motion().duration == Approx(total(w, o)));
    w.key(ImGuiKey_R);
    o.reshard_after_forward = true;
    CHECK(w.motion().duration == Approx(total(w, o)));
}

TEST_CASE("stepping through a step stops where tasks start and end")
{
    test::Window w;
    w.open("step");
    const Motion m = w.motion();
    REQUIRE(m.stops.size() > 40);
    CHECK(m.stops.front() == 0);
    CHECK(m.stops.back() == Approx(m.duration));
    CHECK(next_stop(m, 0, 1) == m.stops[1]);
}

TEST_CASE("one replica has no step to play, and says so kindly")
{
    test::Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "gpt-2-124m", "cluster": {"gpus": 1},
            "training": {"global_batch": 1, "sequence_length": 1024}})")});
    w.open("step");
    CHECK(w.motion().duration == 0);
    CHECK(w.drawn().fault.empty());
}

TEST_CASE("where tensor parallelism fills the node, the comparison says why HSDP is DDP")
{
    test::Window w({1600, 900});
    w.open("step/compare");
    w.frames(3);
    CHECK(test::says(w, "HSDP is DDP here: TP 8 fills the node of 8 GPUs"));
    Scenario s = w.session().scenario();
    s.parallel.tensor = 4;
    w.session().apply(ChangeScenario{s});
    w.frames(3);
    CHECK_FALSE(test::says(w, "HSDP is DDP"));
}

TEST_CASE("where layers would be stripes, ten of them are one block on every lane, tensor collectives too")
{
    test::Window w;
    w.open("step");
    w.frame();
    const auto words = test::words_of(w);
    const auto named = [&](std::string_view name)
    { return std::ranges::count(words, name, &test::Words::text); };
    // Forward and its tensor collectives, and the gathers of the weights.
    CHECK(named("60\u201369") >= 3);
    // Backward, its tensor collectives, and the reduce-scatters of the gradients.
    CHECK(named("69\u201360") >= 3);
}
