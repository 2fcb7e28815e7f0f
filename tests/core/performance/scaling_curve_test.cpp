// Strong and weak scaling: sizes, ends, and that the scenario's own point is the scenario's step.
#include "tests/core/random_scenarios.h"

#include "core/memory/memory.h"
#include "core/performance/scaling_curve.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;

namespace
{

ScalingSweep all_of(const Scenario& s)
{
    ScalingSweep all(s);
    while (all.advance(1e9))
    {
    }
    return all;
}

} // namespace

TEST_CASE("the default scenario scales from one replica of 32 GPUs to 128 replicas with its batch fixed")
{
    const ScalingSweep all = all_of(test::presets().scenario("default")->scenario);
    CHECK(all.replica() == 32);
    CHECK(all.strong_end() == 32 * 128);
    const auto& strong = all.of(Scaling::strong);
    CHECK(strong.front().gpus() == 32);
    CHECK(strong.back().gpus() == 4096);
    CHECK(micro_batches(strong.back().scenario) == 1);
    const auto& weak = all.of(Scaling::weak);
    CHECK(weak.front().gpus() == 32);
    CHECK(weak.back().gpus() == 16384);
    CHECK(weak.back().scenario.training.global_batch == 128 * 64);
    CHECK(all.refused().empty());
}

TEST_CASE("the scenario's own size is on both lines, with its own step exactly")
{
    test::ScenarioSource source(91);
    for (int i = 0; i < 15; ++i)
    {
        const Scenario s = source.next();
        const ScalingSweep all = all_of(s);
        for (const Scaling scaling : {Scaling::strong, Scaling::weak})
        {
            const auto& points = all.of(scaling);
            const auto own = std::find_if(points.begin(), points.end(),
                                          [&](const ScalingPoint& p) { return p.scenario == s; });
            REQUIRE(own != points.end());
            CHECK(own->step.total() == step_time(s).total());
            CHECK(own->fits == memory_report(s).fits());
        }
    }
}

TEST_CASE("sizes ascend, each is valid, and strong scaling keeps its batch and ends before it is used up")
{
    test::ScenarioSource source(92);
    for (int i = 0; i < 15; ++i)
    {
        const Scenario s = source.next();
        const ScalingSweep all = all_of(s);
        for (const Scaling scaling : {Scaling::strong, Scaling::weak})
        {
            std::int64_t before = 0;
            for (const ScalingPoint& point : all.of(scaling))
            {
                CHECK(point.gpus() > before);
                CHECK(!has_errors(validate(point.scenario)));
                CHECK(point.gpus() % all.replica() == 0);
                before = point.gpus();
                const bool strong = scaling == Scaling::strong;
                CHECK((!strong || point.gpus() <= all.strong_end()));
                CHECK((!strong || point.scenario.training.global_batch == s.training.global_batch));
                CHECK((strong || micro_batches(point.scenario) == micro_batches(s)));
            }
        }
    }
}

TEST_CASE("weak scaling of replicated weights never gets cheaper a GPU than its smallest size")
{
    test::ScenarioSource source(93);
    for (int i = 0; i < 15; ++i)
    {
        Scenario s = source.next();
        // Sharding and offload leave a GPU less of the optimizer's work as replicas come.
        s.parallel.zero = 0;
        s.training.offload = Offload::none;
        const ScalingSweep all = all_of(s);
        const auto& weak = all.of(Scaling::weak);
        for (std::size_t k = 0; k < weak.size(); ++k)
        {
            INFO(weak[k].gpus() << " GPUs");
            CHECK(efficiency(weak, k) <= 1 + 1e-6);
        }
    }
}

TEST_CASE("strong scaling of the default scenario loses speed a GPU with every size")
{
    const ScalingSweep all = all_of(test::presets().scenario("default")->scenario);
    const auto& strong = all.of(Scaling::strong);
    for (std::size_t k = 1; k < strong.size(); ++k)
    {
        CHECK(strong[k].tokens_per_gpu() < strong[k - 1].tokens_per_gpu());
        CHECK(strong[k].step.total() < strong[k - 1].step.total());
    }
}

TEST_CASE("sizes that experts do not divide are left out, with the fault")
{
    const Scenario s = test::scenario(R"({"model": "deepseek-v3",
        "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048},
        "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
                     "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
        "training": {"global_batch": 15360, "sequence_length": 4096, "precision": "fp8"}})");
    const ScalingSweep all = all_of(s);
    REQUIRE(!all.refused().empty());
    CHECK(all.refused().front().gpus == 16);
    CHECK(!all.refused().front().message.empty());
    CHECK(all.of(Scaling::weak).front().gpus() == 16 * 64);
}
