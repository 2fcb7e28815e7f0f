// Megatron-LM: options of pretrain_gpt.py, and the checks that its own validate_args makes of them.
#include "core/base/text/text.h"
#include "core/planner/launch/megatron_model.h"
#include "core/scenario/fields.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string layers_of_kind(std::int64_t count, char kind)
{
    return count == 0 ? "" : count == 1 ? std::string(1, kind) : fmt::format("{}*{}", kind, count);
}

// "Et*20|t*20|t*20|t*20,L": embedding, layers and loss on their stages.
std::string stage_layout(const std::vector<std::int64_t>& stages)
{
    std::string layout = "'E";
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        layout += (i > 0 ? "|" : "") + layers_of_kind(stages[i], 't');
    }
    return layout + ",L'";
}

bool interleaved(const Scenario& s)
{
    return s.training.schedule->id == "interleaved" && s.parallel.chunks > 1;
}

// ZeRO-1 by --use-distributed-optimizer, which Muon has in a kind of its own.
bool distributed(const Scenario& s)
{
    return s.parallel.zero >= 1 && s.training.optimizer != Optimizer::muon;
}

bool narrow_weights(const Training& t)
{
    return is_narrow(t.precision) && t.fp8_recipe != Fp8Recipe::bf16_weights;
}

// Muon is refused in it.
bool half(const Training& t)
{
    return t.precision == Precision::fp16 && t.optimizer != Optimizer::muon;
}

void megatron_pipeline(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const std::string_view kind = d.s.training.schedule->id;
    d.set("--pipeline-model-parallel-size", p.pipeline, "stages of the model", "parallel.pipeline");
    if (p.pipeline == 1)
    {
        return;
    }
    const bool in_chunks = interleaved(d.s);
    const auto uneven = uneven_layers(d.s);
    if (!uneven.empty() && (in_chunks || p.chunks == 1))
    {
        d.set("--pipeline-model-parallel-layout", stage_layout(uneven),
              "layers (t) of each stage, embedding (E), loss (L)", "parallel.stage_layers");
    }
    else if (in_chunks)
    {
        d.set("--num-layers-per-virtual-pipeline-stage", d.s.model.layers / (p.pipeline * p.chunks),
              fmt::format("{} chunks per stage, interleaved 1F1B", p.chunks), "parallel.chunks");
    }
    if (kind != "1f1b" && !in_chunks)
    {
        d.not_expressed("training.schedule", std::string(kind),
                        "there are 1F1B and interleaved 1F1B only; 1F1B written");
        if (d.s.model.layers % p.pipeline != 0 && p.chunks > 1)
        {
            d.not_expressed("parallel.chunks", fmt::format("{}", p.chunks),
                            fmt::format("{} layers do not divide into {} stages, which is refused",
                                        d.s.model.layers, p.pipeline));
        }
    }
}

// ZeRO-2 and 3 are Megatron-FSDP's, which has no pipeline. Only Muon's optimizer deals out whole matrices
// (layer_wise_optimizer.py); the others cut one flat buffer.
void sharding(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const bool fsdp = p.zero >= 2 && p.pipeline == 1;
    const bool whole = d.s.training.optimizer == Optimizer::muon;
    if (p.zero >= 1 && p.whole_shards != whole)
    {
        d.not_expressed("parallel.whole_shards", p.whole_shards ? "true" : "false",
                        whole ? "Muon's distributed optimizer deals out whole matrices"
                              : "shards are even cuts of one buffer; whole matrices are for Muon alone");
    }
    if (p.zero >= 2 && !fsdp)
    {
        d.not_expressed("parallel.zero", fmt::format("{}", p.zero),
                        "not with pipeline stages; the distributed optimizer (ZeRO-1) written");
    }
    if (p.zero >= 1 && !distributed(d.s))
    {
        if (fsdp)
        {
            d.not_expressed("parallel.zero", fmt::format("{}", p.zero),
                            "Muon does not work with FSDP; its own distributed optimizer (ZeRO-1) written");
        }
        return;
    }
    if (p.zero >= 1)
    {
        d.set("--use-distributed-optimizer", "", "shards the optimizer over the replicas", "parallel.zero");
        if (const std::int64_t copies = dense_replicas(d.s) / dense_shards(d.s); copies > 1)
        {
            d.set("--num-distributed-optimizer-instances", copies, "copies of the optimizer, each sharded",
                  "parallel.shard_group");
        }
    }
    if (fsdp)
    {
        d.set("--use-megatron-fsdp", "", fmt::format("for ZeRO-{}", p.zero), "parallel.zero");
        d.set("--data-parallel-sharding-strategy", p.zero == 2 ? "optim_grads" : "optim_grads_params",
              p.zero == 2 ? "and gradients" : "gradients and weights too", "parallel.zero");
        d.set("--no-gradient-accumulation-fusion", "", "required by FSDP", "parallel.zero");
        d.set("--ckpt-format", "fsdp_dtensor", "the only checkpoint format of FSDP", "parallel.zero");
    }
    if (data_parallel(d.s) > 1)
    {
        d.set("--overlap-grad-reduce", "", "gradients overlap the backward");
        if (p.zero >= 1)
        {
            d.set("--overlap-param-gather", "", "parameter all-gather overlaps the forward", "parallel.zero");
        }
    }
}

