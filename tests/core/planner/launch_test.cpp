// What each framework is told for the shipped scenarios, worked out by hand from their files, and what it
// cannot be.
#include "tests/core/random_scenarios.h"

#include "core/base/json/json.h"
#include "core/base/text/text.h"
#include "core/performance/step_time.h"
#include "core/planner/launch/framework_launch.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;

namespace
{

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Scenario& shipped(const char* id)
{
    const ScenarioPreset* preset = test::presets().scenario(id);
    REQUIRE(preset != nullptr);
    return preset->scenario;
}

// DeepSeek-V3 as the frameworks can run it: 1F1B, 16-bit weights, nothing overlapped.
Scenario deepseek()
{
    Scenario s = shipped("deepseek-v3-2048");
    s.training.schedule = schedule("1f1b");
    s.training.fp8_recipe = Fp8Recipe::bf16_weights;
    s.parallel.overlap_expert = s.parallel.overlap_pipeline = false;
    return s;
}

// torchtitan is that with TOML files unless a version says otherwise.
Launch launch(const std::string& tool, const Scenario& s, const char* version = "v0.2.2")
{
    const Framework* found = test::presets().framework(tool);
    REQUIRE(found != nullptr);
    return write_launch(*found, s, version);
}

// The value of a flag; "(absent)" without it.
std::string value(const Launch& launch, const std::string& flag)
{
    const auto found = std::find_if(launch.flags.begin(), launch.flags.end(),
                                    [&](const LaunchFlag& f) { return f.flag == flag; });
    return found == launch.flags.end() ? "(absent)" : found->value;
}

void says(const Launch& launch, const Pairs& expected)
{
    for (const auto& [flag, wanted] : expected)
    {
        INFO(flag);
        CHECK(value(launch, flag) == wanted);
    }
}

void lacks(const Launch& launch, const std::vector<std::string>& flags)
{
    for (const std::string& flag : flags)
    {
        INFO(flag);
        CHECK(value(launch, flag) == "(absent)");
    }
}

// In the order of the alphabet.
std::vector<std::string> missing(const Launch& launch)
{
    std::vector<std::string> fields;
    for (const NotExpressed& item : launch.not_expressed)
    {
        fields.push_back(item.field);
    }
    std::ranges::sort(fields);
    return fields;
}

using Fields = std::vector<std::string>;

bool names(const Fields& fields, const char* field)
{
    return std::find(fields.begin(), fields.end(), field) != fields.end();
}

std::string file(const Launch& launch, const char* name)
{
    for (const LaunchFile& f : launch.files)
    {
        if (f.name == name)
        {
            return text_of(launch, f);
        }
    }
    return "(absent)";
}

Scenario changed(const char* id, const char* field, const char* to)
{
    nlohmann::json document = to_json(shipped(id), test::presets());
    REQUIRE(set_path(document, std::string(field) + "=" + to).empty());
    const auto read = scenario_from_json(document, test::presets());
    REQUIRE(read);
    return *read;
}

} // namespace

TEST_CASE("Megatron-LM: Llama 3.1 70B with tensor 8, pipeline 4, ZeRO-1 on 256 GPUs")
{
    const Launch l = launch("megatron", shipped("default"));
    says(l, {{"--num-layers", "80"},
             {"--hidden-size", "8192"},
             {"--ffn-hidden-size", "28672"},
             {"--num-attention-heads", "64"},
             {"--group-query-attention", ""},
             {"--num-query-groups", "8"},
             {"--seq-length", "8192"},
             {"--max-position-embeddings", "8192"},
             {"--position-embedding-type", "rope"},
             {"--swiglu", ""},
             {"--normalization", "RMSNorm"},
             {"--untie-embeddings-and-output-weights", ""},
             {"--disable-bias-linear", ""},
             {"--hidden-dropout", "0.0"},
             {"--tensor-model-parallel-size", "8"},
             {"--sequence-parallel", ""},
             {"--pipeline-model-parallel-size", "4"},
             {"--use-distributed-optimizer", ""},
             {"--overlap-grad-reduce", ""},
             {"--overlap-param-gather", ""},
             {"--micro-batch-size", "1"},
             {"--global-batch-size", "128"},
             {"--train-iters", "14305115"}, // 15e12 / (128 x 8192) = 14,305,114.7
             {"--bf16", ""},
             {"--accumulate-allreduce-grads-in-fp32", ""},
             {"--optimizer", "adam"},
             {"--recompute-granularity", "selective"},
             {"--attention-backend", "flash"},
             {"--vocab-size", "128255"}}); // the tokenizer adds one
    lacks(l, {"--kv-channels", "--context-parallel-size", "--expert-model-parallel-size",
              "--recompute-method", "--num-layers-per-virtual-pipeline-stage", "--fp8-format",
              "--use-megatron-fsdp", "--use-precision-aware-optimizer"});
    CHECK(l.not_expressed.empty());
    const std::string text = file(l, "launch.sh");
    CHECK(text.starts_with("#!/usr/bin/env bash\n# Llama 3.1 70B on 256 x H100"));
    CHECK(text.find("export CUDA_DEVICE_MAX_CONNECTIONS=1") != std::string::npos);
    CHECK(text.find("torchrun --nproc-per-node 8 --nnodes 32 ") != std::string::npos);
    CHECK(text.find("    --tensor-model-parallel-size 8 ") != std::string::npos);
    CHECK(text.find("# GPUs that share each matrix\n") != std::string::npos);
}

