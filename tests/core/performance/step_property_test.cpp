// What holds for the step of any scenario.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/performance/step_model/layer_kernel.h"
#include "core/performance/step_time.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/fields.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

template <class Check>
void for_scenarios(std::uint32_t seed, int rounds, Check check)
{
    test::ScenarioSource source(seed);
    for (int round = 0; round < rounds; ++round)
    {
        const Scenario s = source.next();
        INFO("round " << round << ": " << to_json(s, test::presets()).dump());
        check(s);
    }
}

double seconds(const Scenario& s)
{
    return step_time(s).total();
}

// How many times as long a step may get by what should shorten it. Orders that are searched for differ from
// one set of times to the next; a shorter pass that waits for weights or activations from the host leaves
// less to hide gradients behind.
double at_most(const Scenario& s)
{
    const bool searched = s.training.schedule->kept == nullptr && s.parallel.pipeline > 1;
    const bool waits = offloads_weights(s.training.offload) || s.training.offload_activations > 0;
    return searched ? 1.04 : waits ? 1.002 : 1 + 1e-9;
}

} // namespace

TEST_CASE("more bandwidth, a higher peak, faster links and shorter launches never make a step slower")
{
    for_scenarios(2101, 400,
                  [](const Scenario& s)
                  {
                      const double before = seconds(s);
                      const double most = before * at_most(s);
                      const auto better = [&](const char* what, auto change)
                      {
                          Scenario after = s;
                          change(after.cluster);
                          INFO(what << " " << seconds(after) / before << " " << name_of(s.training.schedule));
                          CHECK(seconds(after) <= most);
                      };
                      better("peak",
                             [](Cluster& c)
                             {
                                 c.gpu.bf16_tflops *= 2;
                                 c.gpu.fp8_tflops *= 2;
                             });
                      better("HBM", [](Cluster& c) { c.gpu.hbm_gb_per_s *= 2; });
                      better("link", [](Cluster& c) { c.gpu.link_gb_per_s *= 2; });
                      better("node link", [](Cluster& c) { c.node_link_gb_per_s = 2 * node_link(c); });
                      better("network", [](Cluster& c) { c.network_gb_per_s *= 2; });
                      better("PCIe", [](Cluster& c) { c.gpu.pcie_gb_per_s *= 2; });
                      better("NVMe", [](Cluster& c) { c.nvme_gb_per_s *= 2; });
                      better("host", [](Cluster& c) { c.host_gb_per_s *= 2; });
                      better("memory", [](Cluster& c) { c.gpu.memory_gb *= 2; });
                      better("kernels", [](Cluster& c) { c.gpu.calibration.kernel_us /= 2; });
                      better("launches", [](Cluster& c) { c.gpu.calibration.host_kernel_us /= 2; });
                  });
}

// Casts are their price, and they can cost a small product more than it gains.
TEST_CASE("less precision is never slower but for its casts, and FP32 costs what TF32 and four bytes cost")
{
    for_scenarios(2102, 400,
                  [](Scenario s)
                  {
                      s.software.cast_bytes = 0;
                      s.training.gradient_dtype = GradientDtype::fp32;
                      const double most = at_most(s);
                      s.training.precision = Precision::fp32;
                      const double full = seconds(s);
                      s.training.precision = Precision::bf16;
                      const double half = seconds(s);
                      CHECK(half <= full * most);
                      if (s.cluster.gpu.fp8_tflops >= s.cluster.gpu.bf16_tflops)
                      {
                          s.training.precision = Precision::fp8;
                          CHECK(seconds(s) <= half * most);
                      }
                  });
    Scenario s = test::presets().scenario("default")->scenario;
    const StepTime half = step_time(s);
    s.training.precision = Precision::fp32;
    const StepTime full = step_time(s);
    CHECK(full.of(Slice::model) == Approx(2 * half.of(Slice::model)));
    CHECK(full.tensor_comm > 1.9 * half.tensor_comm);
    CHECK(full.peak_flops == half.peak_flops / 2);
}

