#include "core/evaluate/system_metrics.h"

#include "core/base/text/find_by.h"
#include "core/evaluate/rollout.h"
#include "core/parallelism/experts/dispatch.h"
#include "core/reliability/fleet.h"
#include "core/serving/finetune.h"
#include "core/training/block_format.h"

#include <array>

namespace ringside
{

namespace
{

// GRPO as it was published: its reward is held to a reference, and a rule scores.
RolloutReport rl_step(const Scenario& s, RolloutPlacement placement)
{
    RolloutSetup setup{.reference = true};
    setup.placement = placement;
    setup.engine_gpus = s.parallel.tensor;
    return rollout_report(s, setup);
}

template <double RolloutReport::*figure, RolloutPlacement placement = RolloutPlacement::colocated>
double rl_figure(const Scenario& s, const Report&)
{
    return rl_step(s, placement).*figure;
}

template <Recovery recovery>
double fleet_kept(const Scenario& s, const Report& r)
{
    return effective_time(fleet_plan(s, r.memory, Seconds(r.step.total())), recovery, kFleetGpus);
}

FleetPlan fleet_of(const Scenario& s, const Report& r)
{
    return fleet_plan(s, r.memory, Seconds(r.step.total()));
}

template <DispatchWay way>
double copies_over_network(const Scenario& s, const Report&)
{
    return s.model.experts == 0 ? 0 : network_copies(dispatch_setup(expert_plan(s)), way);
}

// The format with scales that products of this precision read; null where a number stands alone.
const BlockFormat* blocks_of(const Scenario& s)
{
    switch (s.training.precision)
    {
    case Precision::mxfp8:
        return &block_format(BlockId::mxfp8);
    case Precision::nvfp4:
        return &block_format(BlockId::nvfp4);
    case Precision::fp32:
    case Precision::fp16:
    case Precision::bf16:
    case Precision::fp8:
        break;
    }
    return nullptr;
}

double value_bits(const Scenario& s, const Report&)
{
    const BlockFormat* blocks = blocks_of(s);
    return blocks != nullptr ? blocks->bits_per_value()
                             : number_format(product_format(s.training.precision)).bits();
}

template <FinetuneRecipe recipe>
double token_flops(const Scenario& s, const Report&)
{
    return finetune_report(s, recipe, finetune_setup(s)).token_flops;
}

constexpr auto kAsynchronous = RolloutPlacement::asynchronous;

constexpr std::array kSystemMetrics{
    Metric{"rl.responses", "",
           [](const Scenario&, const Report&) { return static_cast<double>(RolloutSetup{}.samples); }},
    Metric{"rl.prompt_tokens", "",
           [](const Scenario&, const Report&) { return static_cast<double>(RolloutSetup{}.prompt); }},
    Metric{"rl.response_tokens", "",
           [](const Scenario&, const Report&) { return static_cast<double>(RolloutSetup{}.answer); }},
    Metric{"rl.longest_tokens", "",
           [](const Scenario&, const Report&) { return static_cast<double>(RolloutSetup{}.cap); }},
    Metric{"rl.engines", "",
           [](const Scenario& s, const Report&)
           { return static_cast<double>(rl_step(s, RolloutPlacement::colocated).engines); }},
    Metric{"rl.generation_s", "s", rl_figure<&RolloutReport::generation>},
    // Where every batch stays full, for as many responses.
    Metric{"rl.steady_s", "s", rl_figure<&RolloutReport::steady>},
    Metric{"rl.tail_share", "",
           [](const Scenario& s, const Report&) { return rl_step(s, RolloutPlacement::colocated).tail(); }},
    Metric{"rl.training_s", "s", rl_figure<&RolloutReport::training>},
    Metric{"rl.sync_s", "s", rl_figure<&RolloutReport::sync>},
    Metric{"rl.step_s", "s", rl_figure<&RolloutReport::step>},
    Metric{"rl.one_step_off_s", "s", rl_figure<&RolloutReport::step, RolloutPlacement::one_step_off>},
    Metric{"rl.async_step_s", "s", rl_figure<&RolloutReport::step, kAsynchronous>},
    Metric{"rl.async_flight_s", "s", rl_figure<&RolloutReport::flight, kAsynchronous>},
    Metric{"rl.async_staleness", "", rl_figure<&RolloutReport::staleness, kAsynchronous>},
    Metric{"rl.engine_bytes", "B",
           [](const Scenario& s, const Report&)
           { return rl_step(s, RolloutPlacement::colocated).engine_bytes.value; }},
    Metric{"rl.trainer_bytes", "B",
           [](const Scenario& s, const Report&)
           { return rl_step(s, RolloutPlacement::colocated).trainer_bytes.value; }},
    Metric{"fleet.gpus", "", [](const Scenario&, const Report&) { return kFleetGpus; }},
    Metric{"fleet.mtbf_s", "s",
           [](const Scenario& s, const Report& r) { return fleet_between(fleet_of(s, r), kFleetGpus); }},
    Metric{"fleet.storage_share", "", fleet_kept<Recovery::storage>},
    Metric{"fleet.spares_share", "", fleet_kept<Recovery::spares>},
    Metric{"fleet.memory_share", "", fleet_kept<Recovery::memory>},
    Metric{"fleet.replica_share", "", fleet_kept<Recovery::replica>},
    Metric{"fleet.nodes_away", "",
           [](const Scenario& s, const Report& r) { return nodes_away(fleet_of(s, r), kFleetGpus); }},
    // Enough with a probability of 99%.
    Metric{"fleet.spares", "",
           [](const Scenario& s, const Report& r)
           { return static_cast<double>(spares_for(nodes_away(fleet_of(s, r), kFleetGpus), 0.99)); }},
    // What a token sends to other nodes.
    Metric{"expert.network_copies", "", copies_over_network<DispatchWay::experts>},
    Metric{"expert.node_copies", "", copies_over_network<DispatchWay::nodes>},
    Metric{"expert.limited_copies", "", copies_over_network<DispatchWay::limited>},
    Metric{"format.value_bits", "", value_bits},
    Metric{"format.block", "",
           [](const Scenario& s, const Report&)
           { return blocks_of(s) != nullptr ? static_cast<double>(blocks_of(s)->block) : 1; }},
    // Per parameter and token, with every layer computed again.
    Metric{"finetune.full_token_flops", "", token_flops<FinetuneRecipe::full>},
    Metric{"finetune.lora_token_flops", "", token_flops<FinetuneRecipe::lora>},
};

} // namespace

std::span<const Metric> system_metrics()
{
    return kSystemMetrics;
}

const Metric* find_system_metric(std::string_view name)
{
    return find_by(kSystemMetrics, name, &Metric::name);
}

} // namespace ringside