TEST_CASE("Megatron-LM: DeepSeek-V3 with 16 uneven stages, 64 expert ranks and FP8 on 2,048 GPUs")
{
    const Launch l = launch("megatron", deepseek());
    says(l, {{"--multi-latent-attention", ""},
             {"--q-lora-rank", "1536"},
             {"--kv-lora-rank", "512"},
             {"--qk-head-dim", "128"},
             {"--qk-pos-emb-head-dim", "64"},
             {"--v-head-dim", "128"},
             {"--num-experts", "256"},
             {"--moe-router-topk", "8"},
             {"--moe-ffn-hidden-size", "2048"},
             {"--moe-shared-expert-intermediate-size", "2048"},
             {"--moe-layer-freq", "'([0]*3+[1]*58)'"},
             {"--moe-router-enable-expert-bias", ""},
             {"--moe-router-score-function", "sigmoid"},
             {"--pipeline-model-parallel-size", "16"},
             {"--pipeline-model-parallel-layout",
              "'Et*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*3|t*3|t*3,L'"},
             {"--expert-model-parallel-size", "64"},
             {"--expert-tensor-parallel-size", "1"},
             {"--fp8-format", "hybrid"},
             {"--fp8-recipe", "tensorwise"},
             {"--global-batch-size", "15360"},
             {"--recompute-granularity", "full"},
             {"--recompute-method", "uniform"},
             {"--recompute-num-layers", "1"},
             {"--attention-backend", "fused"}});
    lacks(l, {"--group-query-attention", "--sequence-parallel", "--fp8-param-gather"});
    CHECK(l.not_expressed.empty());
    CHECK(file(l, "launch.sh").find("CUDA_DEVICE_MAX_CONNECTIONS") == std::string::npos);
}

TEST_CASE("Megatron-LM: a GPT with ZeRO-2 on one node of 8 is Megatron-FSDP's")
{
    const Launch l = launch("megatron", shipped("gpt-13b-8"));
    says(l, {{"--position-embedding-type", "learned_absolute"},
             {"--max-position-embeddings", "2048"},
             {"--normalization", "LayerNorm"},
             {"--hidden-dropout", "0.1"},
             {"--use-distributed-optimizer", ""},
             {"--use-megatron-fsdp", ""},
             {"--data-parallel-sharding-strategy", "optim_grads"},
             {"--ckpt-format", "fsdp_dtensor"},
             {"--grad-reduce-in-bf16", ""},
             {"--attention-backend", "unfused"}});
    lacks(l, {"--swiglu", "--disable-bias-linear", "--untie-embeddings-and-output-weights",
              "--recompute-granularity", "--accumulate-allreduce-grads-in-fp32"});
    CHECK(file(l, "launch.sh").find("torchrun --standalone --nproc-per-node 8 pretrain_gpt.py") !=
          std::string::npos);
    CHECK(value(launch("megatron", changed("gpt-13b-8", "parallel.zero", "3")),
                "--data-parallel-sharding-strategy") == "optim_grads_params");
}

TEST_CASE("on every cluster torchrun starts exactly as many processes as there are GPUs")
{
    const auto number = [](const std::string& text, const std::string& option)
    {
        const auto at = text.find(option + " ");
        return at == std::string::npos ? 1 : std::stoll(text.substr(at + option.size() + 1));
    };
    for (const ClusterPreset& preset : test::presets().clusters)
    {
        for (const std::int64_t gpus : {preset.cluster.gpus, std::int64_t{1024}, std::int64_t{24}})
        {
            Scenario s = shipped("llama-8b-8");
            s.cluster = preset.cluster;
            s.cluster.gpus = gpus;
            INFO(preset.id << ", " << gpus << " GPUs");
            const std::string text = file(launch("megatron", s), "launch.sh");
            const long long each = number(text, "--nproc-per-node");
            CHECK(each * number(text, "--nnodes") == gpus);
            CHECK(each <= 16);
        }
    }
}

