// What torchtitan prints before the first step fills in the scenario; what it leaves open is guessed.
#include "tests/core/support.h"

#include "core/model/weights.h"
#include "core/runs/compare.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;

namespace
{

// Lines as torchtitan writes them, with its clock, and two steps.
std::string titan_log(const std::vector<std::string>& head)
{
    std::string text;
    for (const std::string& line : head)
    {
        text += "[rank0]:[titan] 2026-01-02 08:50:01,000 - root - INFO - " + line + "\n";
    }
    return text + "[rank0]:[titan] 2026-01-02 08:51:10,500 - root - INFO - step:  1  loss:  9.5000  memory: "
                  "30.50GiB(32.10%)  tps: 7,030  tflops: 407.35  mfu: 41.19%\n"
                  "[rank0]:[titan] 2026-01-02 08:51:12,500 - root - INFO - step:  2  loss:  9.4000  memory: "
                  "30.50GiB(32.10%)  tps: 7,030  tflops: 407.35  mfu: 41.19%\n";
}

LaunchReading reading_of(const std::string& log)
{
    const auto run = read_run({run_file("train.log", log)});
    REQUIRE(run);
    const auto reading = scenario_of_run(*run, {}, test::presets());
    REQUIRE(reading);
    REQUIRE(*reading);
    return **reading;
}

Basis basis_of(const LaunchReading& reading, std::string_view path)
{
    const auto found = std::ranges::find(reading.fields, path, &ReadField::field);
    REQUIRE(found != reading.fields.end());
    return found->from;
}

} // namespace

TEST_CASE("the head of torchtitan's log says model, layout, batch and GPU")
{
    const LaunchReading read = reading_of(titan_log(
        {"Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1, etp=1",
         "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory",
         "\x1b[34mModel llama3 8B \x1b[31msize: 8,030,261,248 total parameters\x1b[39m",
         "Applied full activation checkpointing to the model", "Applied FSDP to the model",
         "Peak FLOPS used for computing MFU: 9.890e+14",
         "Trainer is initialized with local batch size 2, global batch size 32, gradient accumulation steps "
         "4, sequence length 8192, total steps 1000 (warmup 200)."}));
    const Scenario& s = read.scenario;
    CHECK(count_parameters(s.model).total == 8030261248);
    CHECK(s.parallel.tensor == 2);
    CHECK(s.parallel.pipeline == 1);
    CHECK(s.parallel.zero == 3);
    CHECK(s.cluster.gpus == 8);
    CHECK(s.cluster.gpu.id == "h100-sxm-80gb");
    CHECK(s.training.micro_batch == 2);
    CHECK(s.training.global_batch == 32);
    CHECK(s.training.sequence_length == 8192);
    CHECK(s.training.recompute == Recompute::full);
    CHECK(s.training.tokens == 1000.0 * 32 * 8192);
    CHECK(basis_of(read, "parallel.tensor") == Basis::stated);
    CHECK(basis_of(read, "cluster.gpus") == Basis::stated);
    CHECK(basis_of(read, "training.precision") == Basis::follows); // of torchtitan by itself
    CHECK(basis_of(read, "cluster.gpus_per_node") == Basis::guessed);
    CHECK(is_stated(read));
    CHECK(std::ranges::none_of(read.messages, [](const std::string& m)
                               { return m.find("the log counts") != std::string::npos; }));
}

TEST_CASE("torchtitan's log of 2026 counts batches in tokens, and a pipeline's micro-batch is its own")
{
    const LaunchReading read = reading_of(titan_log(
        {"Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=2, cp=1, tp=1, ep=1",
         "Model qwen3 14B size: 14,768,307,200 total parameters",
         "Using pipeline schedule 1F1B with 8 microbatches and 2 stages.",
         "Applied SelectiveAC activation checkpointing to the model",
         "Peak FLOPS used for computing MFU: 2.250e+15",
         "Trainer is initialized with 32768 tokens per DP rank, 65536 tokens per train step, gradient "
         "accumulation steps 1, maximum context length 4096, total steps 10 (warmup 2)"}));
    const Scenario& s = read.scenario;
    CHECK(s.model.layers == 40);
    CHECK(s.parallel.pipeline == 2);
    CHECK(s.cluster.gpus == 4);
    CHECK(s.training.micro_batch == 1); // not the 8 sequences of a step
    CHECK(s.training.global_batch == 16);
    CHECK(s.training.sequence_length == 4096);
    CHECK(s.training.recompute == Recompute::alternate);
    CHECK(s.cluster.gpu.bf16_tflops == 2250);
    CHECK(basis_of(read, "cluster.gpu") == Basis::guessed); // several have that rate
}

TEST_CASE("a fork's flavor has the shape that the log prints, and its parameters are counted again")
{
    const std::vector<std::string> head{
        "Building 2-D device mesh with ['dp_replicate', 'dp_shard'], [2, 4]",
        "Building mine tiny with TransformerModelArgs(dim=4096, n_layers=6, n_heads=32, n_kv_heads=None, "
        "vocab_size=32000, multiple_of=256, ffn_dim_multiplier=None, norm_eps=1e-05)",
        "Model mine tiny size: 1,476,448,256 total parameters", "Applied HSDP to the model",
        "Training starts at step 1, with local batch size 1, global batch size 24, sequence length 4096, "
        "total steps 10 (warmup 2)"};
    const LaunchReading read = reading_of(titan_log(head));
    CHECK(read.scenario.model.ffn == 11008); // 2/3 of 4 x 4,096 is 10,922, up to a multiple of 256
    CHECK(count_parameters(read.scenario.model).total == 1476448256);
    CHECK(read.scenario.cluster.gpus == 8);
    CHECK(read.scenario.parallel.shard_group == 4);
    CHECK(is_stated(read));
    std::vector<std::string> other = head;
    other[2] = "Model mine tiny size: 1,500,000,000 total parameters";
    const LaunchReading differs = reading_of(titan_log(other));
    CHECK(std::ranges::any_of(differs.messages, [](const std::string& m)
                              { return m.find("the log counts ") != std::string::npos; }));
}

TEST_CASE("without a mesh, GPUs follow from the batch where nothing but replicas was applied")
{
    const std::vector<std::string> head{
        "XPU capacity: Intel(R) Data Center GPU Max 1550 with 63.98GiB memory",
        "Model llama3 8B size: 8,030,261,248 total parameters", "Applied FSDP to the model",
        "Trainer is initialized with local batch size 1, global batch size 24, gradient accumulation steps "
        "1, sequence length 4096, total steps 1000 (warmup 2)"};
    const LaunchReading read = reading_of(titan_log(head));
    CHECK(read.scenario.cluster.gpus == 24);
    CHECK(basis_of(read, "parallel.tensor") == Basis::guessed);
    CHECK(std::ranges::any_of(read.fields,
                              [](const ReadField& f)
                              {
                                  return f.field == "cluster.gpu" && f.from == Basis::guessed &&
                                         f.by.find("Max 1550 is no GPU that is known here") !=
                                             std::string::npos;
                              }));
    std::vector<std::string> cut = head;
    cut.emplace_back("Applied Tensor Parallelism to the model");
    CHECK(basis_of(reading_of(titan_log(cut)), "cluster.gpus") == Basis::guessed);
    // Steps alone say nothing of the job.
    CHECK(basis_of(reading_of(titan_log({})), "model.layers") == Basis::guessed);
}
