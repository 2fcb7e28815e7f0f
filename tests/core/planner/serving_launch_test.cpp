// Commands of serving engines: written, and read back to the same serving.
#include "tests/core/support.h"

#include "core/launch_files/serving_command.h"
#include "core/planner/launch/serving_launch.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/serving_json.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

Scenario to_serve(const char* model, const char* serving)
{
    const json document = {{"model", model},
                           {"cluster", {{"gpu", "h200-sxm"}, {"gpus", 16}, {"gpus_per_node", 8}}},
                           {"serving", json::parse(serving)}};
    auto scenario = scenario_from_json(document, test::presets());
    REQUIRE(scenario);
    REQUIRE_FALSE(has_errors(validate(*scenario)));
    return *scenario;
}

std::vector<ServingCommand> commands_of(const Launch& launch)
{
    std::vector<ServingCommand> commands;
    for (const LaunchFile& file : launch.files)
    {
        if (file.name.ends_with(".sh"))
        {
            commands.push_back({{file.name, text_of(launch, file)}});
        }
        else
        {
            commands.back().options = {file.name, text_of(launch, file)};
        }
    }
    return commands;
}

constexpr const char* kPlain = R"({"engine": "vllm", "tensor": 2, "pipeline": 2, "weights": "fp8",
    "kv_cache": "fp8", "max_num_seqs": 300, "max_num_batched_tokens": 4096, "memory_fraction": 0.85,
    "cuda_graphs": false})";
constexpr const char* kMixed = R"({"engine": {"preset": "sglang", "scheduler_recv_interval": 30,
    "plans_ahead": false}, "weights": "fp8", "data": 8, "expert": 8, "redundant_experts": 16, "two_batch": true,
    "scheduler": "mixed", "speculative": {"tokens": 2}})";
constexpr const char* kBalanced = R"({"engine": {"preset": "tensorrt-llm", "balance_iters": 60,
    "chunked_prefill": true, "plans_ahead": false}, "data": 8, "expert": 8, "kv_cache": "fp8",
    "speculative": {"tokens": 1}})";
constexpr const char* kGraphs =
    R"({"engine": {"preset": "vllm", "graph_tokens": 2048}, "tensor": 4, "expert": 4,
    "weights": "fp8"})";
constexpr const char* kApart =
    R"({"engine": "sglang", "tensor": 4, "prefill": {"tensor": 8}, "weights": "fp8"})";

} // namespace

TEST_CASE("a serving engine's command is read back to the same serving")
{
    struct Case
    {
        const char* tool;
        const char* model;
        const char* serving;
    };
    for (const Case& c : {Case{"vllm", "llama-3.1-70b", kPlain}, Case{"vllm", "qwen3-235b-a22b", kGraphs},
                          Case{"sglang", "deepseek-v3", kMixed}, Case{"sglang", "llama-3.1-70b", kApart},
                          Case{"trtllm", "qwen3-235b-a22b", kBalanced}})
    {
        const Scenario s = to_serve(c.model, c.serving);
        const auto read =
            read_serving_commands(commands_of(write_serving(s, c.tool)), *s.serving, test::presets());
        REQUIRE(read);
        INFO(c.tool << ' ' << c.serving);
        CHECK(read->unread.empty());
        CHECK(serving_json(read->serving, test::presets()) == serving_json(*s.serving, test::presets()));
        CHECK(read->serving == *s.serving);
    }
}

TEST_CASE("a command of people's own is read with other spellings, and what no field has is named")
{
    const ServingCommand command{
        {"serve.sh", "#!/bin/bash\nTP=8\nPYTHONNOUSERSITE=1 python3 -m sglang.launch_server \\\n"
                     "  --model-path=$MODEL --tensor-parallel-size=$TP --data-parallel-size $(nproc) \\\n"
                     "  --mem-fraction-static 0.82 --chunked-prefill-size 32768 --quantization awq \\\n"
                     "  --stream-interval 30"}};
    const auto read = read_serving_commands({command}, {}, test::presets());
    REQUIRE(read);
    CHECK(read->serving.engine.id == "sglang");
    CHECK(read->serving.layout.tensor == 8);
    CHECK(read->serving.memory_fraction == 0.82);
    CHECK(read->serving.max_num_batched_tokens == 32768);
    CHECK(read->unread ==
          std::vector<std::string>{"--data-parallel-size: $(nproc) is known only when it runs",
                                   "--quantization awq: no value of serving.weights",
                                   "--stream-interval 30: no field has it"});
    const ServingCommand options{{"serve.sh", "trtllm-serve $MODEL --tp_size=4 --ep_size=4"},
                                 {"options.yaml", "enable_attention_dp: true\nkv_cache_config:\n"
                                                  "    dtype: fp8\n    free_gpu_memory_fraction: 0.8\n"}};
    const auto trtllm = read_serving_commands({options}, {}, test::presets());
    REQUIRE(trtllm);
    CHECK(trtllm->serving.layout.data == 4);
    CHECK(trtllm->serving.layout.tensor == 1);
    CHECK(trtllm->serving.kv_cache == StorePrecision::fp8);
    CHECK(trtllm->serving.memory_fraction == 0.8);
    const auto none = read_serving_commands({{{"train.sh", "torchrun train.py"}}}, {}, test::presets());
    REQUIRE_FALSE(none);
    CHECK(none.issues().front().path == "train.sh");
    const ServingCommand broken{{"serve.sh", "trtllm-serve $MODEL"}, {"options.yaml", "a: [1\n"}};
    const auto faulty = read_serving_commands({broken}, {}, test::presets());
    REQUIRE_FALSE(faulty);
    CHECK(faulty.issues().front().path.starts_with("options.yaml"));
}

TEST_CASE("a serving command names the release that a flag was seen in")
{
    const Launch launch = write_serving(to_serve("deepseek-v3", kMixed), "sglang");
    const auto flag = std::ranges::find(launch.flags, "--scheduler-recv-interval", &LaunchFlag::flag);
    REQUIRE(flag != launch.flags.end());
    CHECK(flag->value == "30");
    CHECK(flag->explains.find("0.5.3rc1") != std::string::npos);
    CHECK(flag->field == "serving.engine.scheduler_recv_interval");
}

} // namespace ringside
