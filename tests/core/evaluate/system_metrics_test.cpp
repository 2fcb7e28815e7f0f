// Metrics of what surrounds a training step, by hand.
#include "tests/core/support.h"

#include "core/evaluate/system_metrics.h"
#include "core/scenario/presets.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

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

TEST_CASE("hand-worked: Newton-Schulz adds 35/9 h over the tokens to a GPT's matrices of h x 3 h, h x h and "
          "twice h x 4 h")
{
    // 5 (14 + 6 + 18 + 18) h^3 = 280 h^3 an update, 6 x 12 h^2 a token.
    const Scenario s = preset_scenario("gpt-3-175b-1024");
    const double h = 12288;
    const double tokens = 2048.0 * static_cast<double>(s.training.global_batch);
    REQUIRE(s.model.hidden == 12288);
    CHECK(system_metric("muon.flops", s) == Approx(96 * 280 * h * h * h));
    CHECK(system_metric("muon.overhead", s) == Approx(35.0 / 9 * h / tokens));
    CHECK(system_metric("muon.small_value", s) > 0.67);
}

TEST_CASE("hand-worked: on half of eight tensor ranks all but the first's own eighth of a checkpoint moves")
{
    const Scenario s =
        test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8}})");
    const auto report = evaluate(s);
    REQUIRE(report);
    const double bytes = find_metric("checkpoint.bytes")->value(s, *report);
    CHECK(system_metric("reshard.moved_bytes", s) == Approx(bytes * 7 / 8).epsilon(1e-6));
    CHECK(system_metric("reshard.received_bytes", s) == Approx(bytes * 2 / 8).epsilon(1e-6));
    const Scenario alone = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}})");
    CHECK(system_metric("reshard.moved_bytes", alone) == 0);
}

TEST_CASE(
    "hand-worked: three passes over 6.98 B weights of 2.5 bytes and scales are QLoRA's dequantization, and "
    "nearly all that it takes longer than LoRA")
{
    const Scenario s = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}})");
    const double dequantize = 3 * 6979321856.0 * (2.5 + 0.127 / 8) / (3350e9 * 0.95);
    CHECK(system_metric("finetune.dequantize_s", s) == Approx(dequantize).epsilon(1e-3));
    CHECK(system_metric("finetune.qlora_s", s) - system_metric("finetune.lora_s", s) ==
          Approx(dequantize).epsilon(0.02));
    CHECK(system_metric("finetune.full_s", s) > system_metric("finetune.lora_s", s));
}

TEST_CASE("hand-worked: fat trees of 64 ports, four passes over data, muP from 256 to 8,192, links of a GPU")
{
    const Scenario s = preset_scenario("default");
    CHECK(system_metric("fabric.two_tier_gpus", s) == 64 * 64 / 2);
    CHECK(system_metric("fabric.three_tier_gpus", s) == 64 * 64 * 64 / 4);
    CHECK(system_metric("repeats.worth", s) == Approx(1 + 15.387756 * (1 - std::exp(-3 / 15.387756))));
    CHECK(system_metric("repeats.limit", s) == Approx(16.387756));
    REQUIRE(s.model.hidden == 8192);
    CHECK(system_metric("mup.move", s) == 32);
    CHECK(system_metric("mup.hidden_rate", s) == Approx(1.0 / 32));
    CHECK(system_metric("mup.head_multiplier", s) == Approx(1.0 / 32));
    CHECK(system_metric("mup.deviation", s) == Approx(1 / std::sqrt(32.0)));
    CHECK(system_metric("mup.proxy_share", s) == Approx(1.0 / 1024));
    // Tensor groups of eight stay in a node of eight; pipeline and data cross.
    const auto report = evaluate(s);
    REQUIRE(report);
    CHECK(system_metric("network.inside_bytes", s) ==
          Approx(find_metric("traffic.tensor_bytes")->value(s, *report)));
    CHECK(system_metric("network.nic_bytes", s) > 0);
}

TEST_CASE(
    "the load of a scenario is at 80% of its goodput, within the objectives, after one prefill at least")
{
    Scenario s = preset_scenario("default");
    s.parallel.tensor = 8;
    s.parallel.pipeline = 1;
    CHECK(system_metric("slo.rate", s) == Approx(0.8 * system_metric("slo.goodput", s)));
    CHECK(system_metric("slo.ttft_90_s", s) < 0.5);
    CHECK(system_metric("slo.tpot_90_s", s) < 0.05);
    CHECK(system_metric("slo.ttft_50_s", s) < system_metric("slo.ttft_90_s", s));
    CHECK(system_metric("slo.attained", s) >= 0.8);
    CHECK(system_metric("slo.prefill_share", s) < 1);
    CHECK(system_metric("slo.prefill_share", s) ==
          Approx(system_metric("slo.rate", s) / 4 * system_metric("slo.prefill_s", s)));
}

TEST_CASE(
    "hand-worked: after 131,072 tokens an indexer saves 13.4 times DeepSeek's FLOPs, NSA reads 9,728 keys")
{
    const Scenario s = preset_scenario("deepseek-v3-2048");
    CHECK(system_metric("sparse.key_flops", s) == 278528);
    CHECK(system_metric("sparse.indexed_reduction", s) ==
          Approx(131072.0 * 278528 / (131072.0 * 16384 + 2048.0 * 278528)));
    CHECK(system_metric("sparse.native_keys", s) == 131072 / 16 + 1024 + 512);
    CHECK(system_metric("sparse.compressed_keys", s) == 1152);
    CHECK(system_metric("sparse.window_reduction", s) == 32);
}
