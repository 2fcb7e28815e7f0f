// torchtitan: its TOML file. Data parallelism is FSDP2's, so ZeRO-3, or ZeRO-2 with weights kept after the
// forward.
#include "core/planner/launch/draft.h"
#include "core/scenario/fields.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside
{

namespace
{

// The models it has ready (torchtitan/models/*/__init__.py), by the whole of their shape: gated, RMSNorm,
// rotary positions. deepseek_v3's have MLA with a latent of 512, qwen3's norms on queries and keys.
struct Flavor
{
    std::string_view name, flavor;
    std::int64_t layers, hidden, ffn, heads, kv_heads, vocab;
    bool tied = false;
    std::int64_t experts = 0, per_token = 0, expert_ffn = 0, shared = 0, dense_layers = 0, interval = 1;
    std::int64_t q_lora_rank = 0;
};
constexpr std::array kFlavors{
    Flavor{"llama3", "8B", 32, 4096, 14336, 32, 8, 128256},
    Flavor{"llama3", "70B", 80, 8192, 28672, 64, 8, 128256},
    Flavor{"llama3", "405B", 126, 16384, 53248, 128, 8, 128256},
    Flavor{"llama4", "17bx16e", 48, 5120, 16384, 40, 8, 202048, false, 16, 1, 8192, 1},
    Flavor{"llama4", "17bx128e", 48, 5120, 16384, 40, 8, 202048, false, 128, 1, 8192, 1, 1, 2},
    Flavor{"deepseek_v3", "16B", 27, 2048, 10944, 16, 16, 102400, false, 64, 6, 1408, 2, 1},
    Flavor{"deepseek_v3", "236B", 60, 5120, 12288, 128, 128, 102400, false, 160, 6, 1536, 2, 1, 1, 1536},
    Flavor{"deepseek_v3", "671B", 61, 7168, 18432, 128, 128, 129280, false, 256, 8, 2048, 1, 3, 1, 1536},
    Flavor{"qwen3", "0.6B", 28, 1024, 3072, 16, 8, 151936, true},
    Flavor{"qwen3", "1.7B", 28, 2048, 6144, 16, 8, 151936, true},
    Flavor{"qwen3", "4B", 36, 2560, 9728, 32, 8, 151936, true},
    Flavor{"qwen3", "8B", 36, 4096, 12288, 32, 8, 151936},
    Flavor{"qwen3", "14B", 40, 5120, 17408, 40, 8, 151936},
    Flavor{"qwen3", "32B", 64, 5120, 25600, 64, 8, 151936},
    Flavor{"qwen3", "30B-A3B", 48, 2048, 6144, 32, 4, 151936, false, 128, 8, 768},
    Flavor{"qwen3", "235B-A22B", 94, 4096, 12288, 64, 4, 151936, false, 128, 8, 1536},
};

// The flavor as a model; what is no flavor's is as `m` has it: the sequence, dropout, windows, which
// no_special_blocks names, the router's offsets, and the MLP where every layer has experts.
Model model_of(const Flavor& f, const Model& m)
{
    const bool latent = f.name == "deepseek_v3";
    Model model;
    model.layers = f.layers;
    model.hidden = f.hidden;
    model.ffn = f.experts > 0 && f.dense_layers == 0 && f.interval == 1 ? m.ffn : f.ffn;
    model.heads = f.heads;
    model.kv_heads = f.kv_heads;
    model.head_dim = latent ? 128 + 64 : 128;
    model.vocab = f.vocab;
    model.gated_mlp = true;
    model.tied_embeddings = f.tied;
    model.attention = latent ? Attention::mla : Attention::gqa;
    model.norm = Norm::rmsnorm;
    model.positions = Positions::rope;
    model.qk_norm = f.name == "qwen3" ? QkNorm::head : QkNorm::none;
    model.q_lora_rank = f.q_lora_rank;
    model.kv_lora_rank = latent ? 512 : 0;
    model.qk_nope_head_dim = model.v_head_dim = latent ? 128 : 0;
    model.qk_rope_head_dim = latent ? 64 : 0;
    model.experts = f.experts;
    model.experts_per_token = f.per_token;
    model.expert_ffn = f.expert_ffn;
    model.shared_experts = f.shared;
    model.dense_layers = f.dense_layers;
    model.moe_interval = f.interval;
    model.preset = m.preset;
    model.name = m.name;
    model.max_sequence_length = m.max_sequence_length;
    model.dropout = m.dropout;
    model.attention_per_layer = m.attention_per_layer;
    model.router_bias = m.router_bias;
    return model;
}

// Whether three layers of four attend within blocks of 8,192 tokens and the fourth to all, as llama4's
// "irope" flavors do (every_n_layers_nope, fixed_attn_block_size in llama4/model/args.py; there the first of
// each four attends to all, in the released models the last).
bool attends_in_blocks(const Model& m)
{
    constexpr std::array<std::int64_t, 4> kBlocks{8192, 8192, 8192, 0};
    return std::is_permutation(m.attention_per_layer.begin(), m.attention_per_layer.end(), kBlocks.begin(),
                               kBlocks.end());
}

// Where none is this model, the family whose layers are the nearest.
std::string_view nearest_family(const Model& m)
{
    return m.attention == Attention::mla ? "deepseek_v3"
           : m.qk_norm == QkNorm::head   ? "qwen3"
           : m.experts > 0               ? "llama4"
                                         : "llama3";
}

std::string shape_words(const Model& m)
{
    std::string words =
        fmt::format("dim={}, n_layers={}, n_heads={}, n_kv_heads={}, vocab_size={}, a feed-forward of {}",
                    m.hidden, m.layers, m.heads, m.kv_heads, m.vocab, m.ffn);
    words += m.tied_embeddings ? ", tied embeddings" : "";
    if (m.experts > 0)
    {
        words += fmt::format(", num_experts={}, top_k={}, num_shared_experts={}, each {} wide", m.experts,
                             m.experts_per_token, m.shared_experts, m.expert_ffn);
    }
    return words;
}

// Its names of the schedules that PyTorch has.
struct Named
{
    std::string_view id, name;
};
constexpr std::array kSchedules{Named{"1f1b", "1F1B"},
                                Named{"gpipe", "GPipe"},
                                Named{"interleaved", "Interleaved1F1B"},
                                Named{"looped-bfs", "LoopedBFS"},
                                Named{"interleaved-zb", "InterleavedZeroBubble"},
                                Named{"zb-v", "ZBVZeroBubble"},
                                Named{"dualpipev", "DualPipeV"}};

void torchtitan_model(LaunchDraft& d)
{
    const Model& m = d.s.model;
    d.section("model");
    const auto found =
        std::find_if(kFlavors.begin(), kFlavors.end(), [&](const Flavor& f) { return model_of(f, m) == m; });
    const bool known = found != kFlavors.end();
    const std::string_view family = known ? found->name : nearest_family(m);
    d.set("name", quoted(family), "family of models", "model");
    const bool blocks = family == "llama4" && attends_in_blocks(m);
    const std::string flavor =
        known ? fmt::format("{}{}", found->flavor, blocks ? "_irope" : "") : "your_flavor";
    d.set("flavor", quoted(std::string_view(flavor)), "which of them", "model");
    if (!known)
    {
        d.not_expressed("model", one_line(m.name), "register a flavor: " + shape_words(m));
    }
    no_special_blocks(d, blocks);
    if (family == "qwen3" && d.s.parallel.pipeline > 1)
    {
        d.not_expressed("parallel.pipeline", fmt::format("{}", d.s.parallel.pipeline),
                        "qwen3 is not cut into stages");
    }
    if ((family == "deepseek_v3" || blocks) && d.s.parallel.context > 1)
    {
        // FlexAttention is refused with context parallelism (update_from_config in model/args.py of both).
        d.not_expressed("parallel.context", fmt::format("{}", d.s.parallel.context),
                        fmt::format("the attention of {} does not shard sequences", family));
    }
    if (d.s.training.precision == Precision::fp8)
    {
        d.set("converters", "[\"quantize.linear.float8\"]", "linear layers in 8 bits", "training.precision");
    }
    else if (d.s.training.precision == Precision::mxfp8)
    {
        d.set("converters", "[\"quantize.linear.mx\"]", "linear layers in MXFP8", "training.precision");
    }
    else if (d.s.training.precision == Precision::nvfp4)
    {
        d.not_expressed("training.precision", "nvfp4", "there is no converter to 4 bits; bf16 written");
    }
}

void training(LaunchDraft& d, bool pipelined)
{
    const Training& t = d.s.training;
    d.section("training");
    d.set("dataset", "\"c4_test\"", "a placeholder, not in the scenario");
    d.set("seq_len", t.sequence_length, "tokens per sequence", "training.sequence_length");
    const std::int64_t local = pipelined ? t.micro_batch * micro_batches(d.s) : t.micro_batch;
    d.set("local_batch_size", local,
          pipelined ? "sequences per pipeline and step" : "sequences per micro-batch",
          "training.micro_batch");
    d.set("global_batch_size", t.global_batch, "sequences per step", "training.global_batch");
    d.set("steps", train_steps(d.s), d.steps_explained(), "training.tokens");
    const bool full = t.precision == Precision::fp32;
    d.set("mixed_precision_param", full ? "\"float32\"" : "\"bfloat16\"", "compute dtype",
          "training.precision");
    d.set("mixed_precision_reduce", "\"float32\"", "gradients summed in", "training.gradient_dtype");
    if (t.precision == Precision::fp16)
    {
        d.not_expressed("training.precision", "fp16", "there is no fp16; bf16 written");
    }
    if (!full && t.gradient_dtype != GradientDtype::fp32)
    {
        d.not_expressed("training.gradient_dtype", std::string(name_of(t.gradient_dtype)),
                        "gradients are reduced in fp32 only");
    }
    if (t.offload == Offload::optimizer_and_weights_cpu && d.s.parallel.zero > 0)
    {
        d.set("enable_cpu_offload", "true", "state in the host's memory", "training.offload");
    }
    else if (t.offload != Offload::none)
    {
        d.not_expressed(
            "training.offload", std::string(name_of(t.offload)),
            d.s.parallel.zero > 0
                ? "weights, gradients and optimizer go to the host together or not at all; left out"
                : "only what is sharded goes to the host: use ZeRO-2 or 3; left out");
    }
}

// Replicas, and whether they hold shards.
void data_axis(LaunchDraft& d)
{
    const std::int64_t data = data_parallel(d.s);
    const std::int64_t zero = d.s.parallel.zero;
    // Context ranks belong to a shard group whole, so the copies divide the replicas.
    const std::int64_t asked = zero == 0 ? data : dense_replicas(d.s) / dense_shards(d.s);
    const std::int64_t copies = std::gcd(asked, data);
    d.set("data_parallel_replicate_degree", copies, "replicas with all of the weights",
          d.s.parallel.shard_group > 0 ? "parallel.shard_group" : "parallel.zero");
    d.set("data_parallel_shard_degree", data / copies, "replicas with a shard each", "parallel.zero");
    if (copies != asked)
    {
        d.not_expressed("parallel.shard_group", fmt::format("{}", d.s.parallel.shard_group),
                        "whole context groups share a sharded copy");
    }
    if (zero > 0)
    {
        d.set("fsdp_reshard_after_forward", zero == 3 ? "\"always\"" : "\"never\"",
              zero == 3 ? "weights gathered twice" : "weights kept for the backward", "parallel.zero");
    }
    if (zero == 1)
    {
        d.not_expressed("parallel.zero", "1",
                        "FSDP shards gradients and stored weights too; ZeRO-2's traffic written");
    }
    if (zero == 0 && data > 1 && (d.s.parallel.tensor > 1 || d.s.parallel.pipeline > 1))
    {
        d.not_expressed("parallel.zero", "0",
                        "unsharded replicas do not combine with another axis: use ZeRO-2 or 3");
    }
    if (zero == 0 && d.s.parallel.expert > 1)
    {
        d.not_expressed("parallel.zero", "0", "experts are spread over sharded replicas: use ZeRO-2 or 3");
    }
}

// [["tok_embeddings", "layers.0"], ["layers.1", "norm", "output"]]
std::string modules(const std::vector<std::int64_t>& stages)
{
    std::string list = "[";
    std::int64_t next = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        std::vector<std::string> names;
        if (i == 0)
        {
            names.emplace_back("\"tok_embeddings\"");
        }
        for (std::int64_t layer = 0; layer < stages[i]; ++layer)
        {
            names.push_back(fmt::format("\"layers.{}\"", next++));
        }
        if (i + 1 == stages.size())
        {
            names.emplace_back("\"norm\"");
            names.emplace_back("\"output\"");
        }
        list += fmt::format("{}[{}]", i > 0 ? ", " : "", fmt::join(names, ", "));
    }
    return list + "]";
}

void torchtitan_pipeline(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const Training& t = d.s.training;
    d.set("pipeline_parallel_degree", p.pipeline, "ranks of the pipeline", "parallel.pipeline");
    if (p.pipeline == 1)
    {
        return;
    }
    const auto found = std::find_if(kSchedules.begin(), kSchedules.end(),
                                    [&](const Named& named) { return named.id == t.schedule->id; });
    const bool known = found != kSchedules.end();
    d.set("pipeline_parallel_schedule", quoted(known ? found->name : "1F1B"), "order of the micro-batches",
          "training.schedule");
    d.set("pipeline_parallel_microbatch_size", t.micro_batch, "sequences per micro-batch",
          "training.micro_batch");
    const std::int64_t chunks = known ? p.chunks : 1;
    if (!known)
    {
        d.not_expressed(
            "training.schedule", std::string(t.schedule->id),
            fmt::format("known are {}; 1F1B written",
                        "GPipe, 1F1B, Interleaved1F1B, LoopedBFS, InterleavedZeroBubble, ZBVZeroBubble, "
                        "DualPipeV"));
    }
    const auto uneven = uneven_layers(d.s);
    if (!uneven.empty() && (known || p.chunks == 1))
    {
        d.set("module_fqns_per_model_part", modules(uneven), "what each stage holds",
              "parallel.stage_layers");
        return;
    }
    const std::int64_t stages = p.pipeline * chunks;
    d.set("pipeline_parallel_layers_per_stage", (d.s.model.layers + stages - 1) / stages,
          "layers per stage or chunk", "parallel.chunks");
    d.set("pipeline_parallel_first_stage_less_layers", 0, "the embedding counts for none",
          "parallel.stage_layers");
    d.set("pipeline_parallel_last_stage_less_layers", 0, "and so does the output", "parallel.stage_layers");
}

// Experts are cut over whole groups of context, and of tensor unless that cuts each expert; and over as many
// replicas as it takes.
void check_experts(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const std::int64_t inner = p.context * (p.expert_tensor == 1 ? p.tensor : 1);
    const std::int64_t all = (p.zero == 0 ? 1 : data_parallel(d.s)) * inner;
    if (p.expert > 1 && (p.expert % inner != 0 || all % p.expert != 0))
    {
        d.not_expressed("parallel.expert", fmt::format("{}", p.expert),
                        fmt::format("must be a multiple of {} and divide {}", inner, all));
    }
    if (p.expert == 1 && p.expert_tensor > 1)
    {
        d.not_expressed("parallel.expert_tensor", fmt::format("{}", p.expert_tensor),
                        "does nothing where parallel.expert is 1");
    }
}

void torchtitan_parallelism(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    d.section("parallelism");
    data_axis(d);
    d.set("tensor_parallel_degree", p.tensor, "GPUs that share each matrix", "parallel.tensor");
    if (p.tensor > 1 && d.s.model.attention != Attention::mla && d.s.model.kv_heads % p.tensor != 0)
    {
        d.not_expressed("model.kv_heads", fmt::format("{}", d.s.model.kv_heads),
                        fmt::format("must be a multiple of tensor, {}", p.tensor));
    }
    if (p.tensor > 1 && !p.sequence_parallel)
    {
        d.not_expressed("parallel.sequence_parallel", "false",
                        "tensor parallelism always includes sequence parallelism");
    }
    torchtitan_pipeline(d);
    d.set("context_parallel_degree", p.context, "GPUs that share a sequence", "parallel.context");
    if (p.context > 1)
    {
        d.set("context_parallel_rotate_method", "\"alltoall\"", "keys and values are rotated, block by block",
              "parallel.context");
    }
    const std::int64_t pieces = 2 * p.tensor * p.context;
    if (d.s.training.sequence_length % pieces != 0)
    {
        d.not_expressed("training.sequence_length", fmt::format("{}", d.s.training.sequence_length),
                        fmt::format("must be a multiple of {}, twice tensor times context", pieces));
    }
    if (d.s.model.experts > 0)
    {
        d.set("expert_parallel_degree", p.expert, "GPUs that share the experts", "parallel.expert");
        d.set("expert_tensor_parallel_degree", p.expert_tensor, "GPUs that share one expert",
              "parallel.expert_tensor");
        if (p.expert_tensor != 1 && p.expert_tensor != p.tensor)
        {
            d.not_expressed("parallel.expert_tensor", fmt::format("{}", p.expert_tensor),
                            fmt::format("is 1 or as tensor, {}", p.tensor));
        }
        check_experts(d);
    }
}

// Gathers and scatters are cut into pieces by the compiler.
void torchtitan_overlap(LaunchDraft& d)
{
    if (d.s.parallel.overlap_tensor && possible_overlaps(d.s).tensor)
    {
        d.set("enable_async_tensor_parallel", "true", "all-gathers and reduce-scatters overlap GEMMs",
              "parallel.overlap_tensor");
        d.section("compile");
        d.set("enable", "true", "required by asynchronous tensor parallelism", "parallel.overlap_tensor");
    }
    no_overlap(d, {true, false, true});
}

void recompute(LaunchDraft& d)
{
    const Training& t = d.s.training;
    d.section("activation_checkpoint");
    const bool by_operation = t.recompute == Recompute::selective || t.recompute == Recompute::alternate;
    d.set("mode", by_operation ? "\"selective\"" : quoted(name_of(t.recompute)), "what is recomputed",
          "training.recompute");
    if (by_operation)
    {
        d.set("selective_ac_option", "\"op\"", "by operation: every second matmul is stored",
              "training.recompute");
    }
    if (t.recompute_layers > 0 && t.recompute == Recompute::full)
    {
        d.not_expressed("training.recompute_layers", fmt::format("{}", t.recompute_layers),
                        "full mode recomputes every layer");
    }
    if (t.recompute == Recompute::selective)
    {
        d.not_expressed("training.recompute", "selective",
                        "recomputes more than attention: GEMM outputs are kept, the rest is not");
    }
    if (!t.flash_attention)
    {
        d.not_expressed("training.flash_attention", "false", "PyTorch chooses the kernel of attention");
    }
}

void torchtitan_optimizer(LaunchDraft& d)
{
    const Optimizer kind = d.s.training.optimizer;
    d.section("optimizer");
    d.set("name", "\"AdamW\"", "kind of optimizer", "training.optimizer");
    d.set("lr", "3e-4", "a placeholder, not in the scenario");
    if (kind != Optimizer::adamw)
    {
        d.not_expressed("training.optimizer", std::string(name_of(kind)),
                        "there are Adam and AdamW; AdamW written");
    }
    if (d.s.training.precision == Precision::fp8)
    {
        const bool whole = d.s.training.fp8_recipe == Fp8Recipe::bf16_weights;
        d.section("quantize.linear.float8");
        d.set("enable_fsdp_float8_all_gather", whole ? "false" : "true",
              whole ? "all-gather in bf16" : "all-gather in 8 bits", "training.fp8_recipe");
        d.set("filter_fqns", "[\"output\"]", "the output stays in 16 bits");
        if (d.s.training.fp8_recipe == Fp8Recipe::deepseek)
        {
            d.not_expressed("training.fp8_recipe", "deepseek",
                            "scales are of tensors or rows, not of blocks of 128");
        }
    }
}

} // namespace

Launch write_torchtitan(const Scenario& scenario)
{
    LaunchDraft d(scenario);
    torchtitan_parallelism(d);
    torchtitan_overlap(d);
    torchtitan_model(d);
    training(d, scenario.parallel.pipeline > 1);
    recompute(d);
    torchtitan_optimizer(d);
    check_hosts(d);
    d.config_file("train.toml", ConfigFormat::toml);
    d.plain_file("launch.sh",
                 {torchrun(scenario) + " \\", "    -m torchtitan.train --job.config_file train.toml \"$@\""});
    return d.take();
}

} // namespace ringside
