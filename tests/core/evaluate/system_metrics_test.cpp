// Metrics of what surrounds a training step, by hand.
#include "tests/core/support.h"

#include "core/evaluate/system_metrics.h"
#include "core/scenario/presets.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

double system_metric(std::string_view name, const Scenario& scenario)
{
    const Metric* metric = find_system_metric(name);
    REQUIRE(metric != nullptr);
    const auto report = evaluate(scenario);
    REQUIRE(report);
    return metric->value(scenario, *report);
}

Scenario preset_scenario(std::string_view id)
{
    return test::presets().scenario(id)->scenario;
}

} // namespace

TEST_CASE("hand-worked: a fleet of 100,000 GPUs, a weight sync, bits with scales, FLOPs of adapters, copies "
          "of a token")
{
    Scenario s = preset_scenario("default");
    CHECK(system_metric("fleet.mtbf_s", s) == Approx(16384.0 * 54 * 24 / 466 * 3600 / 100000));
    CHECK(system_metric("rl.sync_s", s) == Approx(0.5 + 2 * 70553706496.0 / 74e9).epsilon(1e-6));
    CHECK(system_metric("rl.engines", s) == 32);
    CHECK(system_metric("rl.step_s", s) ==
          Approx(system_metric("rl.generation_s", s) + system_metric("rl.training_s", s) +
                 system_metric("rl.sync_s", s)));
    CHECK(system_metric("finetune.full_token_flops", s) == 8);
    CHECK(system_metric("finetune.lora_token_flops", s) == 6);
    CHECK(system_metric("format.value_bits", s) == 16);
    s.training.precision = Precision::nvfp4;
    s.cluster.gpu = test::presets().gpu("b200-sxm")->gpu;
    CHECK(system_metric("format.value_bits", s) == 4.5);
    CHECK(system_metric("format.block", s) == 16);
    const Scenario deepseek = preset_scenario("deepseek-v3-2048");
    CHECK(system_metric("expert.network_copies", deepseek) == Approx(7));
    CHECK(system_metric("expert.node_copies", deepseek) == Approx(4.595).epsilon(0.001));
    CHECK(system_metric("expert.limited_copies", deepseek) == Approx(3.5));
}
