// One file, since the metrics are one table, and the report they read is made above it.
#include "core/evaluate/report.h"

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"
#include "core/base/whole.h"
#include "core/evaluate/serving_figures.h"
#include "core/memory/context_length.h"
#include "core/model/stages.h"
#include "core/network/collective/cost.h"
#include "core/network/traffic.h"
#include "core/parallelism/context/plan.h"
#include "core/parallelism/experts/plan.h"
#include "core/parallelism/tensor/plan.h"
#include "core/performance/roofline.h"
#include "core/reliability/goodput.h"
#include "core/reliability/straggler.h"
#include "core/scaling/law.h"
#include "core/scenario/validate.h"
#include "core/serving/alignment.h"
#include "core/serving/finetune.h"
#include "core/serving/serving.h"
#include "core/training/data_feed/feed.h"
#include "core/training/data_feed/funnel.h"
#include "core/training/number_format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostDrawn = 16;

// The first product of the MLP on the scenario's micro-batch.
ProductDetail mlp_product(const Scenario& s)
{
    const auto points = training_points(s);
    const LayerKernel& mlp = first_mlp_product(points).what;
    return product_detail(Device(s), mlp.product, mlp.peak, mlp.operand);
}

// Rows from which on a decoding step's MLP product is bound by compute; 0 where no number of rows is enough.
double decode_turn(const Scenario& s)
{
    const auto points = decode_points(s, 1, 1);
    const Product& p = first_mlp_product(points).what.product;
    const Roofs roofs = roofs_of(s);
    return rows_at_intensity(roofs.ridge_of(roofs.half_peak), p.cols, p.inner, 2).value_or(0);
}

CollectiveReport collective_report(const Scenario& s, const MemoryReport& memory)
{
    CollectiveReport r;
    const CollectiveSettings& asked = s.collective;
    r.ranks = asked.ranks > 0 ? asked.ranks : dense_replicas(s);
    r.drawn_ranks = std::clamp<std::int64_t>(r.ranks, 1, kMostDrawn);
    const Training& t = s.training;
    const double gradients = state_bytes(t).gradient * static_cast<double>(memory.worst().parameters);
    r.message = whole_bytes(asked.message_gb > 0 ? asked.message_gb * 1e9 : gradients);
    // Ranks of one replica sit together, so the group fits a node only if all of it does.
    r.crosses_nodes = r.ranks * s.parallel.tensor > s.cluster.gpus_per_node;
    r.link = {Seconds(asked.latency_us * 1e-6),
              BytesPerSecond((r.crosses_nodes ? s.cluster.network_gb_per_s : node_link(s.cluster)) * 1e9)};
    r.steps = ring_all_reduce(r.drawn_ranks);
    r.cost = ring_all_reduce_cost(r.ranks, r.message, r.link);
    return r;
}

double part(const Report& r, Component component)
{
    return r.memory.worst().of(component).value;
}

} // namespace

Result<Report> evaluate(const Scenario& scenario)
{
    Issues issues = validate(scenario);
    return has_errors(issues) ? Result<Report>(std::move(issues)) : evaluate_valid(scenario);
}

Result<Report> evaluate_valid(const Scenario& scenario)
{
    // First, because it bounds the stages and micro-batches that the others walk through.
    auto pipeline = pipeline_report(scenario);
    if (!pipeline)
    {
        return pipeline.issues();
    }
    Report report;
    report.pipeline = std::make_shared<const PipelineReport>(std::move(*pipeline));
    report.parameters = count_parameters(scenario.model);
    report.memory = memory_report(scenario);
    constexpr double kMostBytes = 9007199254740992.0; // 2^53: whole bytes are exact up to here
    if (const Bytes total = report.memory.worst().total(); total.value >= kMostBytes)
    {
        return Issue{"training.micro_batch",
                     format_bytes(total) + " on one GPU, more than can be counted to the byte",
                     "use a smaller micro-batch or a shorter sequence_length"};
    }
    report.compute = compute_report(scenario);
    report.step = step_time(scenario);
    report.collective = std::make_shared<const CollectiveReport>(collective_report(scenario, report.memory));
    if (scenario.serving && scenario.serving->traffic.arrivals() != Arrivals::trace)
    {
        report.serving = std::make_shared<const ServingFigures>(serving_figures(scenario));
    }
    return report;
}

