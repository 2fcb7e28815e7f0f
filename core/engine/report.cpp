#include "core/engine/report.h"

#include "core/engine/traffic.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostDrawn = 16;

CollectiveReport collective_report(const Scenario& s, const MemoryReport& memory)
{
    CollectiveReport r;
    const CollectiveSettings& asked = s.collective;
    r.ranks = asked.ranks > 0 ? asked.ranks : dense_replicas(s);
    r.drawn_ranks = std::clamp<std::int64_t>(r.ranks, 1, kMostDrawn);
    const Training& t = s.training;
    const double gradients = state_bytes(t).gradient * static_cast<double>(memory.worst().parameters);
    r.message = asked.message_gb > 0 ? Bytes(asked.message_gb * 1e9) : Bytes(gradients);
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
    const Issues issues = validate(scenario);
    if (has_errors(issues))
    {
        return issues;
    }
    // First, because it bounds the stages and micro-batches that the others walk through.
    auto pipeline = pipeline_report(scenario);
    if (!pipeline)
    {
        return pipeline.issues();
    }
    Report report;
    report.pipeline = std::move(*pipeline);
    report.parameters = count_parameters(scenario.model);
    report.memory = memory_report(scenario);
    report.compute = compute_report(scenario);
    report.step = step_time(scenario);
    report.collective = collective_report(scenario, report.memory);
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

// By a rank, in another collective of the same message: by a ring, or straight to everybody.
double sent_in(const Report& r, CollectiveKind kind)
{
    const CollectiveReport& c = r.collective;
    const bool straight = kind == CollectiveKind::all_to_all;
    const CollectiveAlgorithm& algorithm = *find_algorithm(straight ? "naive" : "ring");
    return estimate(kind, algorithm, c.ranks, c.message, {c.link, c.link, c.ranks}).sent_per_rank.value;
}

double run_days(const Scenario& s, const Report& r)
{
    return s.training.tokens / r.step.tokens_per_second() / 86400;
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
    Metric{"memory.buffers_bytes", "B",
           [](const Scenario&, const Report& r) { return part(r, Component::buffers); }},
    Metric{"memory.total_bytes", "B",
           [](const Scenario&, const Report& r) { return r.memory.worst().total().value; }},
    Metric{"memory.states_bytes", "B",
           [](const Scenario&, const Report& r)
           {
               const StageMemory& m = r.memory.worst();
               return (m.total() - m.of(Component::activations) - m.of(Component::buffers)).value;
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
    Metric{"step.hfu", "", [](const Scenario&, const Report& r) { return r.step.hfu(); }},
    Metric{"step.tokens_per_s", "1/s",
           [](const Scenario&, const Report& r) { return r.step.tokens_per_second(); }},
    Metric{"run.days", "d", [](const Scenario& s, const Report& r) { return run_days(s, r); }},
    Metric{"run.cost_usd", "USD",
           [](const Scenario& s, const Report& r) {
               return run_days(s, r) * 24 * static_cast<double>(s.cluster.gpus) * s.cluster.usd_per_gpu_hour;
           }},
    Metric{"step.bubble_over_ideal", "",
           [](const Scenario&, const Report& r) { return r.pipeline.timeline.bubble_over_ideal(); }},
    Metric{"step.bubble_of_total", "",
           [](const Scenario&, const Report& r) { return r.pipeline.timeline.bubble_of_total(); }},
    Metric{"pipeline.units", "",
           [](const Scenario&, const Report& r) { return r.pipeline.timeline.makespan; }},
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
           { return static_cast<double>(tensor_all_reduces(s, false)) * (forward_passes(s) + 1); }},
    Metric{"traffic.pipeline_message_bytes", "B",
           [](const Scenario& s, const Report&) { return pipeline_message(s).value; }},
    Metric{"collective.ranks", "",
           [](const Scenario&, const Report& r) { return static_cast<double>(r.collective.ranks); }},
    Metric{"collective.steps", "",
           [](const Scenario&, const Report& r)
           { return 2.0 * static_cast<double>(std::max<std::int64_t>(0, r.collective.ranks - 1)); }},
    Metric{"collective.message_bytes", "B",
           [](const Scenario&, const Report& r) { return r.collective.message.value; }},
    Metric{"collective.reduce_scatter_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::reduce_scatter); }},
    Metric{"collective.all_gather_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::all_gather); }},
    Metric{"collective.all_to_all_bytes", "B",
           [](const Scenario&, const Report& r) { return sent_in(r, CollectiveKind::all_to_all); }},
    Metric{"collective.latency_s", "s",
           [](const Scenario&, const Report& r) { return r.collective.cost.latency.value; }},
    Metric{"collective.sent_bytes", "B",
           [](const Scenario&, const Report& r) { return r.collective.cost.sent_per_rank.value; }},
    Metric{"collective.time_s", "s",
           [](const Scenario&, const Report& r) { return r.collective.cost.total().value; }},
};

} // namespace

std::span<const Metric> metrics()
{
    return kMetrics;
}

const Metric* find_metric(std::string_view name)
{
    const auto found =
        std::find_if(kMetrics.begin(), kMetrics.end(), [name](const Metric& m) { return m.name == name; });
    return found == kMetrics.end() ? nullptr : &*found;
}

} // namespace ringside
