// One file, since it is one class: every rule that a scenario has to keep.
#include "core/scenario/validate.h"

#include <fmt/format.h>

#include "core/pipeline/simulate.h"
#include "core/scenario/fields.h"
#include "core/scenario/fit.h"
#include "core/scenario/serving_check.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

class Checker
{
public:
    explicit Checker(const Scenario& scenario)
        : s_(scenario), m_(scenario.model), p_(scenario.parallel), t_(scenario.training)
    {
    }

    Issues run()
    {
        check_model();
        check_size();
        check_experts();
        check_tensor();
        check_pipeline();
        check_gpus_and_batch();
        check_combinations();
        check_links();
        check_reach();
        append(issues_, serving_issues(s_));
        return std::move(issues_);
    }

private:
    // Without a hint, what would work is found by trying: see validate().
    void error(std::string path, std::string message, std::string hint = {})
    {
        issues_.push_back({std::move(path), std::move(message), std::move(hint), Severity::error});
    }
    void warn(std::string path, std::string message, std::string hint)
    {
        issues_.push_back({std::move(path), std::move(message), std::move(hint), Severity::warning});
    }

    void check_model()
    {
        const bool latent = m_.attention == Attention::mla;
        if (!latent && m_.head_dim < 1)
        {
            error("model.head_dim", fmt::format("{} heads are wider than hidden {}", m_.heads, m_.hidden));
        }
        if (m_.kv_heads < 1 || m_.heads % m_.kv_heads != 0)
        {
            error("model.kv_heads", fmt::format("{} does not divide {} heads", m_.kv_heads, m_.heads));
        }
        if (m_.attention == Attention::mha && m_.kv_heads != m_.heads)
        {
            error("model.attention", fmt::format("mha has as many key/value heads as heads, not {} and {}",
                                                 m_.kv_heads, m_.heads));
        }
        if (latent &&
            (m_.kv_lora_rank < 1 || m_.qk_nope_head_dim < 1 || m_.qk_rope_head_dim < 0 || m_.v_head_dim < 1))
        {
            error("model.attention",
                  "mla needs kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim and v_head_dim",
                  "DeepSeek-V3 uses 512, 128, 64 and 128");
        }
        check_layers();
    }

    // What single layers attend to needs fields of its own.
    void check_layers()
    {
        const auto has = [&](LayerAttention kind)
        {
            const auto& all = m_.attention_per_layer;
            return std::any_of(all.begin(), all.end(),
                               [&](std::int64_t entry) { return layer_attention(entry) == kind; });
        };
        const bool compressed = has(LayerAttention::csa) || has(LayerAttention::hca);
        if (compressed && m_.attention != Attention::shared_kv)
        {
            error("model.attention", fmt::format("{} has no single key to compress", name_of(m_.attention)),
                  "csa and hca layers compress shared-kv");
        }
        if ((has(LayerAttention::csa) || has(LayerAttention::sparse)) &&
            (m_.index_heads < 1 || m_.index_head_dim < 1 || m_.index_top_k < 1))
        {
            error("model.index_top_k",
                  "sparse and csa layers need index_heads, index_head_dim and index_top_k",
                  "DeepSeek-V3.2 uses 64, 128 and 2048");
        }
        check_states(has);
        if (m_.attention == Attention::shared_kv && m_.output_groups > 0 &&
            (m_.heads % m_.output_groups != 0 || m_.output_lora_rank < 1))
        {
            error("model.output_groups",
                  fmt::format("{} groups of rank {} for {} heads", m_.output_groups, m_.output_lora_rank,
                              m_.heads),
                  "groups divide the heads, and output_lora_rank is at least 1");
        }
    }