TEST_CASE("Megatron-LM's own checks are known")
{
    // --sequence-parallel is switched off where tensor is 1.
    Scenario s = changed("llama-8b-8", "parallel.sequence_parallel", "true");
    Launch l = launch("megatron", s);
    lacks(l, {"--sequence-parallel"});
    CHECK(missing(l) == Fields{"parallel.sequence_parallel"});
    // Interleaving: layers of a chunk, 80 / (4 x 5).
    s = changed("default", "training.schedule", "interleaved");
    s.parallel.chunks = 5;
    l = launch("megatron", s);
    CHECK(value(l, "--num-layers-per-virtual-pipeline-stage") == "4");
    CHECK(l.not_expressed.empty());
    // Sequences are cut in two pieces a rank: a multiple of twice the context size.
    s = changed("llama-8b-8", "parallel.context", "8");
    s.training.sequence_length = 4104;
    CHECK(missing(launch("megatron", s)) == Fields{"training.sequence_length"});
    // The position table reaches over the sequence.
    s = changed("gpt-13b-8", "training.sequence_length", "4096");
    l = launch("megatron", s);
    CHECK(value(l, "--max-position-embeddings") == "4096");
    CHECK(missing(l) == Fields{"model.max_sequence_length"});
    // Experts with tensor parallelism want sequence parallelism.
    s = changed("mixtral-8x7b-64", "parallel.tensor", "2");
    l = launch("megatron", s);
    CHECK(value(l, "--sequence-parallel").empty());
    CHECK(missing(l) == Fields{"parallel.sequence_parallel"});
    // ZeRO-3 does not go with stages; narrow moments, 8-bit weights and offload want the distributed
    // optimizer.
    CHECK(missing(launch("megatron", changed("default", "parallel.zero", "3"))) == Fields{"parallel.zero"});
    s = changed("default", "training.offload", "optimizer-cpu");
    CHECK(value(launch("megatron", s), "--optimizer-cpu-offload").empty());
    s.parallel.zero = 0;
    CHECK(missing(launch("megatron", s)) == Fields{"training.offload"});
    CHECK(value(launch("megatron", changed("default", "training.optimizer", "muon")), "--optimizer") ==
          "dist_muon");
}

TEST_CASE("Megatron-LM has no zero-bubble schedule, and says so")
{
    for (const ScheduleKind kind : schedules())
    {
        Scenario s = shipped("default");
        s.training.schedule = kind;
        s.parallel.chunks = kind->least_chunks;
        const bool has = kind->id == "1f1b" || kind->id == "interleaved";
        INFO(kind->id);
        CHECK(missing(launch("megatron", s)) == (has ? Fields{} : Fields{"training.schedule"}));
    }
}

TEST_CASE("DeepSpeed: batch, precision and ZeRO of three shipped scenarios")
{
    const Launch node = launch("deepspeed", shipped("llama-8b-8"));
    says(node, {{"train_batch_size", "64"},
                {"train_micro_batch_size_per_gpu", "1"},
                {"gradient_accumulation_steps", "8"}, // 64 / (8 x 1)
                {"bf16.enabled", "true"},
                {"data_types.grad_accum_dtype", "\"fp32\""},
                {"zero_optimization.stage", "2"},
                {"zero_optimization.overlap_comm", "true"},
                {"optimizer.type", "\"AdamW\""}});
    lacks(node,
          {"tensor_parallel.autotp_size", "fp16.enabled", "zero_optimization.offload_optimizer.device"});
    CHECK(missing(node) == Fields{"model"});
    CHECK(file(node, "launch.sh")
              .find("deepspeed --num_gpus 8 \\\n    train.py --deepspeed --deepspeed_config "
                    "ds_config.json") != std::string::npos);
    const auto config = nlohmann::json::parse(file(node, "ds_config.json"));
    CHECK(config["zero_optimization"]["stage"] == 2);
    CHECK(config["optimizer"]["params"]["lr"] == 3e-4);

    const Launch large = launch("deepspeed", shipped("default"));
    says(large, {{"train_batch_size", "128"},
                 {"gradient_accumulation_steps", "16"}, // 128 / (8 x 1)
                 {"zero_optimization.stage", "1"},
                 {"tensor_parallel.autotp_size", "8"}});
    CHECK(missing(large) ==
          Fields{"model", "parallel.pipeline", "parallel.sequence_parallel", "training.recompute"});
    CHECK(file(large, "launch.sh").find("--hostfile hostfile --num_nodes 32 --num_gpus 8") !=
          std::string::npos);

    const Launch experts = launch("deepspeed", shipped("mixtral-8x7b-64"));
    says(experts, {{"gradient_accumulation_steps", "8"}, {"zero_optimization.stage", "1"}});
    CHECK(missing(experts) == Fields{"model", "parallel.expert", "training.recompute"});
    CHECK(experts.not_expressed.front().says ==
          "in your code: deepspeed.moe.layer.MoE(num_experts=8, k=2, ep_size=8)");
}

