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

// The gradients of adapters, and what ZeRO-3 gathers of a frozen base.
Bytes adapter_traffic(const Scenario& s, const MemoryReport& memory, const Owned& own)
{
    const Trips t = trips(s);
    const StageWeights w = stage_weights(s.model, s.parallel, s.training.schedule->placement, s.training.lora)
                               .at(memory.fullest);
    const double gradient = t.gradients * state_bytes(s.training).gradient;
    const double gathered =
        t.weights * (s.training.lora.quantized ? kQuantizedWeight : element_bytes(s.training));
    const auto sent = [&](std::int64_t trained, double held, std::int64_t shards)
    {
        const auto n = static_cast<double>(shards);
        return (static_cast<double>(trained) * gradient + held * gathered) * (n - 1) / n;
    };
    return whole_bytes(sent(w.adapters_dense, own.dense, dense_shards(s)) +
                       sent(w.adapters_expert, own.expert, expert_shards(s)));
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

Bytes data_traffic(const Scenario& s, const MemoryReport& memory)
{
    const Owned own = owned(s, memory);
    const Trips t = trips(s);
    const double gradient = state_bytes(s.training).gradient;
    const double each = t.gradients * gradient + t.weights * element_bytes(s.training);
    if (s.training.lora.rank > 0)
    {
        return adapter_traffic(s, memory, own);
    }
    // Within the group that shares a sharded copy; then the copies sum up what each of their ranks owns.
    const auto sent = [&](double elements, std::int64_t replicas, std::int64_t shards)
    {
        const auto n = static_cast<double>(s.parallel.zero > 0 ? shards : replicas);
        const double copies = s.parallel.zero > 0 ? static_cast<double>(replicas / shards) : 1;
        return elements * (each * (n - 1) / n + t.gradients * gradient * 2 * (copies - 1) / copies / n);
    };
    return whole_bytes(sent(own.dense, dense_replicas(s), dense_shards(s)) +
                       sent(own.expert, expert_replicas(s), expert_shards(s)));
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
