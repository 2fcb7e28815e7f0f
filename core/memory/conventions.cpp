#include "core/memory/conventions.h"

#include "core/base/ranges.h"
#include "core/model/weights.h"

#include <algorithm>

namespace ringside
{

namespace
{

double d(std::int64_t count)
{
    return static_cast<double>(count);
}

double megatron_attention(const Model& m, double norm)
{
    const double h = d(m.hidden);
    const double a = d(m.heads);
    if (m.attention == Attention::shared_kv)
    {
        return sum_over(layer_weights(m, Parallel{}, false),
                        [](const Weight& w) { return w.matrix() && !w.mlp ? d(w.elements()) : 0; });
    }
    if (m.attention != Attention::mla)
    {
        return 2 * h * d(m.head_dim) * (a + d(m.kv_heads));
    }
    const double qk = d(m.qk_nope_head_dim + m.qk_rope_head_dim);
    const double q = m.q_lora_rank == 0 ? h * a * qk : d(m.q_lora_rank) * (h + a * qk + norm);
    return q + d(m.kv_lora_rank) * (h + a * d(m.qk_nope_head_dim + m.v_head_dim) + norm) +
           h * d(m.qk_rope_head_dim) + a * d(m.v_head_dim) * h;
}

// Parameters on the most loaded shard as Megatron-LM counts them: norms and routers whole, everything else
// cut by the tensor group, experts by the expert groups; no biases.
struct MegatronShard
{
    double dense = 0;
    double expert = 0;
};

MegatronShard megatron_shard(const Scenario& scenario)
{
    const Model& m = scenario.model;
    const double h = d(m.hidden);
    const double norm = m.norm == Norm::rmsnorm ? 1 : 2;
    const double matrices = m.gated_mlp ? 3 : 2;
    const double attention = megatron_attention(m, norm);
    double whole = norm * h;
    double cut = 0;
    double experts = 0;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        const bool moe = has_experts(m, layer);
        whole += 2 * norm * h + (moe ? h * d(m.experts) : 0);
        cut += attention + matrices * h * (moe ? d(m.shared_experts * m.expert_ffn) : d(m.ffn));
        experts += moe ? matrices * h * d(m.expert_ffn) * d(m.experts) : 0;
    }
    const double p = d(scenario.parallel.pipeline);
    const double t = d(scenario.parallel.tensor);
    const double embeddings =
        h * d(m.vocab) * (!m.tied_embeddings && scenario.parallel.pipeline == 1 ? 2 : 1);
    return {(whole + cut / t) / p + embeddings / t,
            experts / p / d(scenario.parallel.expert * scenario.parallel.expert_tensor)};
}

} // namespace

Bytes zero_paper_bytes(double parameters, std::int64_t ranks, std::int64_t stage)
{
    const double n = d(ranks);
    return Bytes(parameters *
                 (2 / (stage >= 3 ? n : 1) + 2 / (stage >= 2 ? n : 1) + 12 / (stage >= 1 ? n : 1)));
}

MegatronReport megatron_report(const Scenario& scenario)
{
    const Model& m = scenario.model;
    const Parallel& p = scenario.parallel;
    const double tokens = d(scenario.training.sequence_length) * d(scenario.training.micro_batch);
    const double h = d(m.hidden);
    const double t = d(p.tensor);
    const double pp = d(p.pipeline);
    const auto per_parameter = [&](std::int64_t replicas) { return p.zero == 0 ? 18 : 6 + 12 / d(replicas); };
    const MegatronShard shard = megatron_shard(scenario);
    MegatronReport report;
    report.weights_and_optimizer = Bytes(shard.dense * per_parameter(data_parallel(scenario)) +
                                         shard.expert * per_parameter(expert_replicas(scenario)));

    const bool precise = p.sequence_parallel && scenario.training.recompute == Recompute::selective;
    double bytes = precise ? tokens * h * (18 + 4 * d(m.ffn) / h) * d(m.layers)
                           : tokens * h * (10 + 24 / t) * d(m.layers);
    bytes += (8 * tokens + tokens * h) * pp;
    if (p.chunks > 1)
    {
        bytes *= 1 + (pp - 1) / (pp * d(p.chunks));
    }
    else if (p.pipeline > 1)
    {
        bytes *= std::min(1.0, d(micro_batches(scenario)) / pp);
    }
    if (precise)
    {
        bytes += p.pipeline == 1 ? tokens * h * 4 * (1 + d(m.vocab) / h) : 0;
        report.activations = Bytes(bytes / t);
    }
    else
    {
        bytes += p.pipeline == 1 ? 2 * (tokens * d(m.vocab) / t + tokens * h) : 0;
        report.activations = Bytes(bytes * 1.05);
    }
    return report;
}

