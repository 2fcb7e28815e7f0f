// Launch files by hand: what the shell reader follows, and what Megatron-LM's defaults come to.
#include "tests/core/support.h"

#include "core/launch_files/frameworks/megatron.h"
#include "core/launch_files/launch_files.h"
#include "core/launch_files/shell/shell_run.h"
#include "core/memory/memory.h"
#include "core/model/weights.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;

namespace
{

LaunchReading read_text_of(const std::string& text)
{
    const auto reading = read_launch_files({.files = {{"train.sh", text}}}, ringside::test::presets());
    REQUIRE(reading);
    return *reading;
}

nlohmann::json value_of(const LaunchReading& reading, const std::string& field)
{
    return field_value(reading.scenario, field);
}

const ReadField& entry_of(const LaunchReading& reading, const std::string& field)
{
    const auto found = std::ranges::find(reading.fields, field, &ReadField::field);
    REQUIRE(found != reading.fields.end());
    return *found;
}

std::string words_of_last(const std::string& script, const std::vector<std::string>& arguments = {})
{
    const ShellResult result = run_shell(script, "s.sh", arguments, {});
    REQUIRE_FALSE(result.commands.empty());
    std::string words;
    for (const ShellField& word : result.commands.back().words)
    {
        words += "[" + word.text + "]";
    }
    return words;
}

const std::string kShape = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 16 --hidden-size 1024 "
                           "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 2 ";

} // namespace

TEST_CASE("words of a shell are split, joined and kept as the shell would")
{
    CHECK(words_of_last("A='x y'; run $A \"$A\" '$A' a\\ b") == "[run][x][y][x y][$A][a b]");
    CHECK(words_of_last("A=(1 '2 3' # four\n 4); A+=(5); run ${A[@]} ${#A[@]} ${A[1]}") ==
          "[run][1][2][3][4][5][4][2][3]");
    CHECK(words_of_last("run \"${A[@]:-none}\" ${B:-b} ${C:=c} $C") == "[run][none][b][c][c]");
    CHECK(words_of_last("F=a/b.tar.gz; run ${F##*/} ${F%.*} ${F%%.*} ${F#a/} ${F/b/c} ${F:2:1}") ==
          "[run][b.tar.gz][a/b.tar][a/b][b.tar.gz][a/c.tar.gz][b]");
    CHECK(words_of_last("run $((2 * (3 + 4) % 5)) $(( 7 / 2 )) $((2**10)) $((3 > 2 ? 10 : 20))") ==
          "[run][4][3][1024][10]");
}

TEST_CASE("branches, loops, cases and functions of a shell are followed without executing anything")
{
    CHECK(words_of_last("for i in 1 2 3; do L=\"$L $i\"; done; run $L") == "[run][1][2][3]");
    CHECK(words_of_last(
              "while [[ $# -gt 0 ]]; do case $1 in --tp) T=$2; shift 2;; *) shift;; esac; done; run $T",
              {"x", "--tp", "4"}) == "[run][4]");
    CHECK(words_of_last(
              "N=7\nif [ $N -gt 10 ]; then M=big; elif (( N > 5 )); then M=some; else M=few; fi; run $M") ==
          "[run][some]");
    CHECK(words_of_last("f() { local X=$1; run $X; }\nf 3") == "[run][3]");
    CHECK(words_of_last("X='run $Y'; Y=9; eval $X") == "[run][9]");
    CHECK(words_of_last("[ -z \"$Q\" ] && Q=4; [ -f /etc/passwd ] && Q=5; run $Q") == "[run][4]");
    CHECK(words_of_last("cat <<EOF > x\nrun 1\nEOF\nrun 2") == "[run][2]");
}

TEST_CASE("what only a run knows is marked with its name")
{
    const ShellResult result =
        run_shell("N=`nvidia-smi -L | wc -l`; W=$((N * 2)); run $N $W $HOSTNAME", "s.sh", {}, {});
    REQUIRE(result.commands.size() == 1);
    REQUIRE(result.commands[0].words.size() == 4);
    CHECK(result.commands[0].words[1].unknown.find("nvidia-smi") != std::string::npos);
    CHECK(result.commands[0].words[2].unknown.find("nvidia-smi") != std::string::npos);
    CHECK(result.commands[0].words[3].unknown == "HOSTNAME");
}

