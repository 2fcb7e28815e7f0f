#include "core/scenario/scenario.h"

#include "core/scenario/serving.h"

#include <algorithm>
#include <tuple>

namespace ringside
{

// Here and not in the header, so that they are compiled once.
bool Model::operator==(const Model&) const = default;
bool Gpu::operator==(const Gpu&) const = default;
bool Cluster::operator==(const Cluster&) const = default;
bool Parallel::operator==(const Parallel&) const = default;
bool Training::operator==(const Training&) const = default;
bool Scenario::operator==(const Scenario& o) const
{
    const bool alike = serving == o.serving || (serving && o.serving && *serving == *o.serving);
    return alike &&
           std::tie(model, cluster, parallel, training, stage_times, collective, software) ==
               std::tie(o.model, o.cluster, o.parallel, o.training, o.stage_times, o.collective, o.software);
}

std::int64_t data_parallel(const Scenario& scenario)
{
    const Parallel& p = scenario.parallel;
    return std::max<std::int64_t>(1, scenario.cluster.gpus /
                                         std::max<std::int64_t>(1, p.tensor * p.context * p.pipeline));
}

std::int64_t micro_batches(const Scenario& scenario)
{
    const Training& t = scenario.training;
    return std::max<std::int64_t>(1, t.global_batch /
                                         std::max<std::int64_t>(1, data_parallel(scenario) * t.micro_batch));
}

ScheduleShape pipeline_shape(const Scenario& scenario)
{
    return {scenario.parallel.pipeline, micro_batches(scenario), scenario.parallel.chunks};
}

std::int64_t dense_replicas(const Scenario& scenario)
{
    return data_parallel(scenario) * scenario.parallel.context;
}

std::int64_t expert_replicas(const Scenario& scenario)
{
    const Parallel& p = scenario.parallel;
    return std::max<std::int64_t>(1, p.tensor * p.context * data_parallel(scenario) /
                                         std::max<std::int64_t>(1, p.expert * p.expert_tensor));
}

std::int64_t dense_shards(const Scenario& scenario)
{
    const std::int64_t replicas = dense_replicas(scenario);
    const std::int64_t group = scenario.parallel.shard_group;
    return group > 0 && replicas % group == 0 ? group : replicas;
}

std::int64_t expert_shards(const Scenario& scenario)
{
    const std::int64_t copies = dense_replicas(scenario) / dense_shards(scenario);
    return std::max<std::int64_t>(1, expert_replicas(scenario) / copies);
}

Overlaps possible_overlaps(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const bool another = p.chunks > 1 || s.training.schedule->placement == Placement::two_way;
    return {p.tensor > 1 && p.sequence_parallel, p.expert > 1, p.pipeline > 1 && another};
}

std::int64_t attention_entry(const Model& model, std::int64_t layer)
{
    const auto& entries = model.attention_per_layer;
    return entries.empty() ? 0 : entries[static_cast<std::size_t>(layer) % entries.size()];
}

bool kv_heads_split(const Model& m, std::int64_t tensor)
{
    return m.attention == Attention::mla || m.attention == Attention::shared_kv || m.kv_heads < 1 ||
           m.kv_heads % tensor == 0 || tensor % m.kv_heads == 0;
}

bool linear_heads_split(const Model& m, std::int64_t tensor)
{
    const auto split = [tensor](std::int64_t heads) { return heads % tensor == 0 || tensor % heads == 0; };
    const auto& entries = m.attention_per_layer;
    const bool states = std::any_of(entries.begin(), entries.end(),
                                    [](std::int64_t entry)
                                    {
                                        const LayerAttention kind = layer_attention(entry);
                                        return is_recurrent(kind) || kind == LayerAttention::hybrid;
                                    });
    const std::int64_t windows = m.window_heads > 0 ? m.window_heads : m.heads;
    return windows % tensor == 0 && (m.window_kv_heads < 1 || split(m.window_kv_heads)) &&
           (!states || (linear_heads(m) % tensor == 0 && split(linear_key_heads(m))));
}

Model with_window_heads(Model m)
{
    m.heads = m.window_heads > 0 ? m.window_heads : m.heads;
    m.kv_heads = m.window_kv_heads > 0 ? m.window_kv_heads : m.kv_heads;
    m.head_dim = m.window_head_dim > 0 ? m.window_head_dim : m.head_dim;
    m.window_heads = m.window_kv_heads = m.window_head_dim = 0;
    m.values_are_keys = false;
    return m;
}

Model with_borrowed_keys(Model m)
{
    m.ffn = m.shared_kv_ffn > 0 ? m.shared_kv_ffn : m.ffn;
    m.shared_kv_layers = m.layers;
    m.shared_kv_ffn = 0;
    return m;
}

bool has_experts(const Model& model, std::int64_t layer)
{
    if (model.split_blocks)
    {
        return model.experts > 0 && attention_entry(model, layer) == entry_of(LayerAttention::none);
    }
    return model.experts > 0 && layer >= model.dense_layers &&
           (layer - model.dense_layers) % std::max<std::int64_t>(1, model.moe_interval) == 0;
}

double node_link(const Cluster& cluster)
{
    if (cluster.node_link_gb_per_s > 0)
    {
        return cluster.node_link_gb_per_s;
    }
    return cluster.gpu.link_gb_per_s > 0 ? cluster.gpu.link_gb_per_s : cluster.gpu.pcie_gb_per_s;
}

} // namespace ringside