TEST_CASE("DeepSpeed: what ZeRO goes with")
{
    says(launch("deepspeed", changed("default", "parallel.zero", "3")), {{"zero_optimization.stage", "1"}});
    Scenario s = changed("llama-8b-8", "parallel.zero", "3");
    s.training.offload = Offload::optimizer_and_weights_nvme;
    says(launch("deepspeed", s), {{"zero_optimization.stage", "3"},
                                  {"zero_optimization.offload_optimizer.device", "\"nvme\""},
                                  {"zero_optimization.offload_param.device", "\"nvme\""}});
    s.parallel.tensor = 2;
    says(launch("deepspeed", s), {{"zero_optimization.stage", "2"},
                                  {"zero_optimization.offload_optimizer.device", "\"cpu\""},
                                  {"zero_optimization.offload_param.device", "(absent)"}});
    s.parallel.zero = 0;
    lacks(launch("deepspeed", s), {"zero_optimization.offload_optimizer.device"});
}

TEST_CASE("torchtitan: replicas, shards, stages and batches of three shipped scenarios")
{
    const Launch node = launch("torchtitan", shipped("llama-8b-8"));
    says(node, {{"model.name", "\"llama3\""},
                {"model.flavor", "\"8B\""},
                {"training.seq_len", "4096"},
                {"training.local_batch_size", "1"},
                {"training.global_batch_size", "64"},
                {"parallelism.data_parallel_replicate_degree", "1"},
                {"parallelism.data_parallel_shard_degree", "8"},
                {"parallelism.fsdp_reshard_after_forward", "\"never\""},
                {"parallelism.tensor_parallel_degree", "1"},
                {"parallelism.pipeline_parallel_degree", "1"},
                {"activation_checkpoint.mode", "\"none\""}});
    lacks(node, {"parallelism.pipeline_parallel_schedule", "parallelism.expert_parallel_degree",
                 "model.converters"});
    CHECK(node.not_expressed.empty());

    const Launch large = launch("torchtitan", shipped("default"));
    says(large, {{"model.flavor", "\"70B\""},
                 {"training.local_batch_size", "16"}, // 16 micro-batches of 1 enter a pipeline
                 {"parallelism.data_parallel_shard_degree", "8"},
                 {"parallelism.tensor_parallel_degree", "8"},
                 {"parallelism.pipeline_parallel_degree", "4"},
                 {"parallelism.pipeline_parallel_schedule", "\"1F1B\""},
                 {"parallelism.pipeline_parallel_microbatch_size", "1"},
                 {"parallelism.pipeline_parallel_layers_per_stage", "20"},
                 {"activation_checkpoint.selective_ac_option", "\"op\""}});
    CHECK(missing(large) == Fields{"parallel.zero", "training.recompute"});

    const Launch deep = launch("torchtitan", deepseek());
    says(deep, {{"model.name", "\"deepseek_v3\""},
                {"model.flavor", "\"671B\""},
                {"model.converters", "[\"quantize.linear.float8\"]"},
                {"parallelism.expert_parallel_degree", "64"},
                {"parallelism.data_parallel_shard_degree", "128"},
                {"training.local_batch_size", "120"}, // 15,360 / 128
                {"quantize.linear.float8.enable_fsdp_float8_all_gather", "false"}});
    const std::string parts = value(deep, "parallelism.module_fqns_per_model_part");
    CHECK(parts.starts_with(
        R"([["tok_embeddings", "layers.0", "layers.1", "layers.2", "layers.3"], ["layers.4",)"));
    CHECK(parts.ends_with(R"(["layers.58", "layers.59", "layers.60", "norm", "output"]])"));
}

