// One step down and up of every dial: legal, complete, and timed as the step itself is.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/sensitivity.h"
#include "core/memory/memory.h"
#include "core/scenario/choices.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Sensitivity all_of(const Scenario& s)
{
    Sensitivity all(s, step_time(s));
    while (all.advance(1e9))
    {
    }
    return all;
}

} // namespace

TEST_CASE("the default scenario's tensor parallelism goes to 4 and 16, its pipeline to 2 and 5")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const Sensitivity all = all_of(s);
    REQUIRE(all.done());
    REQUIRE(all.find(Dial::tensor, false) != nullptr);
    CHECK(all.find(Dial::tensor, false)->after.parallel.tensor == 4);
    CHECK(all.find(Dial::tensor, true)->after.parallel.tensor == 16);
    CHECK(all.find(Dial::pipeline, false)->after.parallel.pipeline == 2);
    CHECK(all.find(Dial::micro_batch, false) == nullptr);
    CHECK(all.find(Dial::micro_batch, true)->after.training.micro_batch == 2);
    CHECK(all.find(Dial::recompute, false)->after.training.recompute == Recompute::none);
    CHECK(all.find(Dial::recompute, true)->after.training.recompute == Recompute::full);
    CHECK(all.find(Dial::zero, true) == nullptr); // 2 and 3 go with no pipeline
    CHECK(all.find(Dial::expert, true) == nullptr);
    CHECK(all.find(Dial::network, true)->after.cluster.network_gb_per_s == 100);
    CHECK(all.find(Dial::schedule, true)->after.training.schedule != s.training.schedule);
}

TEST_CASE("every move is valid, and its change is that of the step time")
{
    test::ScenarioSource source(81);
    for (int i = 0; i < 12; ++i)
    {
        const Scenario s = source.next();
        const Sensitivity all = all_of(s);
        for (const DialMove& move : all.found())
        {
            INFO(name_of(move.dial) << (move.up ? " up" : " down"));
            REQUIRE(!has_errors(validate(move.after)));
            CHECK(move.after != s);
            CHECK(move.step.total() == step_time(move.after).total());
            CHECK(move.fits == memory_report(move.after).fits());
            CHECK(shown_value(move.after, move.dial) != shown_value(s, move.dial));
            if (move.dial != Dial::gpus && move.dial != Dial::micro_batches)
            {
                CHECK(move.change == move.step.total() - step_time(s).total());
            }
        }
    }
}

TEST_CASE("faster links never make a step longer, slower ones never shorter")
{
    test::ScenarioSource source(82);
    for (int i = 0; i < 12; ++i)
    {
        const Sensitivity all = all_of(source.next());
        const double eps = 1e-9 * all.now().total();
        for (const Dial dial : {Dial::node_link, Dial::network})
        {
            CHECK(all.find(dial, true)->change <= eps);
            CHECK(all.find(dial, false)->change >= -eps);
        }
    }
}

TEST_CASE("where tokens or GPUs change, the GPU time of a token is compared")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const StepTime now = step_time(s);
    StepTime then = now;
    Scenario after = s;
    after.cluster.gpus *= 2;
    then.compute = now.total() / 2; // twice the GPUs, half the time
    then.bubble = then.tensor_comm = then.context_comm = then.expert_comm = then.pipeline_comm = 0;
    then.data_exposed = then.optimizer = 0;
    CHECK(time_change(s, now, after, then) == Approx(0).margin(1e-12));
    then = now;
    then.tokens *= 2; // twice the tokens in the same time
    CHECK(time_change(s, now, s, then) == Approx(-now.total() / 2));
}

TEST_CASE("the best move fits, helps, and needs no other machine")
{
    test::ScenarioSource source(83);
    for (int i = 0; i < 12; ++i)
    {
        const Sensitivity all = all_of(source.next());
        const DialMove* best = all.best();
        if (best == nullptr)
        {
            continue;
        }
        CHECK(best->fits);
        CHECK(best->change < 0);
        CHECK_FALSE(is_hardware(best->dial));
        for (const DialMove& move : all.found())
        {
            CHECK((!move.fits || is_hardware(move.dial) || move.change >= best->change));
        }
    }
}

TEST_CASE("a sensitivity worked through in slices is the same as in one go")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    Sensitivity slow(s, step_time(s));
    int turns = 1;
    while (slow.advance(1))
    {
        ++turns;
    }
    CHECK(turns > 20);
    const Sensitivity quick = all_of(s);
    REQUIRE(slow.found().size() == quick.found().size());
    for (std::size_t i = 0; i < quick.found().size(); ++i)
    {
        CHECK(slow.found()[i].after == quick.found()[i].after);
        CHECK(slow.found()[i].change == quick.found()[i].change);
    }
}