    // What layers with a state need, and what heads of windows and blocks of one half do.
    template <class Has>
    void check_states(const Has& has)
    {
        const auto& kinds = kNamesOf<LayerAttention>.all;
        for (std::size_t i = 0; i < kinds.size(); ++i)
        {
            const auto kind = static_cast<LayerAttention>(i);
            if (has(kind) && (is_recurrent(kind) || kind == LayerAttention::hybrid) && m_.linear_head_dim < 1)
            {
                error("model.linear_head_dim", fmt::format("{} layers need a width of their heads", kinds[i]),
                      "Kimi K3 uses 128, Nemotron 3 Nano 64, Jamba 1");
            }
        }
        if (has(LayerAttention::mamba) && m_.linear_rank < 1)
        {
            error("model.linear_rank", "mamba layers need a width that step sizes come out of",
                  "Jamba uses hidden / 16");
        }
        if (const std::int64_t keys = linear_key_heads(m_); linear_heads(m_) % keys != 0)
        {
            error("model.linear_key_heads",
                  fmt::format("{} does not divide {} heads", keys, linear_heads(m_)), "use one that does");
        }
        if (m_.split_blocks && !has(LayerAttention::none))
        {
            error("model.split_blocks", "no layer has an MLP", "let attention_per_layer say none for some");
        }
        if (has_window_heads(m_))
        {
            const Model own = with_window_heads(m_);
            if (own.heads % own.kv_heads != 0 || m_.attention == Attention::mla ||
                m_.attention == Attention::shared_kv)
            {
                error("model.window_kv_heads",
                      fmt::format("{} key/value heads for {} heads", own.kv_heads, own.heads),
                      "use heads that the key/value heads divide, of mha or gqa");
            }
        }
        if (m_.shared_kv_layers >= m_.layers || (m_.shared_kv_layers > 0 && m_.experts > 0))
        {
            error("model.shared_kv_layers",
                  fmt::format("{} of {} layers{}", m_.shared_kv_layers, m_.layers,
                              m_.experts > 0 ? " beside experts" : ""),
                  "use fewer than all layers of a model without experts; Gemma 4 E2B uses 20 of 35");
        }
        if (m_.altup && m_.residual_streams < 2)
        {
            error("model.altup", fmt::format("on {} streams", m_.residual_streams),
                  "give residual_streams, 4 in Gemma 3n");
        }
        if (m_.shared_ffn > 0 && m_.shared_experts < 1)
        {
            error("model.shared_ffn", fmt::format("{} without a shared expert", m_.shared_ffn),
                  "give shared_experts, or use 0");
        }
    }

    // Counts are 64-bit and bytes are exact to 9 PB; every field can be in its range and the model still
    // beyond both.
    void check_size()
    {
        constexpr double kMost = 1e14;
        const auto d = [](std::int64_t count) { return static_cast<double>(count); };
        const double mlp = (m_.gated_mlp ? 3 : 2) * (d(m_.ffn + m_.shared_kv_ffn) + d(m_.shared_ffn) +
                                                     d(m_.expert_ffn) * d(m_.experts + m_.shared_experts)) +
                           d(m_.experts);
        const double qk =
            m_.attention == Attention::mla ? d(m_.qk_nope_head_dim + m_.qk_rope_head_dim) : d(m_.head_dim);
        const double v = m_.attention == Attention::mla ? d(m_.v_head_dim) : d(m_.head_dim);
        const double latent = d(m_.q_lora_rank + m_.kv_lora_rank + m_.output_groups * m_.output_lora_rank);
        const double indexer = d(m_.index_heads) * d(m_.index_head_dim);
        const double streams = d(m_.residual_streams);
        const double layer =
            d(m_.hidden) * (mlp + 2 * d(m_.heads) * (qk + v) + latent + 4 * d(m_.index_head_dim) +
                            2 * streams * streams * (streams + 2) + 2 * d(m_.expert_hidden) +
                            3 * d(m_.layer_embedding) + 2 * d(m_.laurel_rank)) +
            d(m_.layer_embedding) * d(std::max(m_.vocab, m_.layer_vocab)) +
            latent * (d(m_.heads) * (2 * qk + v) + indexer) + d(m_.hidden) * indexer +
            (6 * d(m_.hidden) + d(m_.linear_head_dim) + 3 * d(m_.linear_rank)) * d(linear_width(m_)) +
            d(linear_width(m_)) * 3 * d(linear_key_dim(m_)) +
            (2 * d(m_.hidden) + 64) * 2 * d(linear_key_heads(m_)) * d(linear_key_dim(m_)) +
            2 * d(m_.hidden) * d(std::max(m_.window_heads, m_.heads)) *
                d(std::max(m_.window_head_dim, m_.v_head_dim)) * 2 +
            3 * d(m_.expert_hidden) * d(m_.expert_ffn) * d(m_.experts);
        const double streams_apart = m_.altup ? 2 * streams * d(m_.hidden) : 0;
        if (d(m_.layers) * layer +
                d(m_.hidden) * (2 * d(m_.vocab) + d(m_.max_sequence_length) + streams_apart) >
            kMost)
        {
            error("model", "more than 100 trillion parameters, which cannot be counted exactly");
        }
    }