TEST_CASE("a loop without an end and a function that calls itself end")
{
    CHECK(words_of_last("while true; do X=1; done; f() { f; }; f; run") == "[run]");
    CHECK(words_of_last(
              "A=1234567890; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do "
              "A=$A$A; done; run ${#A}") == "[run][131072]");
}

TEST_CASE("hand-worked: Megatron-LM's defaults depend on other settings")
{
    const LaunchReading plain = read_text_of(kShape + "--num-query-groups 4 --sequence-parallel");
    CHECK(value_of(plain, "model.ffn") == 4096);
    CHECK(value_of(plain, "model.kv_heads") == 16); // groups are ignored without --group-query-attention
    CHECK(value_of(plain, "parallel.sequence_parallel") == false);
    CHECK(value_of(plain, "training.precision") == "fp32");
    CHECK(value_of(plain, "model.dropout") == true);
    CHECK(value_of(plain, "training.global_batch") == 16); // 2 x 8 replicas
    CHECK(value_of(plain, "model.vocab") == 50304);        // 50,257 to a multiple of 128
    CHECK(entry_of(plain, "model.vocab").from == Basis::guessed);

    const LaunchReading gated = read_text_of(kShape + "--swiglu --fp16 --tensor-model-parallel-size 2");
    CHECK(value_of(gated, "model.ffn") == 2688); // int(4 x 1024 x 2 / 3 / 64) x 64
    CHECK(value_of(gated, "training.gradient_dtype") == "fp16");
    CHECK(value_of(gated, "model.vocab") == 50432); // to a multiple of 128 x 2
    CHECK(value_of(read_text_of(kShape + "--bf16"), "training.gradient_dtype") == "fp32");
}

TEST_CASE(
    "hand-worked: chunks of a pipeline are counted in layers, or as chunks, with what stands for a layer")
{
    const std::string pipe = kShape + "--pipeline-model-parallel-size 4 ";
    CHECK(value_of(read_text_of(pipe + "--num-layers-per-virtual-pipeline-stage 2"), "parallel.chunks") == 2);
    CHECK(value_of(read_text_of(pipe + "--num-virtual-stages-per-pipeline-rank 4"), "parallel.chunks") == 4);
    CHECK(layers_of_layout("Et*2|(tt|)*5t|tmL") == std::vector<std::int64_t>{2, 2, 2, 2, 2, 2, 1, 1});
    CHECK(layers_of_layout("'Et|(tt|)*6mL'") == std::vector<std::int64_t>{1, 2, 2, 2, 2, 2, 2, 0});
    CHECK(layers_of_layout("what|ever").empty());
    CHECK(python_list("([0]*3+[1]*2)") == std::vector<std::int64_t>{0, 0, 0, 1, 1});
    const LaunchReading ends = read_text_of(
        "pretrain_gpt.py --num-layers 6 --hidden-size 512 --num-attention-heads 8 --micro-batch-size 1 "
        "--pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 "
        "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split");
    CHECK(value_of(ends, "parallel.stage_layers") == nlohmann::json({0, 1, 1, 1, 1, 1, 1, 0}));
}

TEST_CASE("GPUs are nodes times those of a node, however many tasks there are")
{
    const LaunchReading slurm = read_text_of("#!/bin/bash\n#SBATCH -N 48\n#SBATCH --gres=gpu:a100:8\n"
                                             "#SBATCH --ntasks-per-node=1\nsrun python pretrain_gpt.py "
                                             "--num-layers 16 --hidden-size 1024 --num-attention-heads 16");
    CHECK(value_of(slurm, "cluster.gpus") == 384);
    CHECK(entry_of(slurm, "cluster.gpus").from == Basis::stated);
    CHECK(entry_of(slurm, "cluster.gpus").place.line == 3);
}

TEST_CASE("what a launch says twice and cannot be is said, not mended")
{
    const LaunchReading few =
        read_text_of(kShape + "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16");
    CHECK(value_of(few, "cluster.gpus") == 8);
    CHECK(std::ranges::find(few.messages, "8 GPUs are stated, TP 8 x PP 16 needs 128") != few.messages.end());
    CHECK_FALSE(few.starts());
}