TEST_CASE("torchtitan's flavors are named where the whole shape is theirs, and only there")
{
    Scenario s = shipped("llama-8b-8");
    const auto flavor = [&](const char* id)
    {
        s.model = test::presets().model(id)->model;
        const Launch l = launch("torchtitan", s);
        CHECK_FALSE(names(missing(l), "model"));
        return value(l, "model.name") + value(l, "model.flavor");
    };
    for (const auto& [id, wanted] : Pairs{{"llama-3.1-8b", "\"llama3\"\"8B\""},
                                          {"llama-3.1-405b", "\"llama3\"\"405B\""},
                                          {"llama-4-scout", "\"llama4\"\"17bx16e_irope\""},
                                          {"llama-4-maverick", "\"llama4\"\"17bx128e_irope\""},
                                          {"deepseek-v2-lite", "\"deepseek_v3\"\"16B\""},
                                          {"deepseek-v2", "\"deepseek_v3\"\"236B\""},
                                          {"deepseek-v3", "\"deepseek_v3\"\"671B\""},
                                          {"qwen3-0.6b", "\"qwen3\"\"0.6B\""},
                                          {"qwen3-1.7b", "\"qwen3\"\"1.7B\""},
                                          {"qwen3-4b", "\"qwen3\"\"4B\""},
                                          {"qwen3-8b", "\"qwen3\"\"8B\""},
                                          {"qwen3-32b", "\"qwen3\"\"32B\""},
                                          {"qwen3-30b-a3b", "\"qwen3\"\"30B-A3B\""},
                                          {"qwen3-235b-a22b", "\"qwen3\"\"235B-A22B\""}})
    {
        INFO(id);
        CHECK(flavor(id.c_str()) == wanted);
    }
    // Blocks of another size are no flavor's; with none at all it is the flavor without.
    s.model = test::presets().model("llama-4-scout")->model;
    s.model.attention_per_layer.clear();
    CHECK(value(launch("torchtitan", s), "model.flavor") == "\"17bx16e\"");
    s.model.attention_per_layer = {4096, 4096, 4096, 0};
    CHECK(names(missing(launch("torchtitan", s)), "model.attention_per_layer"));
    const auto own = [&](auto change)
    {
        s.model = test::presets().model("qwen3-8b")->model;
        change(s.model);
        const Launch l = launch("torchtitan", s);
        CHECK(value(l, "model.flavor") == "\"your_flavor\"");
        CHECK(names(missing(l), "model"));
    };
    own([](Model& m) { m.kv_heads = 32; });
    own([](Model& m) { m.ffn = 11008; });
    own([](Model& m) { m.tied_embeddings = true; });
    own([](Model& m) { m.qk_norm = QkNorm::none; });
    own([](Model& m) { m.head_dim = 64; });
}

TEST_CASE("torchtitan and Megatron-LM do not cut a key/value head")
{
    Scenario s = shipped("llama-8b-8");
    s.model = test::presets().model("qwen2.5-1.5b")->model;
    s.training.recompute = Recompute::none;
    s.parallel.tensor = 4;
    s.parallel.sequence_parallel = true;
    CHECK(names(missing(launch("torchtitan", s)), "model.kv_heads"));
    CHECK(names(missing(launch("megatron", s)), "model.kv_heads"));
    for (const char* id : {"torchtitan", "megatron"})
    {
        CHECK_FALSE(runs_layers(*test::presets().framework(id), s));
    }
    s.parallel.tensor = 2;
    CHECK_FALSE(names(missing(launch("torchtitan", s)), "model.kv_heads"));
    for (const char* id : {"torchtitan", "megatron"})
    {
        CHECK(runs_layers(*test::presets().framework(id), s));
    }
}

TEST_CASE("Megatron-LM is given windows of attention, every n-th layer full or by a list")
{
    Scenario s = shipped("llama-8b-8");
    s.model = test::presets().model("gpt-oss-20b")->model;
    Launch l = launch("megatron", s);
    says(l, {{"--window-size", "127,0"}, {"--window-attn-skip-freq", "2"}});
    CHECK_FALSE(names(missing(l), "model.attention_per_layer"));
    s.model.attention_per_layer = {0, 128};
    l = launch("megatron", s);
    CHECK(value(l, "--window-attn-skip-freq").starts_with("'([0]*1+[1]*1+[0]*1"));
    s.model.attention_per_layer = {128};
    l = launch("megatron", s);
    says(l, {{"--window-size", "127,0"}});
    lacks(l, {"--window-attn-skip-freq"});
    for (const std::vector<std::int64_t>& other :
         {std::vector<std::int64_t>{128, 512}, std::vector<std::int64_t>{entry_of(LayerAttention::sparse)}})
    {
        s.model.attention_per_layer = other;
        CHECK(names(missing(launch("megatron", s)), "model.attention_per_layer"));
        lacks(launch("megatron", s), {"--window-size"});
    }
}