// megatron/core/transformer/transformer_config.py: what it asserts beside the overlap.
void overlap_experts(LaunchDraft& d)
{
    const Training& t = d.s.training;
    constexpr std::string_view kFlag = "--overlap-moe-expert-parallel-comm";
    const std::string_view refused =
        t.recompute == Recompute::full   ? "full recomputation: set training.recompute to selective"
        : t.precision == Precision::fp32 ? "fp32: set training.precision to bf16"
        : d.s.parallel.pipeline > 1 && !interleaved(d.s)
            ? "a pipeline of one chunk a stage: set training.schedule to interleaved"
        : d.s.model.mtp_layers > 1 ? "more than one layer that predicts further tokens"
                                   : "";
    if (refused.empty())
    {
        d.set(std::string(kFlag), "", "all-to-all overlaps another micro-batch", "parallel.overlap_expert");
        return;
    }
    d.not_expressed("parallel.overlap_expert", "true",
                    fmt::format("{} is refused beside {}", kFlag, refused));
}

// Activations between the stages of an interleaved pipeline travel beside compute unless that is switched
// off.
void megatron_overlap(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const Training& t = d.s.training;
    const Overlaps can = possible_overlaps(d.s);
    const bool blocks = t.precision == Precision::fp8 && t.fp8_recipe == Fp8Recipe::deepseek;
    if (p.overlap_tensor && can.tensor && !blocks)
    {
        d.set("--tp-comm-overlap", "", "all-gathers and reduce-scatters overlap GEMMs",
              "parallel.overlap_tensor");
    }
    if (p.overlap_expert && can.expert)
    {
        overlap_experts(d);
    }
    if (interleaved(d.s) && can.pipeline && !p.overlap_pipeline)
    {
        // arguments.py, validate_args: two stages would have several messages of one pair in a batch.
        p.pipeline > 2
            ? d.set("--no-overlap-p2p-communication", "", "stages wait for their activations",
                    "parallel.overlap_pipeline")
            : d.not_expressed("parallel.overlap_pipeline", "false", "chunks of two stages need it; left on");
    }
    no_overlap(d, {!blocks, true, interleaved(d.s)});
}

void layout(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const Model& m = d.s.model;
    d.section(fmt::format("layout: data {} is what remains of {}", data_parallel(d.s),
                          counted(d.s.cluster.gpus, "GPU")));
    d.set("--tensor-model-parallel-size", p.tensor, "GPUs that share each matrix", "parallel.tensor");
    const bool asked = m.experts > 0 && p.tensor > 1 && !p.sequence_parallel;
    if ((p.sequence_parallel && p.tensor > 1) || asked)
    {
        d.set("--sequence-parallel", "", "norms and residuals sharded by sequence",
              "parallel.sequence_parallel");
    }
    if (asked)
    {
        d.not_expressed("parallel.sequence_parallel", "false",
                        "experts and tensor parallelism require sequence parallelism; switched on");
    }
    if (p.sequence_parallel && p.tensor == 1)
    {
        d.not_expressed("parallel.sequence_parallel", "true",
                        "switched off by Megatron-LM where tensor is 1");
    }
    megatron_overlap(d);
    megatron_pipeline(d);
    if (p.context > 1)
    {
        d.set("--context-parallel-size", p.context, "GPUs that share a sequence", "parallel.context");
        // No ring has sinks or windows.
        const bool heads = m.attention_sinks || !m.attention_per_layer.empty();
        d.set("--cp-comm-type", heads ? "a2a" : "p2p",
              heads ? "all-to-all from sequence to heads (Ulysses)" : "keys and values go around a ring",
              "parallel.context");
        if (d.s.training.sequence_length % (2 * p.context) != 0)
        {
            d.not_expressed("training.sequence_length", fmt::format("{}", d.s.training.sequence_length),
                            fmt::format("must be a multiple of {}, twice the context size", 2 * p.context));
        }
    }
    if (m.experts > 0)
    {
        d.set("--expert-model-parallel-size", p.expert, "GPUs that share the experts", "parallel.expert");
        d.set("--expert-tensor-parallel-size", p.expert_tensor, "GPUs that share one expert",
              "parallel.expert_tensor");
        if (p.expert > 1 && d.s.training.precision == Precision::fp16)
        {
            d.not_expressed("training.precision", "fp16", "expert parallelism is refused in fp16");
        }
        if (m.biases && p.expert_tensor > 1)
        {
            d.not_expressed("model.biases", "true",
                            "experts with biases are not sharded: set parallel.expert_tensor to 1");
        }
    }
    sharding(d);
}

