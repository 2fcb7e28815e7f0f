// A software of one's own from a handful of steps.
#include "tests/core/support.h"

#include "core/evaluate/own_software.h"
#include "core/evaluate/report.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

using namespace ringside;
using Catch::Approx;
using nlohmann::json;

namespace
{

Scenario run_of(int micro_batch)
{
    return test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64}, "software": "fsdp",
        "parallel": {"zero": 3}, "training": {"sequence_length": 8192, "global_batch": 256, "micro_batch": )" +
        std::to_string(micro_batch) + "}}");
}

// Steps of a stack whose products are 20% slower than its preset says.
MeasuredSet slow_steps(std::initializer_list<int> micro_batches)
{
    MeasuredSet set;
    set.name = "mine";
    for (const int micro_batch : micro_batches)
    {
        Scenario s = run_of(micro_batch);
        Scenario slow = s;
        slow.software.products = 0.8;
        set.rows.push_back({"mb " + std::to_string(micro_batch), "mine", s, step_time(slow).total()});
    }
    return set;
}

} // namespace

TEST_CASE("three steps of a slower stack give a software that foretells a fourth")
{
    const auto own = fit_own_software(slow_steps({1, 2, 4}), "my-stack", test::presets());
    REQUIRE(own);
    CHECK(own->preset.based_on == "fsdp");
    CHECK(own->before.mean > 0.08);
    CHECK(own->after.mean < 0.03);
    CHECK(own->left_out.mean < 0.05);
    CHECK(own->left_out.n == 3);
    Scenario fourth = slow_steps({1}).rows.front().scenario;
    fourth.training.global_batch = 512;
    Scenario truth = fourth;
    truth.software.products = 0.8;
    fourth.software = own->preset.software;
    CHECK(step_time(fourth).total() == Approx(step_time(truth).total()).epsilon(0.05));
    // Near its own steps it is no less sure than the software it came from, and says why.
    const Band band = step_band(fourth, 10);
    CHECK(band.high <= step_band(truth, 10).high);
    CHECK(step_evidence_words(fourth, 10).find("3 measured rows of your own") == 0);
}

TEST_CASE("one step moves a software less than three, and none of it can be left out")
{
    const auto one = fit_own_software(slow_steps({2}), "my-stack", test::presets());
    REQUIRE(one);
    CHECK(one->left_out.n == 0);
    CHECK(to_json(*one)["mean_left_out"].is_null());
    const auto three = fit_own_software(slow_steps({1, 2, 4}), "my-stack", test::presets());
    CHECK(one->preset.software.products < 1);
    CHECK(three->preset.software.products < 1);
}

TEST_CASE("a software of one's own is kept as a file, and named by a scenario as any other")
{
    const auto own = fit_own_software(slow_steps({1, 2, 4}), "my-stack", test::presets());
    REQUIRE(own);
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ringside-own-software";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "my-stack.json") << to_json(own->preset).dump();
    Presets presets = test::presets();
    Issues issues;
    add_own_software(folder, presets, issues);
    std::filesystem::remove_all(folder);
    REQUIRE(issues.empty());
    REQUIRE(presets.software_of("my-stack") != nullptr);
    CHECK(presets.software_of("my-stack")->software == own->preset.software);
    json scenario = to_json(run_of(2), presets);
    scenario["software"] = "my-stack";
    const auto read = scenario_from_json(scenario, presets);
    REQUIRE(read);
    CHECK(read->software.products == own->preset.software.products);
    CHECK(to_json(*read, presets)["software"] == "my-stack");
    CHECK(step_evidence_words(*read, 10).find("of your own") != std::string::npos);
}

TEST_CASE("a name that is none or taken, and steps of several software, are refused")
{
    const MeasuredSet steps = slow_steps({1, 2});
    for (const char* id : {"", "My Stack", "-x", "../up", "fsdp"})
    {
        INFO(id);
        const auto own = fit_own_software(steps, id, test::presets());
        REQUIRE_FALSE(own);
        CHECK(own.issues().front().path == "name");
    }
    MeasuredSet mixed = steps;
    mixed.rows.back().scenario.software = test::presets().software_of("torchtitan")->software;
    const auto own = fit_own_software(mixed, "my-stack", test::presets());
    REQUIRE_FALSE(own);
    CHECK(own.issues().front().message == "the rows name fsdp and torchtitan");
    CHECK_FALSE(fit_own_software(MeasuredSet{}, "my-stack", test::presets()));
}
