// A changed accelerator stays based on the preset it came from, however it is changed and read.
#include "tests/core/random_scenarios.h"
#include <fmt/format.h>

#include "core/evaluate/report.h"
#include "core/performance/occupancy.h"
#include "core/scenario/based_on.h"
#include "core/scenario/fields.h"

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace ringside;
using nlohmann::json;

namespace
{

json on(const std::string& gpu)
{
    return {{"model", "llama-3.1-8b"},
            {"cluster", {{"gpu", gpu}, {"gpus", 8}}},
            {"parallel", {{"tensor", 8}, {"zero", 1}}},
            {"training", {{"sequence_length", 4096}, {"global_batch", 8}}}};
}

Scenario read(const json& document)
{
    auto scenario = scenario_from_json(document, test::presets());
    REQUIRE(scenario);
    return std::move(*scenario);
}

Scenario after(json document, const std::string& assignment)
{
    REQUIRE(set_path(document, assignment).empty());
    return read(document);
}

// All that a step's time hangs on, and how sure it is.
std::map<std::string_view, double> step_of(const Scenario& s)
{
    const Report report = *evaluate_valid(s);
    std::map<std::string_view, double> values;
    for (const Metric& metric : metrics())
    {
        if (metric.name.starts_with("step."))
        {
            values[metric.name] = metric.value(s, report);
        }
    }
    return values;
}

} // namespace

TEST_CASE("a field of the accelerator that the step does not read changes nothing in the step")
{
    for (const GpuPreset& preset : test::presets().gpus)
    {
        const json document = on(preset.gpu.id);
        const Scenario before = read(document);
        for (const char* assignment : {"cluster.gpu.power_w=1", "cluster.gpu.memory_gb=2000",
                                       "cluster.gpu.fp8_tflops=5", "cluster.gpu.fp4_tflops=7"})
        {
            INFO(preset.gpu.id << " " << assignment);
            for (const json& start : {document, to_json(before, test::presets())})
            {
                const Scenario changed = after(start, assignment);
                CHECK(step_of(changed) == step_of(before));
                CHECK(changed.software == before.software);
                CHECK(step_evidence_words(changed, 1) == step_evidence_words(before, 1));
                CHECK(multiprocessor_of(changed.cluster.gpu) == multiprocessor_of(before.cluster.gpu));
                CHECK(changed.cluster.gpu.name == preset.gpu.name + ", edited");
            }
        }
    }
}

TEST_CASE("whatever field of an accelerator is changed, its software, evidence and constants stay")
{
    for (const GpuPreset& preset : test::presets().gpus)
    {
        const Scenario before = read(on(preset.gpu.id));
        for (const Field<Gpu>& field : fields_of(preset.gpu))
        {
            const double value = preset.gpu.*std::get<double Gpu::*>(field.member) * 1.5 + 1;
            INFO(preset.gpu.id << " " << field.name);
            const Scenario changed =
                after(on(preset.gpu.id), fmt::format("cluster.gpu.{}={}", field.name, value));
            CHECK(changed.software == before.software);
            CHECK(changed.cluster.gpu.calibration == preset.gpu.calibration);
            CHECK(changed.cluster.gpu.id == preset.gpu.id);
            const json written = to_json(changed, test::presets());
            CHECK(written["cluster"]["gpu"]["based_on"] == preset.gpu.id);
            CHECK(read(written) == changed);
            CHECK(after(written, fmt::format("cluster.gpu.{}={}", field.name,
                                             preset.gpu.*std::get<double Gpu::*>(field.member)))
                      .cluster.gpu == preset.gpu);
        }
    }
}

TEST_CASE("an accelerator described in full is nobody's, and one based on a preset that is not here opens")
{
    json full = to_json(after(on("tpu-v5e"), "cluster.gpu.power_w=1"), test::presets());
    json& gpu = full["cluster"]["gpu"];
    gpu["based_on"] = "our-own-tpu";
    const Scenario theirs = read(full);
    CHECK(theirs.cluster.gpu.id == "our-own-tpu");
    CHECK(read(to_json(theirs, test::presets())) == theirs);
    gpu.erase("based_on"); // as it was written before there was one
    CHECK(read(full).cluster.gpu.id.empty());
    gpu.erase("power_w");
    gpu["based_on"] = "tpu-v5";
    const auto refused = scenario_from_json(full, test::presets());
    REQUIRE_FALSE(refused);
    CHECK(refused.issues().front().path == "cluster.gpu.based_on");
    CHECK(refused.issues().front().hint.find("tpu-v5") != std::string::npos);
    gpu["based_on"] = "tpu-v5e";
    CHECK(read(full).cluster.gpu.power_w == test::presets().gpu("tpu-v5e")->gpu.power_w);
}