void gradients(LaunchDraft& d)
{
    const Training& t = d.s.training;
    if (t.precision == Precision::fp32)
    {
        return;
    }
    if (t.gradient_dtype == GradientDtype::fp32)
    {
        d.set("--accumulate-allreduce-grads-in-fp32", "", "gradients summed in fp32",
              "training.gradient_dtype");
    }
    else if (t.gradient_dtype == GradientDtype::bf16 && !half(t))
    {
        d.set("--grad-reduce-in-bf16", "", "gradients summed in bf16", "training.gradient_dtype");
    }
    else if ((t.gradient_dtype == GradientDtype::fp16) != half(t))
    {
        d.not_expressed(
            "training.gradient_dtype", std::string(name_of(t.gradient_dtype)),
            fmt::format("gradients are fp32 or {}; the latter written", half(t) ? "fp16" : "bf16"));
        if (!half(t))
        {
            d.set("--grad-reduce-in-bf16", "", "the nearest to 16-bit gradients", "training.gradient_dtype");
        }
    }
}

void megatron_precision(LaunchDraft& d)
{
    const Training& t = d.s.training;
    if (t.precision == Precision::fp16 && !half(t))
    {
        d.not_expressed("training.precision", "fp16", "Muon is refused in it; bf16 written");
    }
    if (half(t))
    {
        d.set("--fp16", "", "fp16 compute with loss scaling", "training.precision");
    }
    else if (t.precision != Precision::fp32)
    {
        d.set("--bf16", "", "bf16 compute", "training.precision");
    }
    const bool micro = t.precision == Precision::mxfp8;
    if (t.precision == Precision::fp8 || micro)
    {
        const bool blocks = t.fp8_recipe == Fp8Recipe::deepseek || micro;
        d.set("--fp8-format", blocks ? "e4m3" : "hybrid",
              blocks ? "E4M3 everywhere" : "E4M3, and E5M2 backward", "training.precision");
        d.set("--fp8-recipe",
              micro    ? "mxfp8"
              : blocks ? "blockwise"
                       : "tensorwise",
              micro    ? "a scale for every 32 elements"
              : blocks ? "a scale for each block of 128"
                       : "a scale for each tensor",
              micro ? "training.precision" : "training.fp8_recipe");
        if (narrow_weights(t) && distributed(d.s))
        {
            d.set("--fp8-param-gather", "", "weights kept in 8 bits", "training.fp8_recipe");
        }
        else if (narrow_weights(t))
        {
            d.not_expressed("training.fp8_recipe", std::string(name_of(t.fp8_recipe)),
                            "8-bit weights need the distributed optimizer: ZeRO-1, and not Muon");
        }
    }
    else if (t.precision == Precision::nvfp4)
    {
        d.set("--fp4-format", "e2m1", "4 bits in every product", "training.precision");
        d.set("--fp4-recipe", "nvfp4", "a scale for every 16 elements", "training.precision");
    }
    gradients(d);
}

void megatron_optimizer(LaunchDraft& d)
{
    const Training& t = d.s.training;
    const bool sharded = distributed(d.s);
    const bool adam = t.optimizer != Optimizer::sgd_momentum && t.optimizer != Optimizer::muon;
    const std::string_view kind = adam                                     ? "adam"
                                  : t.optimizer == Optimizer::sgd_momentum ? "sgd"
                                  : d.s.parallel.zero >= 1                 ? "dist_muon"
                                                                           : "muon";
    d.set("--optimizer", std::string(kind), "kind of optimizer", "training.optimizer");
    const bool bytes = t.optimizer == Optimizer::adamw_8bit;
    const bool halves = t.precision == Precision::fp8 && t.fp8_recipe == Fp8Recipe::deepseek &&
                        t.optimizer == Optimizer::adamw;
    const bool offload = t.offload != Offload::none && sharded && adam && !narrow_weights(t);
    const bool narrow = (bytes || halves) && sharded && !offload;
    if (narrow || offload)
    {
        d.set("--use-precision-aware-optimizer", "", "moments of any width", "training.optimizer");
    }
    if (narrow)
    {
        d.set("--exp-avg-dtype", bytes ? "fp8" : "bf16", "of the momentum", "training.optimizer");
        d.set("--exp-avg-sq-dtype", bytes ? "fp8" : "bf16", "of the variance", "training.optimizer");
    }
    else if (bytes || halves)
    {
        d.not_expressed("training.optimizer", std::string(name_of(t.optimizer)),
                        offload ? "moments on the host are fp32"
                                : "narrow moments need the distributed optimizer: set parallel.zero to 1");
    }
    if (t.optimizer == Optimizer::adafactor)
    {
        d.not_expressed("training.optimizer", "adafactor",
                        "there is none; Adam written, with twice the state");
    }
    if (t.optimizer == Optimizer::muon)
    {
        d.set("--ckpt-format", "torch", "the only checkpoint format of Muon", "training.optimizer");
    }
    if (offload)
    {
        d.set("--optimizer-cpu-offload", "", "optimizer on the host", "training.offload");
        d.set("--optimizer-offload-fraction", "1.0", "all of it", "training.offload");
    }
    if (t.offload != Offload::none && t.offload != Offload::optimizer_cpu)
    {
        d.not_expressed("training.offload", std::string(name_of(t.offload)),
                        "only the optimizer, and only to the host's memory");
    }
    else if (t.offload != Offload::none && !offload)
    {
        d.not_expressed("training.offload", std::string(name_of(t.offload)),
                        !adam     ? "only Adam is offloaded"
                        : sharded ? "8-bit weights on the GPU keep the optimizer there"
                                  : "needs the distributed optimizer: set parallel.zero to 1");
    }
}

