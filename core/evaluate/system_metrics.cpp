#include "core/evaluate/system_metrics.h"

#include "core/base/derived.h"
#include "core/base/text/find_by.h"
#include "core/evaluate/rollout.h"
#include "core/memory/sparse_attention.h"
#include "core/network/scale_out.h"
#include "core/network/topology.h"
#include "core/parallelism/experts/dispatch.h"
#include "core/reliability/fleet.h"
#include "core/reliability/reshard.h"
#include "core/scaling/repeats.h"
#include "core/serving/finetune_time.h"
#include "core/serving/load_options.h"
#include "core/training/batch.h"
#include "core/training/block_format.h"
#include "core/training/muon.h"
#include "core/training/mup.h"
#include "core/training/off_policy.h"

#include <algorithm>
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

// The page of fine-tuning times begins with this setup.
template <FinetuneRecipe recipe>
double micro_batch_seconds(const Scenario& s, const Report&)
{
    return finetune_time(s, recipe, finetune_setup(s)).total();
}

// A checkpoint of one replica, every rank its shard, loaded on half as many tensor ranks.
Resharding on_half_the_tensor_ranks(const Scenario& s, const Report& r)
{
    ShardLayout from;
    from.tensor = s.parallel.tensor;
    from.pipeline = std::min(s.parallel.pipeline, s.model.layers);
    ShardLayout to = from;
    to.tensor = std::max<std::int64_t>(1, from.tensor / 2);
    return reshard(reshard_units(r.parameters, s.model.layers), from, to);
}

// [B] of so many elements of a checkpoint.
double checkpoint_bytes(const Scenario& s, const Report& r, std::int64_t elements)
{
    return checkpoint_size(s, r.memory).total().value * static_cast<double>(elements) /
           static_cast<double>(std::max<std::int64_t>(1, r.parameters.total));
}

// The load that the page of serving begins with, at its share of the goodput. A lesson asks for several of
// its figures, and each takes a search over rates: the last one is kept.
const LoadReport& usual_load_report(const Scenario& s)
{
    thread_local const Derived<Scenario, LoadReport> latest;
    return latest.of(s,
                     [](const Scenario& asked)
                     {
                         LoadSetup load = usual_load(asked);
                         const double most = goodput(asked, load);
                         load.rate = most > 0 ? kUsualShare * most : 0.5 / request_seconds(asked, load);
                         return serve(asked, load);
                     });
}

template <double LoadReport::*figure>
double load_figure(const Scenario& s, const Report&)
{
    return usual_load_report(s).*figure;
}

// The share of time that prompts take of an engine at that load, were each prefilled alone.
double prefill_share(const Scenario& s, const Report&)
{
    const LoadSetup& load = usual_load_report(s).setup;
    return load.rate / static_cast<double>(load.engines) * serving_report(s, load.engine).prefill.total();
}

LinkBytes gpu_links(const Scenario& s, const Report& r)
{
    return topology(s, r.memory, kMegatronOrder).per_gpu;
}

template <SparseKind kind, double SparseCost::*figure>
double sparse_figure(const Scenario& s, const Report&)
{
    return sparse_cost(s.model, kind, SparseSetup{}, kSparseTokens).*figure;
}

// FLOPs of full attention over those of this.
template <SparseKind kind>
double sparse_reduction(const Scenario& s, const Report& r)
{
    return sparse_figure<SparseKind::full, &SparseCost::flops>(s, r) /
           sparse_figure<kind, &SparseCost::flops>(s, r);
}

// Passes over the same tokens, as the page of repeated data begins.
constexpr double kPasses = 4;

