// DeepSpeed: its configuration file and the line that starts it. How the model is cut is up to the script
// that is started, so much of a layout is code there and said as such.
#include "core/planner/launch/draft.h"
#include "core/scenario/fields.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr const char* kTrue = "true";

// The stage that DeepSpeed runs with the rest of the layout.
std::int64_t zero_stage(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const std::int64_t most = p.pipeline > 1 ? 1 : p.tensor > 1 ? 2 : 3;
    return std::min(p.zero, most);
}

void batch(LaunchDraft& d)
{
    const Training& t = d.s.training;
    const Parallel& p = d.s.parallel;
    // It must be micro-batch times accumulation times replicas, and every GPU counts as one.
    if (p.pipeline == 1 && (p.tensor > 1 || p.context > 1))
    {
        d.not_expressed("training.global_batch", fmt::format("{}", t.global_batch),
                        "every GPU counts as a replica unless your code passes an mpu; micro-batches and "
                        "their number written");
    }
    else
    {
        d.set("train_batch_size", t.global_batch, "sequences per step", "training.global_batch");
    }
    d.set("train_micro_batch_size_per_gpu", t.micro_batch, "sequences per micro-batch",
          "training.micro_batch");
    d.set("gradient_accumulation_steps", micro_batches(d.s), "micro-batches per step",
          "training.global_batch");
    d.set("gradient_clipping", "1.0", "a placeholder, not in the scenario");
}

void deepspeed_precision(LaunchDraft& d)
{
    const Training& t = d.s.training;
    if (t.precision == Precision::fp16)
    {
        d.section("fp16");
        d.set("enabled", kTrue, "fp16 compute", "training.precision");
        d.set("loss_scale", "0", "found while training");
    }
    else if (t.precision != Precision::fp32)
    {
        d.section("bf16");
        d.set("enabled", kTrue, "bf16 compute", "training.precision");
    }
    if (is_narrow(t.precision))
    {
        d.not_expressed("training.precision", std::string(name_of(t.precision)),
                        "is up to the model's code (Transformer Engine); bf16 written");
    }
    GradientDtype sums = t.gradient_dtype;
    if (zero_stage(d.s) == 0 && t.precision == Precision::fp16)
    {
        sums = GradientDtype::fp16;
    }
    else if (zero_stage(d.s) == 0 && d.s.parallel.pipeline == 1)
    {
        sums = GradientDtype::fp32;
    }
    d.section("data_types");
    d.set("grad_accum_dtype", quoted(name_of(sums)), "gradients summed in", "training.gradient_dtype");
    if (sums != t.gradient_dtype)
    {
        d.not_expressed("training.gradient_dtype", std::string(name_of(t.gradient_dtype)),
                        fmt::format("without ZeRO {} only", name_of(sums)));
    }
}

void offload_to(LaunchDraft& d, const char* what, bool disk)
{
    d.section(std::string("zero_optimization.") + what);
    d.set("device", disk ? "\"nvme\"" : "\"cpu\"", disk ? "onto disks" : "into the host's memory",
          "training.offload");
    if (disk)
    {
        d.set("nvme_path", "\"/local_nvme\"", "put your own here");
    }
    d.set("pin_memory", kTrue, "so that copies are asynchronous", "training.offload");
}

void offload(LaunchDraft& d, std::int64_t stage)
{
    const Offload where = d.s.training.offload;
    if (where == Offload::none)
    {
        return;
    }
    const bool disk = uses_nvme(where);
    const bool weights = offloads_weights(where);
    const auto refused = [&](const char* wanted)
    { d.not_expressed("training.offload", std::string(name_of(where)), wanted); };
    if (stage == 0)
    {
        refused("needs ZeRO-1 at least; left out");
        return;
    }
    if (disk && stage < 3)
    {
        refused("onto disks only with ZeRO-3; the optimizer goes to the host instead");
    }
    else if (weights && stage < 3)
    {
        refused("weights move only with ZeRO-3; the optimizer alone written");
    }
    offload_to(d, "offload_optimizer", disk && stage == 3);
    if (weights && stage == 3)
    {
        offload_to(d, "offload_param", disk);
    }
}

void zero(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const std::int64_t stage = zero_stage(d.s);
    d.section("zero_optimization");
    d.set("stage", stage,
          stage == 0   ? "nothing sharded"
          : stage == 1 ? "optimizer sharded"
          : stage == 2 ? "optimizer and gradients sharded"
                       : "optimizer, gradients and weights sharded",
          "parallel.zero");
    if (stage > 0)
    {
        d.set("overlap_comm", kTrue, "gradients overlap the backward");
        d.set("contiguous_gradients", kTrue, "in one buffer, against fragmentation");
    }
    if (stage == 3 && dense_shards(d.s) < dense_replicas(d.s))
    {
        d.set("mics_shard_size", dense_shards(d.s), "replicas that share one sharded copy (MiCS)",
              "parallel.shard_group");
    }
    else if (stage > 0 && dense_shards(d.s) < dense_replicas(d.s))
    {
        d.not_expressed("parallel.shard_group", fmt::format("{}", d.s.parallel.shard_group),
                        "only ZeRO-3 shards within groups (mics_shard_size)");
    }
    if (stage > 0 && p.whole_shards)
    {
        d.not_expressed("parallel.whole_shards", kTrue, "shards are even cuts of one buffer");
    }
    offload(d, stage);
    if (stage != p.zero)
    {
        d.not_expressed("parallel.zero", fmt::format("{}", p.zero),
                        fmt::format("{}; stage {} written",
                                    p.pipeline > 1 ? "the pipeline engine takes ZeRO-1 at most"
                                                   : "tensor parallelism (AutoTP) takes ZeRO-2 at most",
                                    stage));
    }
}