DeepSpeedEstimate deepspeed_zero2(const DeepSpeedInputs& in)
{
    const double p = d(in.parameters);
    const double gpus = d(in.gpus_per_node * in.nodes);
    if (in.offload_optimizer)
    {
        return {Bytes(2 * p), Bytes(p * std::max(4 * gpus, 16.0) * in.buffer_factor)};
    }
    return {Bytes(4 * p + static_cast<double>(static_cast<std::int64_t>(16 * p / gpus))),
            Bytes(p * 4 * d(in.gpus_per_node) * in.buffer_factor)};
}

DeepSpeedEstimate deepspeed_zero3(const DeepSpeedInputs& in)
{
    const double p = d(in.parameters);
    const double node = d(in.gpus_per_node);
    const double gpus = node * d(in.nodes);
    const double share = 1 / d(in.nodes);
    const double largest = 4 * d(in.largest_layer);
    if (!in.offload_optimizer)
    {
        const double cpu = in.zero_init ? d(in.largest_layer) * 4 * node : p * 4 * node;
        return {Bytes(largest + 18 * p / gpus), Bytes(cpu * in.buffer_factor)};
    }
    const double held = in.offload_parameters ? 18 : 16;
    const double cpu = in.zero_init ? p * held * share : p * std::max(4 * node, held * share);
    const double gpu = in.offload_parameters ? largest : largest + 2 * p / gpus;
    return {Bytes(gpu), Bytes(cpu * in.buffer_factor)};
}

DeepSpeedInputs deepspeed_inputs(const Scenario& scenario)
{
    DeepSpeedInputs in;
    in.parameters = count_parameters(scenario.model).total;
    in.largest_layer = stage_weights(scenario.model, Parallel{}, Placement::loop).front().largest_layer;
    in.gpus_per_node = std::min(scenario.cluster.gpus, scenario.cluster.gpus_per_node);
    in.nodes = std::max<std::int64_t>(1, scenario.cluster.gpus / in.gpus_per_node);
    in.offload_optimizer = scenario.training.offload != Offload::none;
    in.offload_parameters = offloads_weights(scenario.training.offload);
    return in;
}

// NOLINTNEXTLINE(readability-function-size): the parameters are the paper's symbols
double korthikanti_layer(double s, double b, double h, double a, double t, bool sequence_parallel,
                         Recompute recompute)
{
    if (recompute == Recompute::full)
    {
        return 2 * s * b * h;
    }
    const double scores = recompute == Recompute::selective ? 0 : 5 * a * s / h;
    return sequence_parallel ? s * b * h / t * (34 + scores) : s * b * h * (10 + 24 / t + scores / t);
}

double korthikanti_first_stage(const Scenario& scenario)
{
    const Model& m = scenario.model;
    const Training& t = scenario.training;
    const Parallel& p = scenario.parallel;
    const double layer = korthikanti_layer(d(t.sequence_length), d(t.micro_batch), d(m.hidden), d(m.heads),
                                           d(p.tensor), p.sequence_parallel, t.recompute);
    const double factor = p.chunks > 1 ? 1 + (d(p.pipeline) - 1) / (d(p.pipeline) * d(p.chunks)) : 1;
    return layer * d(m.layers) * factor;
}

} // namespace ringside