// The variance of ln w, w the importance weight of a whole response.
double response_variance(std::int64_t tokens)
{
    return log_weight_variance(WeightLevel::response, kTokenSpread * kTokenSpread,
                               static_cast<double>(tokens));
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
    // The page on importance weights begins with these: for a mean and for the longest response.
    Metric{"rl.token_spread", "", [](const Scenario&, const Report&) { return kTokenSpread; }},
    Metric{"rl.effective_share", "",
           [](const Scenario&, const Report&)
           { return effective_share(response_variance(RolloutSetup{}.answer)); }},
    Metric{"rl.longest_effective_share", "",
           [](const Scenario&, const Report&)
           { return effective_share(response_variance(RolloutSetup{}.cap)); }},
    Metric{"rl.weight_cap", "", [](const Scenario&, const Report&) { return kWeightCap; }},
    Metric{"rl.capped_share", "",
           [](const Scenario&, const Report&)
           { return capped_share(response_variance(RolloutSetup{}.answer), kWeightCap); }},
    Metric{"rl.capped_mean", "",
           [](const Scenario&, const Report&)
           { return capped_mean(response_variance(RolloutSetup{}.answer), kWeightCap); }},
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
    // A lone engine's prefill; then four engines at 80% of their goodput.
    Metric{"slo.prompt", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(usual_load(s).engine.prompt); }},
    Metric{"slo.answer", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(usual_load(s).engine.output); }},
    Metric{"slo.engines", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(usual_load(s).engines); }},
    Metric{"slo.prefill_s", "s",
           [](const Scenario& s, const Report&)
           { return serving_report(s, usual_load(s).engine).prefill.total(); }},
    Metric{"slo.prefill_share", "", prefill_share},
    Metric{"slo.rate", "1/s",
           [](const Scenario& s, const Report&) { return usual_load_report(s).setup.rate; }},
    Metric{"slo.goodput", "1/s",
           [](const Scenario& s, const Report&) { return usual_load_report(s).setup.rate / kUsualShare; }},
    Metric{"slo.ttft_50_s", "s", load_figure<&LoadReport::ttft_50>},
    Metric{"slo.ttft_90_s", "s", load_figure<&LoadReport::ttft_90>},
    Metric{"slo.tpot_50_s", "s", load_figure<&LoadReport::tpot_50>},
    Metric{"slo.tpot_90_s", "s", load_figure<&LoadReport::tpot_90>},
    Metric{"slo.attained", "", load_figure<&LoadReport::attained>},
    // What a step sends through a GPU's own links.
    Metric{"network.inside_bytes", "B",
           [](const Scenario& s, const Report& r) { return gpu_links(s, r).inside.value; }},
    Metric{"network.nic_bytes", "B",
           [](const Scenario& s, const Report& r) { return gpu_links(s, r).between().value; }},
    Metric{"fabric.ports", "",
           [](const Scenario&, const Report&) { return static_cast<double>(kSwitchPorts); }},
    Metric{"fabric.two_tier_gpus", "",
           [](const Scenario&, const Report&)
           { return static_cast<double>(fabric_size(FabricKind::two_tier, kSwitchPorts, 1).gpus); }},
    Metric{"fabric.three_tier_gpus", "",
           [](const Scenario&, const Report&)
           { return static_cast<double>(fabric_size(FabricKind::three_tier, kSwitchPorts, 1).gpus); }},
    // A new token in one layer, after kSparseTokens.
    Metric{"sparse.tokens", "", [](const Scenario&, const Report&) { return kSparseTokens; }},
    Metric{"sparse.key_flops", "FLOP", [](const Scenario& s, const Report&) { return key_flops(s.model); }},
    Metric{"sparse.indexer_flops", "FLOP",
           [](const Scenario&, const Report&) { return SparseSetup{}.indexer; }},
    Metric{"sparse.picked", "", [](const Scenario&, const Report&) { return SparseSetup{}.picked; }},
    Metric{"sparse.window", "", [](const Scenario&, const Report&) { return SparseSetup{}.window; }},
    Metric{"sparse.window_reduction", "", sparse_reduction<SparseKind::window>},
    Metric{"sparse.indexed_reduction", "", sparse_reduction<SparseKind::indexed>},
    Metric{"sparse.native_reduction", "", sparse_reduction<SparseKind::native>},
    Metric{"sparse.native_keys", "", sparse_figure<SparseKind::native, &SparseCost::keys>},
    Metric{"sparse.compressed_reduction", "", sparse_reduction<SparseKind::compressed>},
    Metric{"sparse.compressed_keys", "", sparse_figure<SparseKind::compressed, &SparseCost::keys>},
    // Data that is seen again, of any size: four passes, and any number.
    Metric{"repeats.passes", "", [](const Scenario&, const Report&) { return kPasses; }},
    Metric{"repeats.worth", "", [](const Scenario&, const Report&) { return effective_tokens(1, kPasses); }},
    Metric{"repeats.limit", "", [](const Scenario&, const Report&) { return effective_tokens(1, 1e9); }},
    Metric{"repeats.next_worth", "",
           [](const Scenario&, const Report&) { return worth_of_next_pass(kPasses); }},
    // From a model of this width that was tuned, to the scenario's.
    Metric{"mup.narrow", "", [](const Scenario&, const Report&) { return kProxyWidth; }},
    Metric{"mup.move", "",
           [](const Scenario& s, const Report&)
           { return output_move(kProxyWidth, static_cast<double>(s.model.hidden), false); }},
    Metric{"mup.hidden_rate", "",
           [](const Scenario& s, const Report&)
           { return mup_scaling(WidthRole::hidden, kProxyWidth, static_cast<double>(s.model.hidden)).rate; }},
    Metric{
        "mup.deviation", "",
        [](const Scenario& s, const Report&) {
            return mup_scaling(WidthRole::hidden, kProxyWidth, static_cast<double>(s.model.hidden)).deviation;
        }},
    Metric{
        "mup.head_multiplier", "",
        [](const Scenario& s, const Report&) {
            return mup_scaling(WidthRole::head, kProxyWidth, static_cast<double>(s.model.hidden)).multiplier;
        }},
    Metric{"mup.proxy_share", "",
           [](const Scenario& s, const Report&)
           { return proxy_flops_share(kProxyWidth, static_cast<double>(s.model.hidden)); }},
    // Newton-Schulz over all matrices in one update, done once; its share of a step's FLOPs in them.
    Metric{"muon.flops", "FLOP", [](const Scenario& s, const Report&) { return muon_cost(s.model).flops; }},
    Metric{"muon.overhead", "",
           [](const Scenario& s, const Report&) { return muon_cost(s.model).overhead(batch_tokens(s)); }},
    // What an update makes of a singular value of a hundredth of the largest.
    Metric{"muon.small_value", "",
           [](const Scenario&, const Report&) { return newton_schulz(0.01, kMuonSteps); }},
    // Without ZeRO: of all ranks, and of the one that receives most.
    Metric{"reshard.moved_bytes", "B",
           [](const Scenario& s, const Report& r)
           { return checkpoint_bytes(s, r, on_half_the_tensor_ranks(s, r).moved); }},
    Metric{"reshard.received_bytes", "B",
           [](const Scenario& s, const Report& r)
           { return checkpoint_bytes(s, r, on_half_the_tensor_ranks(s, r).most_received); }},
    // Per parameter and token, with every layer computed again.
    Metric{"finetune.full_token_flops", "", token_flops<FinetuneRecipe::full>},
    Metric{"finetune.lora_token_flops", "", token_flops<FinetuneRecipe::lora>},
    // A micro-batch takes so long, with its part of an update.
    Metric{"finetune.full_s", "s", micro_batch_seconds<FinetuneRecipe::full>},
    Metric{"finetune.lora_s", "s", micro_batch_seconds<FinetuneRecipe::lora>},
    Metric{"finetune.qlora_s", "s", micro_batch_seconds<FinetuneRecipe::qlora>},
    Metric{
        "finetune.dequantize_s", "s",
        [](const Scenario& s, const Report&)
        { return finetune_time(s, FinetuneRecipe::qlora, finetune_setup(s)).of(FinetunePhase::dequantize); }},
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