TEST_CASE("what forbids Megatron-LM's overlap of experts is said")
{
    Scenario s = shipped("mixtral-8x7b-64");
    s.parallel.overlap_expert = true;
    const auto why = [&]
    {
        for (const NotExpressed& item : launch("megatron", s).not_expressed)
        {
            if (item.field == "parallel.overlap_expert")
            {
                return item.says;
            }
        }
        return std::string();
    };
    s.training.recompute = Recompute::full;
    CHECK(why().find("--overlap-moe-expert-parallel-comm is refused beside full recomputation") == 0);
    s.training.recompute = Recompute::selective;
    s.training.precision = Precision::bf16;
    s.training.schedule = schedule("1f1b");
    s.parallel.chunks = 1;
    s.parallel.pipeline = 1;
    CHECK(why().empty());
    says(launch("megatron", s), {{"--overlap-moe-expert-parallel-comm", ""}});
    s.parallel.pipeline = 2;
    CHECK(why().find("one chunk a stage") != std::string::npos);
}

TEST_CASE("torchtitan runs PyTorch's schedules by name")
{
    const Pairs names{{"gpipe", "\"GPipe\""},          {"interleaved", "\"Interleaved1F1B\""},
                      {"looped-bfs", "\"LoopedBFS\""}, {"interleaved-zb", "\"InterleavedZeroBubble\""},
                      {"zb-v", "\"ZBVZeroBubble\""},   {"dualpipev", "\"DualPipeV\""}};
    for (const auto& [id, name] : names)
    {
        Scenario s = shipped("default");
        s.training.schedule = schedule(id);
        s.parallel.chunks = id == "gpipe" ? 1 : 2;
        const Launch l = launch("torchtitan", s);
        INFO(id);
        CHECK(value(l, "parallelism.pipeline_parallel_schedule") == name);
        CHECK(value(l, "parallelism.pipeline_parallel_layers_per_stage") == (id == "gpipe" ? "20" : "10"));
    }
    Scenario s = shipped("default");
    s.training.schedule = schedule("zb-h1");
    CHECK(missing(launch("torchtitan", s)) ==
          Fields{"parallel.zero", "training.recompute", "training.schedule"});
}

TEST_CASE("torchtitan without TOML: a ready configuration and options, or a function of your own")
{
    const Scenario ready = changed("llama-8b-8", "training.recompute", "alternate");
    Launch l = launch("torchtitan", ready, "2026-08-21");
    says(l, {{"--parallelism.tensor_parallel_degree", "1"},
             {"--parallelism.data_parallel_shard_degree", "8"},
             {"--parallelism.fsdp_reshard_after_forward", "never"},
             {"--training.max_context_length", "4096"},
             {"--training.num_tokens_per_microbatch_per_dp_rank", "4096"},
             {"--training.num_tokens_per_train_step", "262144"}}); // 64 x 4096
    lacks(l, {"--training.disable_cuda_graphs", "activation_checkpoint"});
    CHECK(file(l, "launch.sh").find("-m torchtitan.train --module llama3 --config llama3_8b") !=
          std::string::npos);
    CHECK(file(l, "launch.sh").find("commit b5bcd76c66") != std::string::npos);
    CHECK(file(l, "ringside_run.py") == "(absent)");
    CHECK(l.not_expressed.empty());

    l = launch("torchtitan", changed("llama-8b-8", "training.precision", "fp8"), "2026-08-21");
    const std::string code = file(l, "ringside_run.py");
    CHECK(code.find("from torchtitan.models.llama3.config_registry import llama3_8b\n") != std::string::npos);
    CHECK(code.find("    config.activation_checkpoint = None ") != std::string::npos);
    CHECK(code.find("model_registry(\"8B\", converters=[Float8LinearConverter.Config(") != std::string::npos);
    CHECK(file(l, "launch.sh").find("--module ringside_run --config ringside_run") != std::string::npos);

    Scenario staged = shipped("default");
    staged.model.tied_embeddings = true;
    l = launch("torchtitan", staged, "2026-08-21");
    CHECK(names(missing(l), "model.tied_embeddings"));
    says(l, {{"--training.disable_cuda_graphs", ""}, {"--parallelism.num_pp_microbatches", "16"}});
}

TEST_CASE("every launch names its version, and SLURM starts launch.sh once a node")
{
    for (const Framework& framework : test::presets().frameworks)
    {
        for (const LaunchVersion& version : framework.versions)
        {
            const Launch l = write_launch(framework, shipped("default"), version.id);
            INFO(framework.id << " " << version.id);
            CHECK(file(l, "launch.sh").find(version.says) != std::string::npos);
            CHECK(file(l, "launch.sbatch").find("#SBATCH --nodes=32\n") != std::string::npos);
            CHECK(file(l, "launch.sbatch").find("#SBATCH --gpus-per-node=8\n") != std::string::npos);
        }
    }
}