namespace
{

// Micro-batches that the stage with the most of them keeps.
double most_in_flight(const Report& r)
{
    double most = 0;
    for (const StageMemory& stage : r.memory.stages)
    {
        most = std::max(most, static_cast<double>(stage.in_flight));
    }
    return most;
}

// By a rank, in another collective of the same message: by a ring, or straight to every rank.
double sent_in(const Report& r, CollectiveKind kind)
{
    const CollectiveReport& c = *r.collective;
    const bool straight = kind == CollectiveKind::all_to_all;
    const CollectiveAlgorithm& algorithm = *find_algorithm(straight ? "naive" : "ring");
    const CollectiveCost cost = estimate(kind, algorithm, c.ranks, c.message, {c.link, c.link, c.ranks});
    return whole_bytes(cost.sent_per_rank.value).value;
}

double run_days(const Scenario& s, const Report& r)
{
    return s.training.tokens / r.step.tokens_per_second() / 86400;
}

// The loss of the scenario's model and tokens, by the fit that agrees with the other approaches.
double fitted_loss(const Scenario& s, const Report& r)
{
    return loss(loss_fit(FitKind::refit), static_cast<double>(r.parameters.active), s.training.tokens);
}

// Where the same compute would be best spent.
ComputeOptimum best_split(const Scenario& s, const Report& r)
{
    return optimum(loss_fit(FitKind::refit),
                   training_flops(static_cast<double>(r.parameters.active), s.training.tokens));
}

// Nothing for a dense model, whose plan is only supposed.
double of_experts(const Scenario& s, double value)
{
    return s.model.experts == 0 ? 0 : value;
}

// `value` where the sequence is cut over a context group, else 0.
double of_context(const Scenario& s, double value)
{
    return s.parallel.context == 1 ? 0 : value;
}

// With so many requests at once; 0: as many as the setup has.
ServingReport served(const Scenario& s, std::int64_t batch = 0)
{
    ServingSetup setup = serving_setup(s);
    setup.batch = batch > 0 ? batch : setup.batch;
    return serving_report(s, setup);
}

// Rank 16 on all linear layers, one GPU.
FinetuneReport tuned(const Scenario& s, FinetuneRecipe recipe)
{
    return finetune_report(s, recipe, finetune_setup(s));
}

// Everything trained, critics as large as the policy, 64 answers of 1024 tokens.
template <AlignmentRecipe recipe>
double aligned(const Scenario& s, const Report&)
{
    return alignment_report(s, recipe, {}).total().value;
}

// The rates of a run that fails as often as Llama 3's and saves to shared storage, each GPU's share of it
// alike.
RunRates usual_rates(const Scenario& s, const Report& r)
{
    return run_rates(s, checkpoint_size(s, r.memory), Seconds(r.step.total()), RunPlan{});
}

double usual_goodput(const Scenario& s, const Report& r)
{
    return goodput(usual_rates(s, r), RunPlan{}).useful();
}

// With all that goes wrong on the way; a run that never gets anywhere takes no time that could be said.
double wall_days(const Scenario& s, const Report& r)
{
    const double useful = usual_goodput(s, r);
    return useful > 0 ? run_days(s, r) / useful : 0;
}

// Workers that one reader needs; its storage is no limit.
double loader_workers(const Scenario& s, const Report& r, DataKind kind)
{
    FeedPlan plan;
    plan.kind = kind;
    BatchCost cost = batch_cost(s, plan);
    cost.read_s = 0;
    return static_cast<double>(*workers_needed(feed_need(s, Seconds(r.step.total())), cost));
}

// The run over what DCLM-Baseline's filters leave.
Funnel filtered(const Scenario& s)
{
    return run_funnel(*find_recipe("dclm"), {}, s.training.tokens);
}

double step_tokens(const Scenario& s)
{
    return static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
}

// What the scenario's products read.
const NumberFormat& read_format(const Scenario& s)
{
    return number_format(product_format(s.training.precision));
}

} // namespace

Band step_band(const Scenario& scenario, const Report& report)
{
    return step_band(scenario, report.step.total());
}