TEST_CASE("a setting that nobody reads is listed, and one that changes nothing is not")
{
    const LaunchReading reading =
        read_text_of(kShape + "--deterministic-mode --log-interval 1 --never-heard-of 3");
    const auto lists = [&](std::string_view name) {
        return std::ranges::find(reading.unsayable, name, &UnsayableSetting::setting) !=
               reading.unsayable.end();
    };
    CHECK(lists("--deterministic-mode"));
    CHECK(lists("--never-heard-of"));
    CHECK_FALSE(lists("--log-interval"));
}

TEST_CASE("a name of a setting has one rule in each framework")
{
    for (const Framework& framework : ringside::test::presets().frameworks)
    {
        std::vector<std::string> names = framework.no_bearing;
        for (const SettingRule& rule : framework.settings)
        {
            INFO(framework.id << " " << (rule.names.empty() ? "" : rule.names.front()));
            CHECK_FALSE(rule.names.empty());
            CHECK((!rule.field.empty() || !rule.changes.empty()));
            names.insert(names.end(), rule.names.begin(), rule.names.end());
        }
        std::ranges::sort(names);
        const auto twice = std::ranges::adjacent_find(names);
        INFO(framework.id << " has " << (twice == names.end() ? "" : *twice) << " twice");
        CHECK(twice == names.end());
    }
}

TEST_CASE("adapters are read from PEFT's adapter_config.json, Axolotl and LLaMA-Factory alike")
{
    const auto read = [](const char* name, const std::string& text)
    {
        const auto reading = read_launch_files({.files = {{name, text}}}, ringside::test::presets());
        REQUIRE(reading);
        CHECK(value_of(*reading, "model.hidden") == 4096);
        CHECK(value_of(*reading, "training.lora.rank") == 16);
        CHECK(entry_of(*reading, "training.lora.rank").from == Basis::stated);
        return *reading;
    };
    const LaunchReading peft = read(
        "adapter_config.json",
        R"({"base_model_name_or_path": "meta-llama/Llama-3.1-8B", "peft_type": "LORA", "r": 16, "use_dora": true,
            "lora_alpha": 32, "target_modules": ["q_proj", "model.layers.3.self_attn.v_proj", "w9"]})");
    CHECK(value_of(peft, "training.lora.targets") == nlohmann::json::array({"query", "value"}));
    REQUIRE(peft.unsayable.size() == 2);
    CHECK(peft.unsayable[0].setting == "target_modules");
    CHECK(peft.unsayable[1].setting == "use_dora");
    const LaunchReading axolotl =
        read("train.yaml", "base_model: NousResearch/Meta-Llama-3.1-8B\nadapter: qlora\nload_in_4bit: true\n"
                           "lora_r: 16\nlora_target_linear: true\nsequence_len: 2048\nmicro_batch_size: 1\n");
    CHECK(value_of(axolotl, "training.lora.quantized") == true);
    CHECK(value_of(axolotl, "training.lora.targets").size() == 7);
    const LaunchReading factory =
        read("train.yaml", "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: lora\n"
                           "lora_rank: 16\nlora_target: q_proj,o_proj\ncutoff_len: 2048\n");
    CHECK(value_of(factory, "training.lora.targets") == nlohmann::json::array({"query", "output"}));
    CHECK(value_of(factory, "training.lora.quantized") == false);
}

