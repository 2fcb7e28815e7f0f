// What software a scenario runs: named, changed, or suggested by the accelerator, and what hangs on it.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/memory/memory.h"
#include "core/performance/step_time.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using nlohmann::json;

namespace
{

Scenario on(const std::string& gpu, const std::string& software)
{
    return test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpu": ")" + gpu + R"(", "gpus": 64}, )" +
        (software.empty() ? "" : R"("software": )" + software + ", ") +
        R"("parallel": {"zero": 3}, "training": {"sequence_length": 8192, "global_batch": 128}})");
}

} // namespace

TEST_CASE("software that nobody named follows the accelerator")
{
    CHECK(on("a100-sxm-80gb", "").software.id == "megatron-2021");
    CHECK(on("h100-sxm-80gb", "").software.id == "megatron-core");
    CHECK(on("tpu-v5p", "").software.id == "maxtext");
    for (const char* gpu : {"a100-sxm-80gb", "h100-sxm-80gb", "tpu-v5p"})
    {
        const Scenario s = on(gpu, "");
        CHECK(s.software.inferred);
        CHECK(!to_json(s, test::presets()).contains("software"));
    }
    const Presets& presets = test::presets();
    CHECK(with_gpu(on("a100-sxm-80gb", ""), presets.gpu("h100-sxm-80gb")->gpu, presets).software.id ==
          "megatron-core");
    CHECK(
        with_gpu(on("a100-sxm-80gb", R"("fsdp")"), presets.gpu("h100-sxm-80gb")->gpu, presets).software.id ==
        "fsdp");
}

TEST_CASE("software that is assumed has the memory, the evidence and the band of the same software named")
{
    const Presets& presets = test::presets();
    for (const GpuPreset& gpu : presets.gpus)
    {
        INFO(gpu.gpu.id);
        const Scenario assumed = on(gpu.gpu.id, "");
        const Scenario named = on(gpu.gpu.id, json(assumed.software.id).dump());
        CHECK(assumed.software.evidence.table == named.software.evidence.table);
        CHECK(step_evidence_words(assumed, 1) == step_evidence_words(named, 1));
        CHECK(step_time(assumed).total() == step_time(named).total());
        const StageMemory of_assumed = memory_report(assumed).worst();
        const StageMemory of_named = memory_report(named).worst();
        CHECK(of_assumed.total() == of_named.total());
        CHECK(of_assumed.allocated() == of_named.allocated());
        CHECK(of_assumed.buffers.reserve.value > 0);
    }
}

TEST_CASE("named software is read, changed and written back")
{
    const Presets& presets = test::presets();
    for (const char* id : {"megatron-2021", "megatron-deepspeed", "megatron-core", "deepspeed", "fsdp",
                           "torchtitan", "maxtext", "deepseek"})
    {
        REQUIRE(presets.software_of(id) != nullptr);
        const Scenario s = on("h100-sxm-80gb", json(id).dump());
        CHECK(s.software.id == id);
        CHECK(to_json(s, presets)["software"] == id);
    }
    const Scenario s = on("h100-sxm-80gb", R"({"preset": "torchtitan", "loss": "eager"})");
    CHECK(s.software.loss == LossKind::eager);
    CHECK(to_json(s, presets)["software"] == json{{"preset", "torchtitan"}, {"loss", "eager"}});
    CHECK(*scenario_from_json(to_json(s, presets), presets) == s);
    CHECK_FALSE(scenario_from_json(json{{"software", "torchtitn"}}, presets));
}

TEST_CASE("the reserve of named software is part of the total, and so are copies of an eager loss")
{
    const auto memory = [](json software)
    {
        software.merge_patch({{"preset", "megatron-2021"}, {"fragmentation", 0}});
        return memory_report(on("h100-sxm-80gb", software.dump())).worst();
    };
    const StageMemory bare = memory({{"reserve_gb", 0}, {"loss", "fused"}});
    const StageMemory more = memory({{"reserve_gb", 3}, {"loss", "fused"}});
    CHECK((more.total() - bare.total()).value == 3e9);
    CHECK(more.buffers.reserve.value == 3e9);
    const double per_logit = bare.logits_bytes.value / 4;
    const auto extra = [&](const char* loss) {
        return (memory({{"reserve_gb", 0}, {"loss", loss}}).total() - bare.total()).value / per_logit;
    };
    CHECK(extra("eager") == 2 + 4 + 4 + 4 + 2 - 4);
    CHECK(extra("eager-freed") == 2 + 4 + 4 - 4);
    CHECK(extra("vocab-parallel") == 2 + 4 - 4); // logits, and a softmax in 32 bits that becomes the gradient
    CHECK(std::abs(extra("compiled") - 5.7) < 1e-6);
    CHECK(memory({{"loss", "chunked"}}).logits_bytes.value * kLossChunks == bare.logits_bytes.value);
}