TEST_CASE("nanotron: the layout of three shipped scenarios")
{
    const Launch large = launch("nanotron", shipped("default"));
    says(large, {{"model.model_config.is_llama_config", "true"},
                 {"model.model_config.num_hidden_layers", "80"},
                 {"model.model_config.num_key_value_heads", "8"},
                 {"model.dtype", "bfloat16"},
                 {"parallelism.dp", "8"},
                 {"parallelism.pp", "4"},
                 {"parallelism.tp", "8"},
                 {"parallelism.pp_engine", "1f1b"},
                 {"parallelism.tp_mode", "REDUCE_SCATTER"},
                 {"parallelism.recompute_layer", "false"},
                 {"tokens.batch_accumulation_per_replica", "16"},
                 {"tokens.train_steps", "14305115"},
                 {"optimizer.zero_stage", "1"},
                 {"optimizer.accumulate_grad_in_fp32", "true"}});
    // Attention alone is recomputed by no setting.
    REQUIRE(large.not_expressed.size() == 1);
    CHECK(large.not_expressed.front().field == "training.recompute");

    const Launch experts = launch("nanotron", shipped("mixtral-8x7b-64"));
    says(experts, {{"model.model_config.is_qwen2_config", "true"},
                   {"model.model_config.intermediate_size", "14336"},
                   {"model.model_config.moe_config.num_experts", "8"},
                   {"model.model_config.moe_config.top_k", "2"},
                   {"model.model_config.moe_config.layers", "[-1]"},
                   {"parallelism.dp", "64"},
                   {"parallelism.recompute_layer", "true"}});
    CHECK(missing(experts) == Fields{"parallel.expert"});

    const Launch deep = launch("nanotron", deepseek());
    CHECK(names(missing(launch("nanotron", shipped("deepseek-v3-2048"))), "training.schedule"));
    CHECK(missing(deep) == Fields{"model.attention", "model.ffn", "model.router_bias", "parallel.expert",
                                  "parallel.stage_layers", "training.precision"});
    const Launch gpt = launch("nanotron", shipped("gpt-13b-8"));
    CHECK(missing(gpt) == Fields{"model.biases", "model.dropout", "model.gated_mlp", "model.norm",
                                 "model.positions", "parallel.zero"});
}

TEST_CASE("a name with a line break or a quote stays inside of its comment")
{
    Scenario s = shipped("default");
    s.model.name = "x\nrm -rf /\n\"'$(id)";
    for (const Framework& tool : test::presets().frameworks)
    {
        const Launch l = write_launch(tool, s);
        for (const LaunchFile& f : l.files)
        {
            INFO(tool.id << " " << f.name);
            CHECK(text_of(l, f).find("\nrm -rf") == std::string::npos);
        }
    }
}

TEST_CASE("every launch of every scenario explains each of its settings, once")
{
    test::ScenarioSource source(11);
    for (int round = 0; round < 200; ++round)
    {
        const Scenario s = source.next();
        for (const Framework& tool : test::presets().frameworks)
        {
            const Launch l = write_launch(tool, s);
            INFO(tool.id << " " << to_json(s, test::presets()).dump());
            std::vector<int> shown(l.flags.size());
            for (const LaunchFile& f : l.files)
            {
                CHECK_FALSE(f.name.empty());
                for (const LaunchLine& line : f.lines)
                {
                    if (line.flag >= 0)
                    {
                        ++shown.at(static_cast<std::size_t>(line.flag));
                    }
                }
            }
            CHECK(std::all_of(shown.begin(), shown.end(), [](int times) { return times == 1; }));
            for (const LaunchFlag& flag : l.flags)
            {
                CHECK_FALSE(flag.explains.empty());
                CHECK(flag.explains.find('\n') == std::string::npos);
            }
            for (const NotExpressed& item : l.not_expressed)
            {
                CHECK_FALSE(item.field.empty());
                CHECK_FALSE(item.value.empty());
                CHECK_FALSE(item.says.empty());
            }
        }
        const Launch deepspeed = launch("deepspeed", s);
        CHECK(nlohmann::json::accept(file(deepspeed, "ds_config.json")));
    }
}