TEST_CASE("overlap never makes a step slower, with one micro-batch and with many")
{
    for_scenarios(2103, 2000,
                  [](Scenario s)
                  {
                      for (bool Parallel::*which : {&Parallel::overlap_tensor, &Parallel::overlap_expert,
                                                    &Parallel::overlap_pipeline})
                      {
                          s.parallel.*which = false;
                          const double apart = seconds(s);
                          s.parallel.*which = true;
                          CHECK(seconds(s) <= apart * at_most(s));
                      }
                  });
}

TEST_CASE("the parts of a step add up to it, and MFU <= HFU <= 1")
{
    for_scenarios(2104, 500,
                  [](const Scenario& s)
                  {
                      const StepTime t = step_time(s);
                      double sum = 0;
                      for (const double slice : t.slices)
                      {
                          CHECK(slice >= 0);
                          CHECK(std::isfinite(slice));
                          sum += slice;
                      }
                      CHECK(sum == t.total());
                      CHECK(t.mfu() > 0);
                      CHECK(t.mfu() <= t.hfu());
                      CHECK(t.hfu() <= 1);
                  });
}

TEST_CASE("a step grows with its batch without a jump, beyond what is simulated too")
{
    // V-min's order repeats after three micro-batches, and how well it ends goes with that by 1%.
    for (const char* kind : {"v-min", "v-half", "zb-v", "zb-h1", "zb-h2", "interleaved-zb", "dualpipev"})
    {
        Scenario s = test::presets().scenario("default")->scenario;
        s.training.schedule = schedule(kind);
        s.parallel.chunks = s.training.schedule->least_chunks;
        const std::int64_t step = 8 * data_parallel(s) * s.training.micro_batch;
        double last = 0;
        for (std::int64_t i = 95; i < 125; ++i) // 20,000 operations lie between
        {
            s.training.global_batch = i * step;
            const double each = seconds(s) / static_cast<double>(i);
            INFO(kind << " " << s.training.global_batch << " sequences");
            CHECK((last == 0 || each == Approx(last).epsilon(0.012)));
            last = each;
        }
    }
}

TEST_CASE("interleaved and breadth-first idle as their orders say, with fewer micro-batches than stages too")
{
    int shapes = 0;
    for (const char* id : {"interleaved", "looped-bfs"})
    {
        const ScheduleKind kind = schedule(id);
        for (std::int64_t p = 2; p <= 8; ++p)
        {
            for (std::int64_t v = 2; v <= 4; ++v)
            {
                for (std::int64_t m = 1; m <= 2 * p + 1; ++m)
                {
                    const ScheduleShape shape{p, m, v};
                    if (!check_shape(kind, shape).empty())
                    {
                        continue;
                    }
                    StageTimes times;
                    times.forward = 1.25;
                    times.backward_input = 1.5;
                    times.backward_weight = 0.75;
                    const Costs costs = equal_costs(kind, shape, times);
                    const auto timeline = simulate(*make_order(kind, shape, costs), costs);
                    REQUIRE(timeline);
                    INFO(id << " p " << p << " v " << v << " m " << m);
                    CHECK(kind->idle(shape, times) ==
                          Approx(timeline->makespan - 3.5 * static_cast<double>(m)));
                    ++shapes;
                }
            }
        }
    }
    CHECK(shapes > 250);
}

TEST_CASE("an optimizer step moves the bytes of its states")
{
    Training t;
    CHECK(optimizer_bytes(t) == 36); // 10, 3 x (4 + 4), 2
    t.optimizer = Optimizer::sgd_momentum;
    CHECK(optimizer_bytes(t) == 28);
    t.optimizer = Optimizer::adafactor;
    CHECK(optimizer_bytes(t) == 20);
    t.optimizer = Optimizer::adamw;
    t.precision = Precision::fp32;
    CHECK(optimizer_bytes(t) == 34); // no copy in 16 bits
}