    void check_experts()
    {
        if (m_.experts == 0)
        {
            if (p_.expert > 1)
            {
                error("parallel.expert", fmt::format("{} for a model without experts", p_.expert));
            }
            return;
        }
        if (m_.experts_per_token < 1 || m_.experts_per_token > m_.experts)
        {
            error("model.experts_per_token",
                  fmt::format("{} of {} experts", m_.experts_per_token, m_.experts));
        }
        if (m_.dense_layers > m_.layers)
        {
            error("model.dense_layers", fmt::format("{} of {} layers", m_.dense_layers, m_.layers));
        }
        if (m_.experts % p_.expert != 0)
        {
            error("parallel.expert", fmt::format("{} does not divide {} experts", p_.expert, m_.experts));
        }
        if (m_.expert_ffn % p_.expert_tensor != 0)
        {
            error("parallel.expert_tensor",
                  fmt::format("{} does not divide expert_ffn {}", p_.expert_tensor, m_.expert_ffn));
        }
        const std::int64_t ranks = p_.tensor * p_.context * data_parallel(s_);
        if (ranks % (p_.expert * p_.expert_tensor) != 0)
        {
            error("parallel.expert",
                  fmt::format("expert {} x expert tensor {} does not divide the {} GPUs of a stage",
                              p_.expert, p_.expert_tensor, ranks));
        }
    }

    void check_tensor()
    {
        const std::int64_t t = p_.tensor;
        if (m_.heads % t != 0)
        {
            error("parallel.tensor", fmt::format("{} does not divide {} heads", t, m_.heads));
        }
        else if (m_.attention == Attention::shared_kv && m_.output_groups % t != 0)
        {
            error("parallel.tensor", fmt::format("{} does not divide {} output groups", t, m_.output_groups));
        }
        else if (!kv_heads_split(m_, t))
        {
            error("parallel.tensor",
                  fmt::format("{} does not divide {} key/value heads, nor they it", t, m_.kv_heads));
        }
        if (m_.ffn % t != 0 || m_.shared_kv_ffn % t != 0)
        {
            error("parallel.tensor",
                  fmt::format("{} does not divide ffn {}", t, m_.ffn % t != 0 ? m_.ffn : m_.shared_kv_ffn));
        }
        else if (!linear_heads_split(m_, t))
        {
            error("parallel.tensor", fmt::format("{} does not divide the heads of windows or states", t));
        }
        if (t > 1 && p_.sequence_parallel && t_.sequence_length % (t * p_.context) != 0)
        {
            error("training.sequence_length",
                  fmt::format("{} tokens do not split over tensor {} x context {}", t_.sequence_length, t,
                              p_.context));
        }
        else if (t_.sequence_length % p_.context != 0)
        {
            error("parallel.context",
                  fmt::format("{} does not divide {} tokens", p_.context, t_.sequence_length));
        }
    }

    void check_pipeline()
    {
        const ScheduleKind kind = t_.schedule;
        const ScheduleShape shape = pipeline_shape(s_);
        const std::int64_t stages = virtual_stages(kind, shape);
        if (!p_.stage_layers.empty())
        {
            check_stage_layers(stages);
        }
        else if (m_.layers < stages)
        {
            const bool chunks = p_.chunks > 1 && p_.pipeline <= m_.layers;
            error(chunks ? "parallel.chunks" : "parallel.pipeline",
                  fmt::format("{} layers for {} stages{}", m_.layers, p_.pipeline,
                              p_.chunks > 1 ? fmt::format(" x {} chunks", p_.chunks) : ""));
        }
        if (operations_of(kind, shape) > static_cast<double>(kMostOperations))
        {
            error("training.global_batch",
                  fmt::format("{} micro-batches in {} stages are {:.0f} operations, and {} are simulated",
                              shape.micro_batches, stages, operations_of(kind, shape), kMostOperations));
        }
        if (p_.pipeline == 1 && p_.chunks == 1 && kind->placement == Placement::loop)
        {
            return; // no pipeline, so any order will do
        }
        for (const Issue& issue : check_shape(kind, shape))
        {
            const char* path = issue.path == "micro_batches" ? "training.global_batch"
                               : issue.path == "chunks"      ? "parallel.chunks"
                                                             : "parallel.pipeline";
            error(path, fmt::format("{}: {}", kind->name, issue.message));
        }
    }