TEST_CASE("hand-worked: what is not modeled has its price in bytes where that is known")
{
    const LaunchReading zero = read_text_of(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization":
        {"stage": 2, "reduce_bucket_size": 5e8, "round_robin_gradients": true}})");
    const auto price = [](const LaunchReading& reading, const std::string& setting)
    {
        const auto found = std::ranges::find(reading.unsayable, setting, &UnsayableSetting::setting);
        REQUIRE(found != reading.unsayable.end());
        return *found;
    };
    const UnsayableSetting bucket = price(zero, "zero_optimization.reduce_bucket_size");
    CHECK(bucket.bytes == 1e9);
    CHECK(to_text(bucket) == "buffers of that many elements: 1.00 GB more");
    CHECK_FALSE(price(zero, "zero_optimization.round_robin_gradients").bytes);
    const std::string shape = "pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 "
                              "--seq-length 2048 --micro-batch-size 2 --global-batch-size 16 --bf16 ";
    // Two stages of 4 layers, two micro-batches in flight: 2 bytes x 4,096 tokens x 1,024.
    const LaunchReading fused = read_text_of("torchrun --nproc-per-node 2 " + shape +
                                             "--pipeline-model-parallel-size 2 --no-bias-dropout-fusion");
    CHECK(price(fused, "--no-bias-dropout-fusion").bytes == 2.0 * 4096 * 1024 * 8);
    const LaunchReading all = read_text_of("torchrun --nproc-per-node 1 " + shape +
                                           "--recompute-granularity full --recompute-method uniform "
                                           "--recompute-num-layers 1 --no-bias-dropout-fusion");
    CHECK(price(all, "--no-bias-dropout-fusion").bytes == 2.0 * 4096 * 1024); // of the layer at work
    CHECK(to_json(fused, test::presets())["prices"]["--no-bias-dropout-fusion"]["bytes"] == 67108864);
    // What the engine counts itself: three layers of activations, and all gradients.
    const LaunchReading host =
        read_text_of("torchrun --nproc-per-node 1 " + shape + "--cpu-offloading-num-layers 3");
    CHECK(price(host, "--cpu-offloading-num-layers").bytes ==
          -3 * memory_report(host.scenario).stages.front().layer_bytes.value);
    const LaunchReading narrow = read_text_of("torchrun --nproc-per-node 1 " + shape +
                                              "--use-precision-aware-optimizer --main-params-dtype fp16 "
                                              "--exp-avg-dtype fp8 --exp-avg-sq-dtype bf16");
    const auto fp32 = 4 * static_cast<double>(count_parameters(narrow.scenario.model).total);
    CHECK(price(narrow, "--main-params-dtype").bytes == -fp32 / 2);
    CHECK(price(narrow, "--exp-avg-dtype").bytes == -3 * fp32 / 4);
    CHECK(price(narrow, "--exp-avg-sq-dtype").bytes == -fp32 / 2);
    const LaunchReading asked = read_text_of("torchrun --nproc-per-node $(nvidia-smi -L | wc -l) " + shape);
    CHECK(asked.messages ==
          std::vector<std::string>{"torchrun --nproc-per-node is $(nvidia-smi -L | wc -l), which is "
                                   "known only when it runs: give --gpus"});
    const LaunchReading early =
        read_text_of("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n"
                     "[optimizer]\nearly_step_in_backward = true\n");
    CHECK(price(early, "optimizer.early_step_in_backward").bytes ==
          -memory_report(early.scenario)
               .stages.front()
               .parts[static_cast<std::size_t>(Component::gradients)]
               .value);
}

TEST_CASE("arguments without a shape guess a whole model, and NeMo's overrides are the arguments they name")
{
    const LaunchReading bare = read_text_of("MODEL_ARGS:\n  --use-mcore-models: true\n  --bf16: true\n");
    CHECK(bare.starts());
    CHECK(entry_of(bare, "model.heads").from == Basis::guessed);
    const LaunchReading nemo = read_text_of("MODEL_ARGS:\n  trainer.num_nodes: 1\n  trainer.devices: 8\n"
                                            "  trainer.strategy.tensor_model_parallel_size: 2\n"
                                            "  model.config.num_layers: 12\n  model.config.hidden_size: 768\n"
                                            "  model.config.num_attention_heads: 16\n"
                                            "  data.micro_batch_size: 1\n  data.global_batch_size: 8\n");
    CHECK(nemo.starts());
    CHECK(value_of(nemo, "cluster.gpus") == 8);
    CHECK(value_of(nemo, "parallel.tensor") == 2);
    CHECK(value_of(nemo, "model.layers") == 12);
    CHECK(entry_of(nemo, "parallel.tensor").from == Basis::stated);
}

TEST_CASE("Megatron-Bridge's layers with experts are read in every way that they are written")
{
    for (const char* layers :
         {"\"[0]*3+[1]*5\"", "'([0] * 3 + [1] * 5)'", "[0, 0, 0, 1, 1, 1, 1, 1]", "\"[0,0,0,1,1,1,1,1]\""})
    {
        INFO(layers);
        const LaunchReading reading = read_text_of(
            "model:\n  num_layers: 8\n  hidden_size: 1024\n  num_attention_heads: 16\n  num_moe_experts: 8\n"
            "  moe_layer_freq: " +
            std::string(layers) + "\ntrain:\n  micro_batch_size: 1\n  global_batch_size: 8\n");
        CHECK(reading.kind == "megatron-bridge");
        CHECK(value_of(reading, "model.dense_layers") == 3);
        CHECK(value_of(reading, "model.moe_interval") == 1);
    }
}
