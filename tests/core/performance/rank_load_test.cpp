#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/performance/step_model/rank_load.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

// Four stages of two layers whose weights come up from the host.
Scenario fetching(const char* kind)
{
    return test::scenario(R"({"model": {"layers": 8, "hidden": 4096, "heads": 32, "vocab": 51200},
        "cluster": {"gpu": "a100-sxm-80gb", "gpus": 4}, "parallel": {"pipeline": 4},
        "training": {"micro_batch": 1, "global_batch": 8, "sequence_length": 1024,
                     "offload": "optimizer-and-weights-cpu", "schedule": ")" +
                          std::string(kind) + R"("}})");
}

} // namespace

TEST_CASE(
    "hand-worked: a pass waits for its weights, and a weight gradient hides them beside the input's only")
{
    const StageCost alone{2, 3, 2};
    // 4 s of weights: the forward waits 2 s; a whole backward takes 5 s and waits for nothing, an input
    // gradient by itself waits 1 s.
    CHECK(with_wait(alone, 4, schedule("1f1b")) == StageCost{4, 3, 2});
    CHECK(with_wait(alone, 4, schedule("zb-h1")) == StageCost{4, 4, 2});
    CHECK(with_wait(alone, 7, schedule("1f1b")) == StageCost{7, 5, 2});
    CHECK(with_wait(alone, 7, schedule("zb-h1")) == StageCost{7, 7, 2});
    CHECK(with_wait(alone, 0, schedule("zb-h1")) == alone);
}

TEST_CASE(
    "hand-worked: offloaded weights come up at the rate of the slower of PCIe and disks, a shard with ZeRO-3")
{
    Scenario s = fetching("1f1b");
    s.cluster.gpu.pcie_gb_per_s = 20;
    s.cluster.nvme_gb_per_s = 5;
    CHECK(weight_fetch(s).dense == Approx(2 / 20e9)); // two bytes each
    s.training.offload = Offload::optimizer_and_weights_nvme;
    CHECK(weight_fetch(s).dense == Approx(2 / 5e9));
    s.cluster.gpus = 16;
    s.parallel.zero = 3;
    CHECK(weight_fetch(s).dense == Approx(2 / 5e9 / 4));
    s.training.schedule = schedule("dualpipe"); // and each stage has two copies
    CHECK(weight_fetch(s).dense == Approx(2 / 5e9 / 8));
    s.training.offload = Offload::optimizer_cpu;
    CHECK(weight_fetch(s).dense == 0);
}

TEST_CASE("the slowest rank is the one that takes longest with the wait for its weights")
{
    // Nothing takes time but the way up: the last rank has two layers and the head, the first the embedding.
    Scenario s = fetching("1f1b");
    s.cluster.gpu.pcie_gb_per_s = 1e-3;
    const PipelineLoad load = pipeline_load(step_profile(s), s);
    CHECK(load.slowest.dense + load.slowest.expert == load.dense + load.expert);
    CHECK(load.slowest_seconds == Approx(2 * load.slowest.fetch));
    CHECK(load.all_seconds < 4 * load.slowest_seconds);
}

TEST_CASE("a faster GPU and a faster way for weights never lengthen a step that fetches them")
{
    for (const char* kind :
         {"1f1b", "zb-h1", "zb-h2", "zb-v", "v-half", "v-min", "interleaved-zb", "dualpipe"})
    {
        for (const bool disks : {false, true})
        {
            Scenario s = test::scenario(R"({"model": "qwen2.5-72b",
                "cluster": {"gpu": "a100-sxm-40gb", "gpus": 512},
                "parallel": {"tensor": 8, "pipeline": 8, "sequence_parallel": true},
                "training": {"micro_batch": 1, "global_batch": 128, "sequence_length": 4096}})");
            s.training.schedule = schedule(kind);
            s.parallel.chunks = s.training.schedule->least_chunks;
            s.training.offload =
                disks ? Offload::optimizer_and_weights_nvme : Offload::optimizer_and_weights_cpu;
            for (double before = 0; s.cluster.gpu.bf16_tflops < 10'000; s.cluster.gpu.bf16_tflops *= 2)
            {
                const double now = step_time(s).total();
                INFO(kind << " at " << s.cluster.gpu.bf16_tflops << " TFLOP/s, " << now << " s");
                CHECK((before == 0 || now <= before * (1 + 1e-9)));
                before = now;
                Scenario faster = s;
                faster.cluster.gpu.pcie_gb_per_s *= 4;
                faster.cluster.nvme_gb_per_s *= 4;
                CHECK(step_time(faster).total() <= now);
                Scenario longer = s;
                longer.training.sequence_length *= 2;
                CHECK(step_time(longer).total() >= now);
            }
        }
    }
}