TEST_CASE("what Megatron-LM would refuse is written another way, or named")
{
    // A pipeline without its chunks has nothing to hide tokens and activations behind.
    Scenario s = shipped("deepseek-v3-2048");
    s.parallel.overlap_expert = s.parallel.overlap_pipeline = true;
    s.training.schedule = schedule("dualpipe");
    s.training.recompute = Recompute::none;
    REQUIRE(possible_overlaps(s).pipeline);
    Launch l = launch("megatron", s);
    lacks(l, {"--overlap-moe-expert-parallel-comm"});
    CHECK(names(missing(l), "parallel.overlap_expert"));
    CHECK(names(missing(l), "parallel.overlap_pipeline"));
    // Muon: a distributed optimizer of its own, no fp16, no offload.
    s = changed("gpt-13b-8", "training.optimizer", "muon");
    s.parallel.zero = 1;
    s.training.precision = Precision::fp16;
    s.training.offload = Offload::optimizer_cpu;
    l = launch("megatron", s);
    says(l, {{"--optimizer", "dist_muon"}, {"--bf16", ""}});
    lacks(l, {"--use-distributed-optimizer", "--fp16", "--optimizer-cpu-offload"});
    CHECK(missing(l) == Fields{"parallel.whole_shards", "training.offload", "training.precision"});
    // 8-bit weights keep the optimizer on the GPU.
    s = changed("llama-8b-8", "training.precision", "fp8");
    s.parallel.zero = 1;
    s.training.fp8_recipe = Fp8Recipe::fp8_weights;
    s.training.offload = Offload::optimizer_cpu;
    l = launch("megatron", s);
    CHECK(value(l, "--fp8-param-gather").empty());
    lacks(l, {"--optimizer-cpu-offload"});
    CHECK(names(missing(l), "training.offload"));
    // Cut sequences have no stored scores.
    s = changed("llama-8b-8", "parallel.context", "2");
    s.training.flash_attention = false;
    l = launch("megatron", s);
    CHECK(value(l, "--attention-backend") == "flash");
    CHECK(names(missing(l), "training.flash_attention"));
    // One expert a token.
    s = changed("mixtral-8x7b-64", "model.experts_per_token", "1");
    CHECK(value(launch("megatron", s), "--moe-router-pre-softmax").empty());
    // Fewer key/value heads than tensor ranks.
    s = changed("default", "model.kv_heads", "4");
    CHECK(names(missing(launch("megatron", s)), "model.kv_heads"));
}

TEST_CASE("DeepSpeed's optimizers, sums and batches follow its own checks")
{
    Scenario s = changed("gpt-13b-8", "training.optimizer", "muon");
    s.parallel.zero = 1;
    Launch l = launch("deepspeed", s);
    CHECK(value(l, "optimizer.type") == "\"Muon\"");
    s.training.optimizer = Optimizer::sgd_momentum;
    l = launch("deepspeed", s);
    CHECK(value(l, "zero_allow_untested_optimizer") == "true");
    s.parallel.zero = 0;
    s.training.gradient_dtype = GradientDtype::bf16;
    l = launch("deepspeed", s);
    lacks(l, {"zero_allow_untested_optimizer"});
    CHECK(value(l, "data_types.grad_accum_dtype") == "\"fp32\"");
    CHECK(names(missing(l), "training.gradient_dtype"));
    // Its check of the three batch numbers counts every GPU as a replica.
    s = changed("gpt-13b-8", "parallel.tensor", "2");
    l = launch("deepspeed", s);
    lacks(l, {"train_batch_size"});
    CHECK(names(missing(l), "training.global_batch"));
}

TEST_CASE("torchtitan's axes go together as it lets them")
{
    Scenario s = changed("llama-8b-8", "parallel.zero", "0");
    s.parallel.tensor = 2;
    s.parallel.sequence_parallel = true;
    CHECK(names(missing(launch("torchtitan", s)), "parallel.zero"));
    s.parallel.zero = 3;
    CHECK_FALSE(names(missing(launch("torchtitan", s)), "parallel.zero"));
    s.training.sequence_length = 8194;
    CHECK(names(missing(launch("torchtitan", s)), "training.sequence_length"));
    // 2 experts' groups over tensor 4: they are cut over whole tensor groups.
    s = shipped("mixtral-8x7b-64");
    s.parallel.zero = 3;
    s.parallel.tensor = 4;
    s.parallel.sequence_parallel = true;
    s.parallel.expert = 2;
    CHECK(names(missing(launch("torchtitan", s)), "parallel.expert"));
    s.parallel.expert = 8;
    CHECK_FALSE(names(missing(launch("torchtitan", s)), "parallel.expert"));
}

TEST_CASE("a launch file says what is predicted, and marks settings that are only the nearest thing")
{
    const Scenario s = changed("gpt-13b-8", "training.precision", "fp8");
    const Launch l = launch("nanotron", s);
    REQUIRE(names(missing(l), "training.precision"));
    const std::string text = text_of(l, l.files.front());
    CHECK(text.find(format_seconds(Seconds(step_time(s).total())) + " per step") != std::string::npos);
    CHECK(text.find("# not honored: training.precision fp8") != std::string::npos);
    for (const LaunchFlag& flag : l.flags)
    {
        CHECK((l.missed(flag) != nullptr) == (!flag.field.empty() && names(missing(l), flag.field.c_str())));
    }
    CHECK(text.find("NOT HONORED") != std::string::npos);
}