TEST_CASE(
    "FSDP shards FP32 weights alone and gathers 16-bit ones; FSDP2 adds up whole gradients in a pipeline")
{
    const auto memory = [](const char* software, std::int64_t zero, std::int64_t pipeline)
    {
        Scenario s = on("h100-sxm-80gb", json{{"preset", software}, {"fragmentation", 0}}.dump());
        s.training.precision = Precision::fp8; // whose copies by row and by column FSDP does not keep
        s.training.gradient_dtype = GradientDtype::fp32;
        s.parallel.zero = zero;
        s.parallel.pipeline = pipeline;
        return memory_report(s).worst();
    };
    const StageMemory sharded = memory("torchtitan", 3, 1);
    CHECK(sharded.of(Component::weights).value == 0);
    CHECK(sharded.of(Component::master_weights).value > 0);
    CHECK(sharded.buffers.whole_gradients.value == 0);
    CHECK(memory("megatron-core", 3, 1).of(Component::weights).value ==
          sharded.of(Component::master_weights).value);
    // In a pipeline the weights stay gathered: 2 bytes of each, and the gradients 4 before they are sharded.
    const StageMemory staged = memory("torchtitan", 2, 2);
    const auto held = static_cast<double>(staged.parameters);
    CHECK(staged.of(Component::weights).value == 2 * held);
    CHECK((staged.of(Component::gradients) + staged.buffers.whole_gradients).value == 4 * held);
    CHECK(memory("megatron-core", 2, 2).buffers.whole_gradients.value == 0);
}

TEST_CASE("an allocator's fragmentation is a share of activations and buffers, not of the state")
{
    const auto memory = [](double share)
    {
        return memory_report(
                   on("h100-sxm-80gb", json{{"preset", "torchtitan"}, {"fragmentation", share}}.dump()))
            .worst();
    };
    const StageMemory none = memory(0);
    const double moves = (none.of(Component::activations) + none.buffers.moving()).value;
    CHECK(memory(0.25).buffers.fragmentation.value == std::ceil(0.25 * moves));
}

TEST_CASE("a run above 92% of the capacity is tight")
{
    MemoryReport memory;
    memory.stages.resize(1);
    memory.capacity = Bytes(100.0);
    const auto verdict = [&](double bytes)
    {
        memory.stages[0].parts[0] = Bytes(bytes);
        return memory.verdict();
    };
    CHECK(verdict(92) == MemoryVerdict::fits);
    CHECK(verdict(93) == MemoryVerdict::tight);
    CHECK(verdict(100) == MemoryVerdict::tight);
    CHECK(verdict(101) == MemoryVerdict::no);
}

TEST_CASE("the same cluster and layout are quicker with the software of 2025 than with that of 2021")
{
    const auto seconds = [](const char* software)
    { return step_time(on("h100-sxm-80gb", software)).total(); };
    CHECK(seconds(R"("megatron-core")") < 0.9 * seconds(R"("megatron-2021")"));
    const Scenario s = on("h100-sxm-80gb", R"("megatron-core")");
    const auto report = evaluate(s);
    REQUIRE(report);
    const double time = find_metric("step.time_s")->value(s, *report);
    CHECK(find_metric("step.time_low_s")->value(s, *report) < time);
    CHECK(find_metric("step.time_high_s")->value(s, *report) > time);
}

TEST_CASE("tokens sent once to a node cross the network fewer times")
{
    const auto seconds = [](const char* dispatch)
    {
        return step_time(test::scenario(
                             R"({"model": "deepseek-v3", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 256},
            "software": {"preset": "megatron-core", "dispatch": ")" +
                             std::string(dispatch) + R"("},
            "parallel": {"expert": 32, "pipeline": 8, "zero": 1},
            "training": {"sequence_length": 4096, "global_batch": 512}})"))
            .expert_comm;
    };
    CHECK(seconds("once-per-node") < 0.8 * seconds("plain"));
}

// 2.664 M H800 hours for 14.8 T tokens, DeepSeek-V3, arXiv 2412.19437, table 1; nothing of DeepSeek's
// software is fitted to it.
TEST_CASE("DeepSeek-V3's example lies near its published step")
{
    const Scenario& s = test::presets().scenario("deepseek-v3-2048")->scenario;
    const double tokens = static_cast<double>(s.training.global_batch * s.training.sequence_length);
    const double published = 2.664e6 * 3600 / static_cast<double>(s.cluster.gpus) / (14.8e12 / tokens);
    CHECK(published > 19.8);
    CHECK(std::abs(step_time(s).total() / published - 1) < 0.05);
}