    void check_stage_layers(std::int64_t virtual_stages)
    {
        const std::int64_t sum =
            std::accumulate(p_.stage_layers.begin(), p_.stage_layers.end(), std::int64_t{0});
        if (static_cast<std::int64_t>(p_.stage_layers.size()) != virtual_stages)
        {
            error("parallel.stage_layers",
                  fmt::format("{} entries for {} stages", p_.stage_layers.size(), virtual_stages));
        }
        else if (sum != m_.layers)
        {
            error("parallel.stage_layers",
                  fmt::format("the stages hold {} layers, the model has {}", sum, m_.layers));
        }
    }

    void check_gpus_and_batch()
    {
        const std::int64_t model_gpus = p_.tensor * p_.context * p_.pipeline;
        const std::int64_t n = s_.cluster.gpus;
        if (n % model_gpus != 0)
        {
            error("cluster.gpus",
                  fmt::format("{} GPUs do not divide by tensor {} x context {} x pipeline {} = {}", n,
                              p_.tensor, p_.context, p_.pipeline, model_gpus));
        }
        const std::int64_t step = data_parallel(s_) * t_.micro_batch;
        if (t_.global_batch % step != 0)
        {
            error("training.global_batch",
                  fmt::format("{} sequences do not divide by data parallel {} x micro-batch {} = {}",
                              t_.global_batch, data_parallel(s_), t_.micro_batch, step));
        }
    }

    void check_combinations()
    {
        const bool sixteen_bit = t_.precision != Precision::fp32;
        if (!sixteen_bit && t_.gradient_dtype != GradientDtype::fp32)
        {
            error("training.gradient_dtype",
                  fmt::format("{} gradients for fp32 weights", name_of(t_.gradient_dtype)));
        }
        if (t_.precision == Precision::nvfp4 && s_.cluster.gpu.fp4_tflops <= 0)
        {
            warn("training.precision", fmt::format("{} has no 4-bit arithmetic", s_.cluster.gpu.name),
                 s_.cluster.gpu.fp8_tflops > 0 ? "use fp8, or a GPU that has fp4"
                                               : "use bf16, or a GPU that has fp4");
        }
        else if (is_narrow(t_.precision) && s_.cluster.gpu.fp8_tflops <= 0)
        {
            warn("training.precision", fmt::format("{} has no 8-bit arithmetic", s_.cluster.gpu.name),
                 "use bf16, or a GPU that has fp8");
        }
        if (is_narrow(t_.precision) && t_.precision != Precision::nvfp4 && s_.cluster.gpu.fp8_tflops > 0 &&
            s_.cluster.gpu.fp8_tflops < s_.cluster.gpu.bf16_tflops)
        {
            warn("training.precision",
                 fmt::format("{} multiplies 8 bits at {} TFLOP/s and 16 bits at {}", s_.cluster.gpu.name,
                             s_.cluster.gpu.fp8_tflops, s_.cluster.gpu.bf16_tflops),
                 "use bf16");
        }
        if (p_.zero >= 2 && p_.pipeline > 1)
        {
            warn("parallel.zero",
                 fmt::format("ZeRO-{} with {} pipeline stages: Megatron-LM and DeepSpeed refuse it, FSDP "
                             "with pipelining allows it",
                             p_.zero, p_.pipeline),
                 "use ZeRO-1");
        }
        if (p_.zero > 0 && dense_replicas(s_) == 1)
        {
            warn("parallel.zero",
                 fmt::format("ZeRO-{} has nothing to shard over: there is 1 replica", p_.zero),
                 "add GPUs or lower tensor or pipeline");
        }
        check_narrow_recipe();
        check_recomputation();
        check_states();
        check_adapters();
        check_shard_group();
        if (p_.sequence_parallel && p_.tensor == 1)
        {
            warn("parallel.sequence_parallel", "does nothing without tensor parallelism",
                 "raise tensor or switch it off");
        }
        check_overlap();
    }

