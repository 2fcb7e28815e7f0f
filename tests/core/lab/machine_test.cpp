// Measured machines as accelerators, and a class's list of them (core/lab/machine.h).
#include "tests/core/support.h"

#include "core/lab/machine.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

// 2 GFLOP/s at best, 8 GB/s, 10 us to launch.
Machine laptop()
{
    return {.name = "Laptop",
            .date = "2026-11-28",
            .own = true,
            .memory_gb = 16,
            .launch_s = 1e-5,
            .attention_flops = 1e9,
            .points = {{0, 8e6, 2e-3}, {0, 8e7, 1e-2}, {2e6, 1e5, 2e-3}, {2e9, 1e7, 1}}};
}

} // namespace

TEST_CASE("a machine's peak is its best product and its bandwidth its best copy")
{
    CHECK(laptop().peak() == Approx(2e9));
    CHECK(laptop().bandwidth() == Approx(8e9));
    CHECK(Machine().peak() == 0);
}

TEST_CASE("a measured machine becomes an accelerator that reaches its measured rates")
{
    const Gpu gpu = gpu_of(laptop());
    CHECK(gpu.name == "Laptop");
    CHECK(gpu.bf16_tflops == Approx(0.002));
    CHECK(gpu.hbm_gb_per_s == Approx(8));
    CHECK(gpu.memory_gb == 16);
    CHECK(gpu.calibration.gemm_efficiency == 1);
    CHECK(gpu.calibration.attention_efficiency == Approx(0.5));
    CHECK(gpu.calibration.kernel_us == Approx(10));
    Machine silent = laptop();
    silent.memory_gb = 0;
    CHECK(gpu_of(silent).memory_gb == kAssumedMemory);
}

TEST_CASE("a run on one machine takes at least its FLOPs at the measured peak")
{
    Scenario s = test::on_gpus("llama-3.1-70b", "h100-sxm-80gb", 8);
    const Scenario there = on_machine(s, laptop());
    CHECK(there.cluster.gpus == 1);
    CHECK_FALSE(has_errors(validate(there)));
    const double flops = 6 * 70.55e9 * s.training.tokens; // 6 N D: a bound from below
    const double seconds = run_seconds(s, laptop());
    CHECK(seconds > flops / 2e9);
    CHECK(seconds < 3 * flops / 2e9);
    for (const auto& preset : test::presets().scenarios)
    {
        INFO(preset.id);
        CHECK_FALSE(has_errors(validate(on_machine(preset.scenario, laptop()))));
        CHECK(run_seconds(preset.scenario, laptop()) > 0);
    }
    Machine twice = laptop();
    for (MachinePoint& point : twice.points)
    {
        point.seconds /= 2;
    }
    twice.attention_flops *= 2, twice.launch_s /= 2;
    CHECK(run_seconds(s, twice) == Approx(seconds / 2).epsilon(0.01));
}

TEST_CASE("machines are read as they were written, and what is wrong is named")
{
    const std::vector<Machine> machines{laptop()};
    const nlohmann::json document = to_json(machines);
    CHECK(is_machines(document));
    const auto read = machines_from_json(document);
    REQUIRE(read);
    CHECK(*read == machines);

    nlohmann::json wrong = document;
    wrong["machines"][0]["points"][1]["seconds"] = 0;
    const auto refused = machines_from_json(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.issues().front().path == "machines[0].points[1].seconds");
    wrong = document;
    wrong["machines"][0]["points"] = nlohmann::json::array();
    CHECK_FALSE(machines_from_json(wrong));
    CHECK_FALSE(machines_from_json(nlohmann::json::array()));
}

TEST_CASE("the newest machine comes first and takes the place of the same one")
{
    std::vector<Machine> all{laptop()};
    Machine other = laptop();
    other.name = "Desktop";
    add(all, other);
    REQUIRE(all.size() == 2);
    CHECK(all.front().name == "Desktop");
    Machine again = laptop();
    again.memory_gb = 32;
    add(all, again);
    REQUIRE(all.size() == 2);
    CHECK(all.front().memory_gb == 32);
}
