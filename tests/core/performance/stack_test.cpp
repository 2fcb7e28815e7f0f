// What of a step's time belongs to the software and to the board's power, by hand.
#include "tests/core/support.h"

#include "core/performance/step_model/kernels.h"
#include "core/performance/step_model/layer_profile.h"
#include "core/performance/step_model/rank_load.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario with(const char* software)
{
    return test::scenario(R"({"model": "llama-3.1-8b", "software": ")" + std::string(software) +
                          R"(", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 16},
        "parallel": {"pipeline": 2}, "training": {"sequence_length": 8192, "global_batch": 32}})");
}

} // namespace

TEST_CASE("hand-worked: a board limited to 500 of its 700 W keeps the root of that of its clock, and no more "
          "power gains nothing")
{
    Scenario s = with("megatron-core");
    const Device full(s);
    s.cluster.gpu.power_w = 500;
    const Device limited(s);
    CHECK(limited.efficiency == Approx(full.efficiency * std::sqrt(500.0 / 700)));
    CHECK(limited.attention == Approx(full.attention * std::sqrt(500.0 / 700)));
    CHECK(limited.hbm == full.hbm);
    s.cluster.gpu.power_w = 1000;
    CHECK(Device(s).efficiency == full.efficiency);
    s.cluster.gpu.power_w = 0; // not known
    CHECK(Device(s).efficiency == full.efficiency);
}

TEST_CASE("FlashAttention-2 on H100 runs as it was measured, between that of 2022 and the newest kernels")
{
    Scenario s = with("nanotron");
    const auto rate = [&](AttentionKernel kernel, double tokens)
    {
        s.software.attention = kernel;
        return Device(s.cluster.gpu, Precision::bf16, s.software, tokens).attention / 1e12;
    };
    // Shah et al., arXiv 2407.08608, figure 5: causal, heads of 128.
    CHECK(rate(AttentionKernel::flash2, 512) == Approx(191).epsilon(0.1));
    CHECK(rate(AttentionKernel::flash2, 1024) == Approx(260).epsilon(0.03));
    CHECK(rate(AttentionKernel::flash2, 4096) == Approx(319).epsilon(0.02));
    CHECK(rate(AttentionKernel::flash2, 16384) == Approx(335).epsilon(0.02));
    CHECK(rate(AttentionKernel::flash1, 16384) < 200);
    CHECK(rate(AttentionKernel::latest, 16384) > 600);
}

TEST_CASE("hand-worked: gradients that kernels of their own add to 32-bit sums cost their bytes in every "
          "micro-batch")
{
    Scenario s = with("nanotron");
    s.software.gradient_sum_bytes = 0;
    const double apart = LayerProfiler(s).layer(false).weight.of(Cause::memory);
    s.software.gradient_sum_bytes = 10;
    const UnitProfile layer = LayerProfiler(s).layer(false);
    CHECK(layer.weight.of(Cause::memory) - apart == Approx(10 * layer.dense / Device(s).copy));
    s.training.gradient_dtype = GradientDtype::bf16; // they are their own sum
    CHECK(LayerProfiler(s).layer(false).weight.of(Cause::memory) == apart);
}

TEST_CASE("a host that waits for every kernel adds its time to the device's")
{
    Scenario s = with("megatron-deepspeed");
    const PassTime before = LayerProfiler(s).layer(false).forward;
    s.software.launch_blocking = true;
    const PassTime after = LayerProfiler(s).layer(false).forward;
    CHECK(after.device() == before.device());
    CHECK(after.of(Cause::host) > 2 * before.of(Cause::host));
    s.software.launch = 0;
    CHECK(LayerProfiler(s).layer(false).forward.of(Cause::host) == 0);
}

TEST_CASE("behind a pipeline the layers that predict further tokens have a table of their own, reduced, "
          "updated and added up with the first stage's")
{
    Scenario s = test::scenario(R"({"model": "deepseek-v3", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 512},
        "parallel": {"pipeline": 16, "expert": 32, "zero": 1, "stage_layers":
                     [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1]},
        "training": {"global_batch": 512}})");
    s.model.mtp_layers = 1;
    const StepProfile profile = step_profile(s);
    const double table = profile.of(Unit::embedding).dense;
    // Its last stage: one layer and what predicts, two tables, a final norm.
    const PipelineLoad load = pipeline_load(profile, s);
    CHECK(load.layers == 4);
    Scenario plain = s;
    plain.model.mtp_layers = 0;
    CHECK(step_time(s).data_comm > step_time(plain).data_comm);
    CHECK(embeds_again(s.model, s.parallel, Placement::loop));
    CHECK_FALSE(embeds_again(s.model, s.parallel, Placement::v)); // the first stage is on the same GPU
    CHECK(table == Approx(static_cast<double>(s.model.vocab * s.model.hidden)));
}