void deepspeed_optimizer(LaunchDraft& d)
{
    const Optimizer kind = d.s.training.optimizer;
    const bool sgd = kind == Optimizer::sgd_momentum;
    const bool sharded = zero_stage(d.s) > 0;
    const bool muon = kind == Optimizer::muon && sharded;
    if (sgd && sharded)
    {
        d.section("");
        d.set("zero_allow_untested_optimizer", kTrue, "required by SGD with ZeRO", "training.optimizer");
    }
    d.section("optimizer");
    d.set("type",
          sgd    ? "\"SGD\""
          : muon ? "\"Muon\""
                 : "\"AdamW\"",
          "kind of optimizer", "training.optimizer");
    d.section("optimizer.params");
    d.set("lr", "3e-4", "a placeholder, not in the scenario");
    if (sgd || muon)
    {
        d.set("momentum", "0.9", "a placeholder, not in the scenario", "training.optimizer");
    }
    if (!sgd && !muon && kind != Optimizer::adamw)
    {
        d.not_expressed("training.optimizer", std::string(name_of(kind)),
                        kind == Optimizer::muon
                            ? "only with ZeRO: set parallel.zero to 1; AdamW written"
                            : "hand your own to deepspeed.initialize(optimizer=...); AdamW written");
    }
}

// What deepspeed.initialize() cannot do to a model, because the model's code does it.
void in_code(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const Training& t = d.s.training;
    if (p.pipeline > 1)
    {
        d.not_expressed("parallel.pipeline", fmt::format("{}", p.pipeline),
                        fmt::format("in your code: PipelineModule(layers=..., num_stages={})", p.pipeline));
        if (t.schedule->id != "1f1b")
        {
            d.not_expressed("training.schedule", std::string(t.schedule->id),
                            "the pipeline engine runs 1F1B only");
        }
        if (const auto uneven = uneven_layers(d.s); !uneven.empty())
        {
            d.not_expressed(
                "parallel.stage_layers", fmt::format("{}", fmt::join(uneven, ",")),
                "PipelineModule partitions by partition_method: parameters, uniform, or a class of layer");
        }
    }
    if (p.expert > 1)
    {
        d.not_expressed("parallel.expert", fmt::format("{}", p.expert),
                        fmt::format("in your code: deepspeed.moe.layer.MoE(num_experts={}, k={}, ep_size={})",
                                    d.s.model.experts, d.s.model.experts_per_token, p.expert));
    }
    if (p.expert_tensor > 1)
    {
        d.not_expressed("parallel.expert_tensor", fmt::format("{}", p.expert_tensor),
                        "in your code: MoE(enable_expert_tensor_parallelism=True), which needs an mpu");
    }
    if (p.context > 1)
    {
        d.not_expressed("parallel.context", fmt::format("{}", p.context),
                        "sequences are sharded in your code, by Ulysses' all-to-all (UlyssesSPAttentionHF), "
                        "not by a ring");
    }
    if (p.sequence_parallel && p.tensor > 1)
    {
        d.not_expressed("parallel.sequence_parallel", kTrue,
                        "AutoTP replicates norms and residual on every GPU");
    }
    no_overlap(d, {true, false, false});
    if (t.recompute != Recompute::none)
    {
        d.not_expressed("training.recompute", std::string(name_of(t.recompute)),
                        t.recompute == Recompute::full
                            ? "in your code: torch.utils.checkpoint, or model.gradient_checkpointing_enable()"
                        : t.recompute == Recompute::alternate
                            ? "in your code: torch.utils.checkpoint with a selective policy"
                            : "in your code: checkpoint the core of attention only");
    }
    d.not_expressed("model", one_line(d.s.model.name),
                    "the model and its attention are those of your script");
}

} // namespace

Launch write_deepspeed(const Scenario& scenario)
{
    LaunchDraft d(scenario);
    batch(d);
    zero(d);
    if (scenario.parallel.tensor > 1)
    {
        d.section("tensor_parallel");
        d.set("autotp_size", scenario.parallel.tensor, "GPUs that share each matrix", "parallel.tensor");
        if (scenario.parallel.overlap_tensor)
        {
            d.set("tp_overlap_comm", kTrue, "all-reduces overlap compute", "parallel.overlap_tensor");
        }
    }
    deepspeed_precision(d);
    deepspeed_optimizer(d);
    in_code(d);
    check_hosts(d);
    d.config_file("ds_config.json", ConfigFormat::json);
    const std::string where = hosts(scenario) > 1
                                  ? fmt::format("--hostfile hostfile --num_nodes {} ", hosts(scenario))
                                  : std::string();
    d.plain_file("launch.sh",
                 {fmt::format("deepspeed {}--num_gpus {} \\", where, processes_per_host(scenario)),
                  "    train.py --deepspeed --deepspeed_config ds_config.json \"$@\""});
    return d.take();
}

} // namespace ringside
