#include "core/network/traffic.h"

#include "core/base/whole.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Bytes of one micro-batch's tokens on one context rank, so many numbers wide.
double boundary(const Scenario& s, std::int64_t width)
{
    const Training& t = s.training;
    return element_bytes(t) * static_cast<double>(t.micro_batch) * static_cast<double>(t.sequence_length) *
           static_cast<double>(width) / static_cast<double>(s.parallel.context);
}

// Layers a GPU works through in a step, over all its micro-batches.
double layer_passes(const Scenario& s)
{
    return static_cast<double>(all_layers(s.model)) / static_cast<double>(s.parallel.pipeline) *
           static_cast<double>(micro_batches(s));
}

// Share of the layers that have experts.
double expert_share(const Scenario& s)
{
    if (s.model.experts == 0)
    {
        return 0;
    }
    const std::int64_t after_dense = std::max<std::int64_t>(0, all_layers(s.model) - s.model.dense_layers);
    const std::int64_t interval = std::max<std::int64_t>(1, s.model.moe_interval);
    const std::int64_t with_experts = (after_dense + interval - 1) / interval;
    return static_cast<double>(with_experts) / static_cast<double>(all_layers(s.model));
}

// Weights and gradients of the fullest stage on one GPU, by how many ranks share them.
struct Owned
{
    double dense;
    double expert;
};

Owned owned(const Scenario& s, const MemoryReport& memory)
{
    if (s.model.experts == 0)
    {
        return {static_cast<double>(memory.worst().parameters), 0};
    }
    const StageWeights w =
        stage_weights(s.model, s.parallel, s.training.schedule->placement).at(memory.fullest);
    return {static_cast<double>(w.dense), static_cast<double>(w.expert)};
}

// Elements of one kind of weights on a GPU before sharding: what has gradients, and what is gathered.
struct Elements
{
    double trained;
    double gathered;
};

// Bytes an element and step.
struct ElementTraffic
{
    double gradients;
    double weights;
};

CopyTraffic sent_of(const Elements& elements, const ElementTraffic& bytes, std::int64_t replicas,
                    std::int64_t shards)
{
    const auto n = static_cast<double>(shards);
    const auto copies = static_cast<double>(replicas / shards);
    const double gradients = elements.trained * bytes.gradients;
    return {(gradients + elements.gathered * bytes.weights) * (n - 1) / n,
            gradients * 2 * (copies - 1) / copies / n};
}

} // namespace

Bytes tensor_message(const Scenario& s)
{
    return whole_bytes(boundary(s, s.model.hidden));
}

std::int64_t tensor_all_reduces(const Scenario& s, bool with_experts)
{
    const bool split_already = with_experts && s.parallel.sequence_parallel &&
                               s.parallel.expert_tensor == 1 && s.model.shared_experts == 0;
    return s.model.norms_per_layer == 1 || split_already ? 1 : 2;
}

double forward_passes(const Scenario& s)
{
    return s.training.recompute == Recompute::full ? 1 + recomputed_share(s) : 1;
}

bool rings_again(Recompute recompute)
{
    return recompute == Recompute::full || recompute == Recompute::selective;
}

double tensor_passes(const Scenario& s)
{
    return forward_passes(s) + 1 + (s.training.recompute == Recompute::alternate ? 0.5 : 0);
}

Bytes tensor_traffic(const Scenario& s)
{
    const auto t = static_cast<double>(s.parallel.tensor);
    const double sparse = expert_share(s);
    const double each = sparse * static_cast<double>(tensor_all_reduces(s, true)) +
                        (1 - sparse) * static_cast<double>(tensor_all_reduces(s, false));
    return whole_bytes(tensor_message(s).value *
                       (2 * (t - 1) / t * tensor_passes(s) * each * layer_passes(s)));
}

Bytes pipeline_message(const Scenario& s)
{
    return whole_bytes(boundary(s, residual_width(s.model)) /
                       static_cast<double>(s.parallel.sequence_parallel ? s.parallel.tensor : 1));
}