namespace
{

double run_usd(const Scenario& s, const Report& r)
{
    return run_days(s, r) * 24 * static_cast<double>(s.cluster.gpus) * s.cluster.usd_per_gpu_hour;
}

// An end of a band: what `of` gives, times the band's factor.
template <auto of, auto end>
double at_end(const Scenario& s, const Report& r)
{
    return of(s, r) * (step_band(s, r).*end);
}

template <auto end>
double memory_at_end(const Scenario&, const Report& r)
{
    return std::round(r.memory.worst().total().value * (r.memory.*end));
}

double computed_step(const Scenario&, const Report& r)
{
    return r.step.total();
}

constexpr std::array kMetrics{
    Metric{"model.parameters", "",
           [](const Scenario&, const Report& r) { return static_cast<double>(r.parameters.total); }},
    Metric{"model.active_parameters", "",
           [](const Scenario&, const Report& r) { return static_cast<double>(r.parameters.active); }},
    Metric{"memory.weights_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::weights); }},
    Metric{"memory.gradients_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::gradients); }},
    Metric{"memory.momentum_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::momentum); }},
    Metric{"memory.variance_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::variance); }},
    Metric{"memory.master_weights_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::master_weights); }},
    Metric{"memory.activations_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::activations); }},
    Metric{"memory.largest_layer_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().layer_bytes.value; }},
    Metric{"memory.buffers_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::buffers); }},
    Metric{"memory.reserve_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().buffers.reserve.value; }},
    Metric{"memory.total_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().total().value; }},
    Metric{"memory.card_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().total().value; }},
    Metric{"memory.allocated_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.most_allocated().allocated().value; }},
    Metric{"memory.last_stage_allocated_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.stages.back().allocated().value; }},
    Metric{"memory.card_low_bytes", "B", memory_at_end<&MemoryReport::low>},
    Metric{"memory.card_high_bytes", "B", memory_at_end<&MemoryReport::high>},
    Metric{"memory.states_bytes", "B",
           [](const Scenario&, const Report& r)
           {
               double sum = 0;
               for (const Component c : {Component::weights, Component::gradients, Component::master_weights,
                                         Component::momentum, Component::variance})
               {
                   sum += part(r, c);
               }
               return sum;
           }},
    Metric{"memory.capacity_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.capacity.value; }},
    Metric{"memory.fits", "", [](const Scenario&, const Report& r) { return r.memory.fits() ? 1.0 : 0.0; }},
    Metric{"memory.host_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().host_bytes.value; }},
    Metric{"memory.nvme_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().nvme_bytes.value; }},
    Metric{"parallel.data", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(data_parallel(s)); }},
    Metric{"parallel.micro_batches", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(micro_batches(s)); }},
    Metric{"flops.step", "FLOP", [](const Scenario&, const Report& r) { return r.compute.model_step.value; }},
    Metric{"flops.hardware_step", "FLOP",
           [](const Scenario&, const Report& r) { return r.compute.hardware_step.value; }},
    Metric{"step.time_s", "s", [](const Scenario&, const Report& r) { return r.step.total(); }},
    Metric{"step.time_low_s", "s", at_end<computed_step, &Band::low>},
    Metric{"step.time_high_s", "s", at_end<computed_step, &Band::high>},
    Metric{"step.compute_s", "s", [](const Scenario&, const Report& r) { return r.step.compute; }},
    Metric{"step.bubble_s", "s", [](const Scenario&, const Report& r) { return r.step.bubble; }},
    Metric{"step.tensor_comm_s", "s", [](const Scenario&, const Report& r) { return r.step.tensor_comm; }},
    Metric{"step.context_comm_s", "s", [](const Scenario&, const Report& r) { return r.step.context_comm; }},
    Metric{"step.expert_comm_s", "s", [](const Scenario&, const Report& r) { return r.step.expert_comm; }},
    Metric{"step.pipeline_comm_s", "s",
           [](const Scenario&, const Report& r) { return r.step.pipeline_comm; }},
    Metric{"step.data_comm_s", "s", [](const Scenario&, const Report& r) { return r.step.data_comm; }},
    Metric{"step.data_comm_exposed_s", "s",
           [](const Scenario&, const Report& r) { return r.step.data_exposed; }},
    Metric{"step.optimizer_s", "s", [](const Scenario&, const Report& r) { return r.step.optimizer; }},
    Metric{"step.mfu", "", [](const Scenario&, const Report& r) { return r.step.mfu(); }},
    Metric{"step.mfu_low", "",
           [](const Scenario& s, const Report& r) { return r.step.mfu() / step_band(s, r).high; }},
    Metric{"step.mfu_high", "",
           [](const Scenario& s, const Report& r) { return r.step.mfu() / step_band(s, r).low; }},
    Metric{"step.hfu", "", [](const Scenario&, const Report& r) { return r.step.hfu(); }},
    Metric{"step.tokens_per_s", "1/s",
           [](const Scenario&, const Report& r) { return r.step.tokens_per_second(); }},
    Metric{"run.days", "d", run_days},
    Metric{"run.days_low", "d", at_end<run_days, &Band::low>},
    Metric{"run.days_high", "d", at_end<run_days, &Band::high>},
    Metric{"run.cost_usd", "USD", run_usd},
    Metric{"run.cost_low_usd", "USD", at_end<run_usd, &Band::low>},
    Metric{"run.cost_high_usd", "USD", at_end<run_usd, &Band::high>},
    Metric{"context.crossover_tokens", "",
           [](const Scenario& s, const Report&) { return crossover_tokens(context_flops(s), Mask::full); }},
    Metric{"context.scores_share", "",
           [](const Scenario& s, const Report&) {
               return scores_share(context_flops(s), static_cast<double>(s.training.sequence_length),
                                   Mask::full);
           }},
    Metric{"context.doubling_factor", "",
           [](const Scenario& s, const Report&) {
               return doubling_factor(context_flops(s), static_cast<double>(s.training.sequence_length),
                                      Mask::full);
           }},
    Metric{"scaling.flops", "FLOP",
           [](const Scenario& s, const Report& r)
           { return training_flops(static_cast<double>(r.parameters.active), s.training.tokens); }},
    Metric{"scaling.tokens_per_parameter", "",
           [](const Scenario& s, const Report& r)
           { return s.training.tokens / static_cast<double>(r.parameters.active); }},
    Metric{"scaling.loss", "", fitted_loss},
    Metric{"scaling.best_loss", "",
           [](const Scenario& s, const Report& r)
           {
               const ComputeOptimum best = best_split(s, r);
               return loss(loss_fit(FitKind::refit), best.parameters, best.tokens);
           }},
    Metric{"scaling.best_parameters", "",
           [](const Scenario& s, const Report& r) { return best_split(s, r).parameters; }},
    // Healthy ranks that differ by the usual percent.
    Metric{"step.straggler_loss", "",
           [](const Scenario& s, const Report& r)
           {
               RankTimes ranks;
               ranks.ranks = s.cluster.gpus;
               ranks.mean = r.step.total();
               return straggler_loss(ranks);
           }},
    Metric{"run.goodput", "", usual_goodput},
    Metric{"run.wall_days", "d", wall_days},
    Metric{"run.mtbf_s", "s", [](const Scenario& s, const Report& r) { return usual_rates(s, r).between_s; }},
    Metric{"run.interval_s", "s",
           [](const Scenario& s, const Report& r) { return usual_rates(s, r).best_s; }},
    Metric{"run.failures", "",
           [](const Scenario& s, const Report& r)
           { return wall_days(s, r) * 86400 / usual_rates(s, r).between_s; }},
    Metric{"checkpoint.bytes", "B",
           [](const Scenario& s, const Report& r) { return checkpoint_size(s, r.memory).total().value; }},
    Metric{"checkpoint.writers", "",
           [](const Scenario& s, const Report& r)
           { return static_cast<double>(checkpoint_size(s, r.memory).writers); }},
    Metric{"checkpoint.largest_bytes", "B",
           [](const Scenario& s, const Report& r) { return checkpoint_size(s, r.memory).largest.value; }},
    Metric{"checkpoint.save_s", "s",
           [](const Scenario& s, const Report& r) { return usual_rates(s, r).save_s; }},
    Metric{"data.samples_per_s", "1/s",
           [](const Scenario& s, const Report& r)
           { return feed_need(s, Seconds(r.step.total())).samples_per_s; }},
    Metric{"data.reader_samples_per_s", "1/s",
           [](const Scenario& s, const Report& r)
           { return feed_need(s, Seconds(r.step.total())).reader_samples_per_s(); }},
    Metric{"data.read_bytes_per_s", "B/s",
           [](const Scenario& s, const Report& r)
           { return data_set(s, Seconds(r.step.total())).read_bytes_per_s; }},
    Metric{"data.token_bytes", "B",
           [](const Scenario& s, const Report&) { return token_width(s.model.vocab); }},
    Metric{"data.set_bytes", "B",
           [](const Scenario& s, const Report& r) { return data_set(s, Seconds(r.step.total())).bytes; }},
    Metric{"data.text_workers", "",
           [](const Scenario& s, const Report& r) { return loader_workers(s, r, DataKind::text); }},
    Metric{"data.picture_workers", "",
           [](const Scenario& s, const Report& r) { return loader_workers(s, r, DataKind::pictures); }},
    Metric{"data.passes", "", [](const Scenario& s, const Report&) { return filtered(s).passes; }},
    Metric{"data.worth", "", [](const Scenario& s, const Report&) { return filtered(s).worth; }},
    // Bubbles of the step's seconds. Those of the schedule, in the units of stage_times, are the pipeline's.
    Metric{"step.bubble_over_ideal", "",
           [](const Scenario&, const Report& r) { return r.step.bubble / (r.step.total() - r.step.bubble); }},
    Metric{"step.bubble_of_total", "",
           [](const Scenario&, const Report& r) { return r.step.bubble / r.step.total(); }},
    Metric{"pipeline.bubble_over_ideal", "",
           [](const Scenario&, const Report& r) { return r.pipeline->timeline.bubble_over_ideal(); }},
    Metric{"pipeline.bubble_of_total", "",
           [](const Scenario&, const Report& r) { return r.pipeline->timeline.bubble_of_total(); }},
    Metric{"pipeline.units", "",
           [](const Scenario&, const Report& r) { return r.pipeline->timeline.makespan; }},
    Metric{"pipeline.peak_in_flight", "", [](const Scenario&, const Report& r) { return most_in_flight(r); }},
    Metric{"traffic.data_bytes", "B",
           [](const Scenario& s, const Report& r) { return data_traffic(s, r.memory).value; }},
    Metric{"traffic.data_passes", "",
           [](const Scenario& s, const Report&) { return trips(s).gradients + trips(s).weights; }},
    Metric{"traffic.tensor_bytes", "B",
           [](const Scenario& s, const Report&) { return tensor_traffic(s).value; }},
    Metric{"traffic.tensor_message_bytes", "B",
           [](const Scenario& s, const Report&) { return tensor_message(s).value; }},
    Metric{"traffic.tensor_all_reduces", "",
           [](const Scenario& s, const Report&)
           { return static_cast<double>(tensor_all_reduces(s, false)) * tensor_passes(s); }},
    Metric{"expert.message_bytes", "B",
           [](const Scenario& s, const Report&) { return of_experts(s, expert_plan(s).message.value); }},
    Metric{"expert.sent_bytes", "B",
           [](const Scenario& s, const Report&) { return of_experts(s, expert_plan(s).sent.value); }},
    Metric{"expert.all_to_alls", "",
           [](const Scenario& s, const Report&)
           { return of_experts(s, static_cast<double>(expert_plan(s).passes)); }},
    Metric{"expert.copies", "",
           [](const Scenario& s, const Report&)
           { return of_experts(s, static_cast<double>(expert_plan(s).copies)); }},
    Metric{"expert.parameters", "",
           [](const Scenario& s, const Report&) { return of_experts(s, expert_plan(s).parameters); }},
    Metric{"traffic.expert_bytes", "B",
           [](const Scenario& s, const Report&) { return expert_traffic(s).value; }},
    Metric{"context.hop_bytes", "B",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).message.value); }},
    Metric{"context.ring_bytes", "B",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).ring.value); }},
    Metric{"context.exchange_bytes", "B",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).exchange.value); }},
    Metric{"context.least_tokens", "",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).least_tokens); }},
    Metric{"context.hop_s", "s",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).hop_s()); }},
    Metric{"context.tile_s", "s",
           [](const Scenario& s, const Report&) { return of_context(s, context_plan(s).tile_s()); }},
    Metric{"traffic.context_bytes", "B",
           [](const Scenario& s, const Report&) { return context_traffic(s).value; }},
    Metric{"tensor.sent_bytes", "B",
           [](const Scenario& s, const Report&)
           { return s.parallel.tensor == 1 ? 0 : tensor_plan(s).sent.value; }},
    Metric{"tensor.heads", "",
           [](const Scenario& s, const Report&)
           { return static_cast<double>(s.parallel.tensor == 1 ? s.model.heads : tensor_plan(s).heads); }},
    Metric{"tensor.kv_copies", "",
           [](const Scenario& s, const Report&)
           { return s.parallel.tensor == 1 ? 1 : static_cast<double>(tensor_plan(s).kv_copies); }},
    Metric{"traffic.pipeline_message_bytes", "B",
           [](const Scenario& s, const Report&) { return pipeline_message(s).value; }},
    Metric{"collective.ranks", "",
           [](const Scenario&, const Report& r) { return static_cast<double>(r.collective->ranks); }},
    Metric{"collective.steps", "",
           [](const Scenario&, const Report& r)
           { return 2.0 * static_cast<double>(std::max<std::int64_t>(0, r.collective->ranks - 1)); }},
    Metric{"collective.message_bytes", "B",
           [](const Scenario&, const Report& r) { return r.collective->message.value; }},
    Metric{"collective.reduce_scatter_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::reduce_scatter); }},
    Metric{"collective.all_gather_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::all_gather); }},
    Metric{"collective.all_to_all_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::all_to_all); }},
    Metric{"collective.latency_s", "s",
           [](const Scenario&, const Report& r) { return r.collective->cost.latency.value; }},
    Metric{"collective.sent_bytes", "B",
           [](const Scenario&, const Report& r) { return r.collective->cost.sent_per_rank.value; }},
    Metric{"collective.time_s", "s",
           [](const Scenario&, const Report& r) { return r.collective->cost.total().value; }},
    Metric{"alignment.sft_bytes", "B", aligned<AlignmentRecipe::sft>},
    Metric{"alignment.ppo_bytes", "B", aligned<AlignmentRecipe::ppo>},
    Metric{"alignment.ppo_models_bytes", "B",
           [](const Scenario& s, const Report&)
           {
               const AlignmentReport r = alignment_report(s, AlignmentRecipe::ppo, {});
               return (r.total() - r.cache).value;
           }},
    Metric{"alignment.grpo_bytes", "B", aligned<AlignmentRecipe::grpo>},
    Metric{"alignment.dpo_bytes", "B", aligned<AlignmentRecipe::dpo>},
    Metric{"alignment.cache_bytes", "B",
           [](const Scenario& s, const Report&)
           { return alignment_report(s, AlignmentRecipe::ppo, {}).cache.value; }},
    Metric{"finetune.lora_parameters", "",
           [](const Scenario& s, const Report&)
           { return static_cast<double>(tuned(s, FinetuneRecipe::lora).trained); }},
    Metric{"finetune.lora_share", "",
           [](const Scenario& s, const Report&) { return tuned(s, FinetuneRecipe::lora).share(); }},
    Metric{"finetune.full_bytes", "B",
           [](const Scenario& s, const Report&) { return tuned(s, FinetuneRecipe::full).total().value; }},
    Metric{"finetune.lora_bytes", "B",
           [](const Scenario& s, const Report&) { return tuned(s, FinetuneRecipe::lora).total().value; }},
    Metric{"finetune.qlora_bytes", "B",
           [](const Scenario& s, const Report&) { return tuned(s, FinetuneRecipe::qlora).total().value; }},
    Metric{"finetune.adapter_state_bytes", "B",
           [](const Scenario& s, const Report&)
           {
               const FinetuneReport r = tuned(s, FinetuneRecipe::lora);
               return (r.of(FinetunePart::adapters) + r.of(FinetunePart::gradients) +
                       r.of(FinetunePart::optimizer))
                   .value;
           }},
    Metric{"finetune.nf4_base_bytes", "B",
           [](const Scenario& s, const Report&)
           {
               const FinetuneReport r = tuned(s, FinetuneRecipe::qlora);
               return (r.of(FinetunePart::base) + r.of(FinetunePart::scales)).value;
           }},
    Metric{"finetune.activations_bytes", "B",
           [](const Scenario& s, const Report&)
           { return tuned(s, FinetuneRecipe::lora).of(FinetunePart::activations).value; }},
    Metric{"serving.prompt", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(serving_setup(s).prompt); }},
    Metric{"serving.answer", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(serving_setup(s).output); }},
    Metric{"serving.weights_bytes", "B",
           [](const Scenario& s, const Report&) { return served(s).weights.value; }},
    Metric{"serving.capacity_bytes", "B",
           [](const Scenario& s, const Report&) { return served(s).capacity.value; }},
    Metric{"serving.token_bytes", "B",
           [](const Scenario& s, const Report&) { return served(s).model_token.value; }},
    Metric{"serving.gpu_token_bytes", "B",
           [](const Scenario& s, const Report&) { return served(s).token.value; }},
    Metric{"serving.request_bytes", "B",
           [](const Scenario& s, const Report&) { return served(s).sequence.value; }},
    Metric{"serving.most_requests", "",
           [](const Scenario& s, const Report&) { return static_cast<double>(served(s).most); }},
    Metric{"serving.step_alone_s", "s",
           [](const Scenario& s, const Report&) { return served(s, 1).decode.total(); }},
    Metric{"serving.step_s", "s", [](const Scenario& s, const Report&) { return served(s).decode.total(); }},
    Metric{"serving.first_token_s", "s",
           [](const Scenario& s, const Report&) { return served(s).first_token(); }},
    Metric{"serving.tokens_per_s", "1/s",
           [](const Scenario& s, const Report&) { return served(s).tokens_per_second(); }},
    Metric{"serving.balance", "", [](const Scenario& s, const Report&) { return served(s).balance; }},
    Metric{"roofline.ridge", "FLOP/B", [](const Scenario& s, const Report&) { return roofs_of(s).ridge(); }},
    Metric{"roofline.memory_bound_share", "",
           [](const Scenario& s, const Report&)
           { return memory_bound_share(roofs_of(s), training_points(s)); }},
    Metric{"roofline.mlp_intensity", "FLOP/B",
           [](const Scenario& s, const Report&) { return mlp_product(s).intensity(); }},
    Metric{"roofline.mlp_tiles", "",
           [](const Scenario& s, const Report&) { return mlp_product(s).tiling.tiles; }},
    Metric{"roofline.mlp_waves", "",
           [](const Scenario& s, const Report&) { return mlp_product(s).tiling.waves; }},
    Metric{"roofline.mlp_wave_use", "",
           [](const Scenario& s, const Report&) { return mlp_product(s).wave_use; }},
    Metric{"roofline.mlp_of_peak", "",
           [](const Scenario& s, const Report&) { return mlp_product(s).of_peak(); }},
    Metric{"roofline.decode_intensity", "FLOP/B",
           [](const Scenario& s, const Report&)
           { return first_mlp_product(decode_points(s, 1, 1)).intensity(); }},
    Metric{"roofline.decode_turn", "", [](const Scenario& s, const Report&) { return decode_turn(s); }},
    Metric{"batch.tokens", "", [](const Scenario& s, const Report&) { return step_tokens(s); }},
    Metric{"run.steps", "",
           [](const Scenario& s, const Report&) { return std::ceil(s.training.tokens / step_tokens(s)); }},
    Metric{"format.largest", "", [](const Scenario& s, const Report&) { return largest(read_format(s)); }},
    Metric{"format.smallest_normal", "",
           [](const Scenario& s, const Report&) { return smallest_normal(read_format(s)); }},
    Metric{"format.smallest", "",
           [](const Scenario& s, const Report&) { return smallest_subnormal(read_format(s)); }},
    Metric{"format.epsilon", "", [](const Scenario& s, const Report&) { return epsilon(read_format(s)); }},
};

} // namespace

std::span<const Metric> metrics()
{
    return kMetrics;
}

const Metric* find_metric(std::string_view name)
{
    return find_by(kMetrics, name, &Metric::name);
}

} // namespace ringside