    void check_narrow_recipe()
    {
        const bool deepseek = t_.fp8_recipe == Fp8Recipe::deepseek;
        if ((t_.precision == Precision::mxfp8 && deepseek) ||
            (t_.precision == Precision::nvfp4 && t_.fp8_recipe != Fp8Recipe::bf16_weights))
        {
            warn("training.fp8_recipe",
                 fmt::format("{} is not a recipe of {}", name_of(t_.fp8_recipe), name_of(t_.precision)),
                 t_.precision == Precision::nvfp4 ? "use bf16-weights" : "use bf16-weights or fp8-weights");
        }
    }

    void check_recomputation()
    {
        if (t_.recompute_layers > 0 && t_.recompute != Recompute::full)
        {
            warn("training.recompute_layers",
                 fmt::format("{} recomputation applies to all layers", name_of(t_.recompute)),
                 "use full recomputation, or 0");
        }
        const auto named = [&](RecomputeModule module)
        { return t_.recompute_modules.at(static_cast<std::size_t>(module)); };
        if (t_.recompute_modules != RecomputeModules{} && t_.recompute != Recompute::selective)
        {
            warn("training.recompute_modules",
                 fmt::format("{} recomputation does not go by modules", name_of(t_.recompute)),
                 "use selective recomputation, or no modules");
        }
        const bool of_experts = named(RecomputeModule::moe) || named(RecomputeModule::moe_act) ||
                                named(RecomputeModule::shared_experts);
        if (of_experts && m_.experts == 0)
        {
            warn("training.recompute_modules", "the model has no experts",
                 "use mlp, or a model with experts");
        }
        if (named(RecomputeModule::mla_up_proj) && m_.attention != Attention::mla)
        {
            warn("training.recompute_modules", fmt::format("{} has no latents", name_of(m_.attention)),
                 "leave out mla_up_proj");
        }
    }

    void check_states()
    {
        if (t_.master_weights == MasterWeights::remainders &&
            (t_.precision == Precision::fp32 || t_.precision == Precision::fp16))
        {
            warn("training.master_weights",
                 fmt::format("{} weights are no upper half of FP32", name_of(t_.precision)),
                 "use bf16, or fp32");
        }
        if (p_.whole_shards && p_.zero == 0)
        {
            warn("parallel.whole_shards", "nothing is sharded at ZeRO-0", "raise zero, or switch it off");
        }
        if (t_.deferred_head_gradients > 0 && p_.pipeline == 1)
        {
            warn("training.deferred_head_gradients", "without a pipeline nothing drains", "use 0");
        }
    }

    void check_adapters()
    {
        if (t_.lora.rank == 0 && t_.lora.quantized)
        {
            warn("training.lora.quantized", "without adapters nothing is frozen",
                 "use training.lora.rank=16");
        }
        if (t_.lora.rank > 0 && t_.lora.targets == LoraModules{})
        {
            warn("training.lora.targets", "no matrix has an adapter, so nothing is trained",
                 fmt::format("use some of {}", fmt::join(kNamesOf<LoraModule>.all, ", ")));
        }
    }

    void check_shard_group()
    {
        const std::int64_t replicas = dense_replicas(s_);
        if (p_.shard_group > 0 && replicas % p_.shard_group != 0)
        {
            std::int64_t less = std::min(p_.shard_group, replicas);
            while (replicas % less != 0)
            {
                --less;
            }
            error("parallel.shard_group",
                  fmt::format("{} replicas do not divide into groups of {}", replicas, p_.shard_group),
                  fmt::format("use {}, or 0 for all", less));
        }
        else if (p_.shard_group > 0 && p_.zero == 0)
        {
            warn("parallel.shard_group", "nothing is sharded at ZeRO-0", "raise zero, or use 0");
        }
    }

    void check_overlap()
    {
        const Overlaps can = possible_overlaps(s_);
        if (p_.overlap_tensor && !can.tensor)
        {
            warn("parallel.overlap_tensor", "gathers and scatters are those of sequence parallelism",
                 "use tensor above 1 with sequence_parallel, or switch it off");
        }
        if (p_.overlap_expert && !can.expert)
        {
            warn("parallel.overlap_expert", "no tokens are sent: every GPU has all experts",
                 "raise expert or switch it off");
        }
        if (p_.overlap_pipeline && !can.pipeline)
        {
            warn("parallel.overlap_pipeline",
                 "a stage with one chunk has nothing to compute while its activations arrive",
                 "use 2 chunks and more, or switch it off");
        }
    }