void training(LaunchDraft& d)
{
    const Training& t = d.s.training;
    d.section("training");
    d.set("--micro-batch-size", t.micro_batch, "sequences per micro-batch", "training.micro_batch");
    d.set("--global-batch-size", t.global_batch, "sequences per step", "training.global_batch");
    d.set("--train-iters", train_steps(d.s), d.steps_explained(), "training.tokens");
    megatron_precision(d);
    megatron_optimizer(d);
    if (t.recompute == Recompute::full)
    {
        d.set("--recompute-granularity", "full", "whole layers recomputed", "training.recompute");
        const bool some = t.recompute_layers > 0;
        d.set("--recompute-method", some ? "block" : "uniform",
              some ? "the first layers" : "each layer by itself", "training.recompute");
        d.set("--recompute-num-layers", some ? t.recompute_layers : 1,
              some ? "of every stage, or chunk of one" : "one input stored per layer",
              some ? "training.recompute_layers" : "training.recompute");
    }
    else if (t.recompute == Recompute::alternate)
    {
        d.not_expressed("training.recompute", "alternate", "layers are recomputed whole, or attention alone");
    }
    else if (t.recompute == Recompute::selective)
    {
        d.set("--recompute-granularity", "selective", "core attention recomputed", "training.recompute");
    }
    const bool fused = d.s.model.attention == Attention::mla || d.s.model.attention_sinks;
    const bool stored = !t.flash_attention && d.s.parallel.context == 1;
    d.set("--attention-backend",
          stored  ? "unfused"
          : fused ? "fused"
                  : "flash",
          stored ? "stores the scores" : "never stores the scores", "training.flash_attention");
    if (!t.flash_attention && !stored)
    {
        d.not_expressed("training.flash_attention", "false",
                        "sequence sharding needs fused kernels; one written");
    }
}

// So that it starts as it is: made-up data, and a rate that says nothing about the model.
void megatron_stand_ins(LaunchDraft& d)
{
    d.section("placeholders, not in the scenario: put your own here");
    d.set("--mock-data", "", "mock data");
    d.set("--tokenizer-type", "NullTokenizer", "integers as tokens, and one for the end of a document");
    d.set("--vocab-size", std::max<std::int64_t>(1, d.s.model.vocab - 1),
          fmt::format("with that one {} rows", d.s.model.vocab), "model.vocab");
    // Whether the tokenizer counts that token (up to 0.15) or not, rows are padded to a multiple of this x
    // TP.
    const std::int64_t tensor = d.s.parallel.tensor;
    d.set("--make-vocab-size-divisible-by", d.s.model.vocab % tensor == 0 ? d.s.model.vocab / tensor : 1,
          "x TP: what rows are padded to", "model.vocab");
    d.set("--lr", "3.0e-4", "the peak rate");
    d.set("--min-lr", "3.0e-5", "and its end");
    d.set("--lr-decay-style", "cosine", "on the way");
}

} // namespace

Launch write_megatron(const Scenario& scenario)
{
    LaunchDraft d(scenario);
    layout(d);
    training(d);
    megatron_model(d);
    megatron_stand_ins(d);
    const bool fsdp = scenario.parallel.zero >= 2 && scenario.parallel.pipeline == 1 && distributed(scenario);
    const bool ordered = !fsdp && (scenario.parallel.tensor > 1 || scenario.parallel.context > 1);
    std::vector<std::string> before;
    if (ordered)
    {
        before.emplace_back("export CUDA_DEVICE_MAX_CONNECTIONS=1  # required up to Hopper with TP or CP");
    }
    check_hosts(d);
    d.command_file("launch.sh", before, torchrun(scenario) + " pretrain_gpt.py");
    return d.take();
}

} // namespace ringside