Bytes context_message(const Scenario& s)
{
    return whole_bytes(element_bytes(s.training) * micro_batch_tokens(s) *
                       passed_numbers(s.model, s.parallel.tensor, s.software.context_heads));
}

// Keys and values go round the ring forward, and again with their gradients backward (Liu et al., arXiv
// 2310.01889, section 3); once more where scores are computed again.
Bytes context_traffic(const Scenario& s)
{
    const auto hops = static_cast<double>(s.parallel.context - 1);
    const double forward = rings_again(s.training.recompute) ? 1 + recomputed_share(s) : 1;
    return whole_bytes(hops * (forward + 2) * layer_passes(s) * context_message(s).value);
}

Bytes expert_message(const Scenario& s)
{
    return whole_bytes(boundary(s, expert_width(s.model)) * static_cast<double>(s.model.experts_per_token) /
                       static_cast<double>(s.parallel.tensor));
}

// Tokens go to their experts and back, forward and backward (Lepikhin et al., arXiv 2006.16668, section 3).
Bytes expert_traffic(const Scenario& s)
{
    const auto ep = static_cast<double>(s.parallel.expert);
    return whole_bytes(2 * (forward_passes(s) + 1) * (ep - 1) / ep * expert_share(s) * layer_passes(s) *
                       expert_message(s).value);
}

Trips trips(const Scenario& s)
{
    const auto m = static_cast<double>(micro_batches(s));
    switch (s.parallel.zero)
    {
    case 0:
        return {2, 0};
    case 1:
        return {1, 1};
    case 2:
        return {m, 1};
    default:
        return {m, 2 * m};
    }
}

Bytes DataTraffic::total() const
{
    return whole_bytes(dense.total() + expert.total());
}

DataTraffic data_traffic_by_group(const Scenario& s, const MemoryReport& memory)
{
    const Owned own = owned(s, memory);
    const Trips t = trips(s);
    Elements dense{own.dense, own.dense};
    Elements expert{own.expert, own.expert};
    ElementTraffic bytes{t.gradients * state_bytes(s.training).gradient,
                         t.weights * element_bytes(s.training)};
    if (s.training.lora.rank > 0) // adapters have gradients; ZeRO-3 gathers the frozen base
    {
        const StageWeights w =
            stage_weights(s.model, s.parallel, s.training.schedule->placement, s.training.lora)
                .at(memory.fullest);
        dense.trained = static_cast<double>(w.adapters_dense);
        expert.trained = static_cast<double>(w.adapters_expert);
        bytes.weights = s.training.lora.quantized ? t.weights * kQuantizedWeight : bytes.weights;
    }
    const bool sharded = s.parallel.zero > 0;
    const std::int64_t replicas = dense_replicas(s);
    const std::int64_t experts = expert_replicas(s);
    return {sent_of(dense, bytes, replicas, sharded ? dense_shards(s) : replicas),
            sent_of(expert, bytes, experts, sharded ? expert_shards(s) : experts)};
}

Bytes data_traffic(const Scenario& s, const MemoryReport& memory)
{
    return data_traffic_by_group(s, memory).total();
}

HostTraffic host_traffic(const Scenario& s, const MemoryReport& memory)
{
    if (s.training.offload == Offload::none)
    {
        return {};
    }
    const Owned own = owned(s, memory);
    const auto elements = [&](bool sharded)
    {
        return own.dense / static_cast<double>(sharded ? dense_shards(s) : 1) +
               own.expert / static_cast<double>(sharded ? expert_shards(s) : 1);
    };
    const double updated = elements(s.parallel.zero >= 1);
    const double up = offloads_weights(s.training.offload)
                          ? 2 * static_cast<double>(micro_batches(s)) * elements(s.parallel.zero == 3)
                          : updated;
    return {whole_bytes(state_bytes(s.training).gradient * updated),
            whole_bytes(element_bytes(s.training) * up)};
}

} // namespace ringside