    // 0 says that there is none, or that it is not known; what is slower than a link can be is a slip.
    void check_links()
    {
        constexpr double kSlowest = 0.001; // [GB/s]
        const auto check = [&](const char* path, double gb_per_s)
        {
            if (gb_per_s > 0 && gb_per_s < kSlowest)
            {
                error(path, fmt::format("{} GB/s is slower than a link can be", gb_per_s),
                      fmt::format("use 0, or {} and more", kSlowest));
            }
        };
        check("cluster.node_link_gb_per_s", s_.cluster.node_link_gb_per_s);
        check("cluster.nvme_gb_per_s", s_.cluster.nvme_gb_per_s);
        check("cluster.gpu.link_gb_per_s", s_.cluster.gpu.link_gb_per_s);
        check("cluster.gpu.pcie_gb_per_s", s_.cluster.gpu.pcie_gb_per_s);
        if (node_link(s_.cluster) <= 0 && std::min(s_.cluster.gpus, s_.cluster.gpus_per_node) > 1)
        {
            error("cluster.node_link_gb_per_s", "the GPUs of a node have no link, and none to their host",
                  "use the rate of either, for example cluster.gpu.pcie_gb_per_s=63");
        }
    }

    void check_reach()
    {
        if (p_.tensor > s_.cluster.gpus_per_node)
        {
            warn("parallel.tensor",
                 fmt::format("{} reaches over nodes of {} GPUs, so every layer waits for the network",
                             p_.tensor, s_.cluster.gpus_per_node),
                 fmt::format("use at most {}", s_.cluster.gpus_per_node));
        }
        if (s_.cluster.gpus_per_node > 1 && s_.cluster.gpus > s_.cluster.gpus_per_node &&
            node_link(s_.cluster) < s_.cluster.network_gb_per_s)
        {
            warn("cluster.node_link_gb_per_s",
                 fmt::format("{} GB/s inside a node is slower than the network's {}: groups are slower there "
                             "than across nodes",
                             node_link(s_.cluster), s_.cluster.network_gb_per_s),
                 "use 1 GPU per node, or a faster link");
        }
        if (t_.offload_activations > 0 && s_.cluster.gpu.pcie_gb_per_s <= 0)
        {
            warn("training.offload_activations",
                 fmt::format("{} has no stated rate to its host, so the time to travel is left out",
                             s_.cluster.gpu.name),
                 "use 0, or give cluster.gpu.pcie_gb_per_s");
        }
        if (t_.offload != Offload::none && s_.cluster.gpu.pcie_gb_per_s <= 0)
        {
            error("training.offload", fmt::format("{} has no stated rate to its host", s_.cluster.gpu.name));
        }
        if (uses_nvme(t_.offload) && s_.cluster.nvme_gb_per_s <= 0)
        {
            error("training.offload", "the disks have no stated rate");
        }
    }

    const Scenario& s_;
    const Model& m_;
    const Parallel& p_;
    const Training& t_;
    Issues issues_;
};

} // namespace

Issues faults(const Scenario& scenario)
{
    return errors_of(Checker(scenario).run());
}

Issues validate(const Scenario& scenario)
{
    Issues issues = Checker(scenario).run();
    for (Issue& issue : issues)
    {
        if (issue.severity == Severity::error && issue.hint.empty())
        {
            issue.hint = advice(scenario, issue);
        }
    }
    return issues;
}

Model resolved(Model model)
{
    if (model.kv_heads == 0)
    {
        model.kv_heads = model.heads;
    }
    if (model.head_dim == 0)
    {
        model.head_dim = model.attention == Attention::mla ? model.qk_nope_head_dim + model.qk_rope_head_dim
                                                           : model.hidden / model.heads;
    }
    if (model.ffn == 0)
    {
        // SwiGLU keeps the parameter count of a 4h MLP with 2/3 of its width (Shazeer, arXiv 2002.05202,
        // section 2).
        model.ffn = model.gated_mlp ? (8 * model.hidden / 3 + 255) / 256 * 256 : 4 * model.hidden;
    }
    if (model.expert_ffn == 0 && model.experts > 0)
    {
        model.expert_ffn = model.ffn;
    }
    return model;
}

} // namespace ringside
