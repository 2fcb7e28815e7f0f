#include "core/reliability/fleet.h"

#include "core/scenario/scenario.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

RunRates rates_of(const FleetPlan& plan, Recovery recovery, double gpus)
{
    const bool near = recovery == Recovery::memory;
    const double rate = (near ? plan.memory_gb_per_s : plan.storage_gb_per_s) * 1e9;
    RunRates r;
    r.between_s = fleet_between(plan, gpus);
    r.save_s = plan.checkpoint / gpus / rate;
    r.load_s = r.save_s;
    r.recover_s = plan.stall_s + r.load_s + (recovery == Recovery::storage ? plan.wait_s : 0);
    r.least_s = plan.step_s;
    r.best_s = std::max(daly_interval(Seconds(r.save_s), Seconds(r.between_s)).value, r.least_s);
    r.interval_s = r.best_s;
    return r;
}

} // namespace

FleetPlan fleet_plan(const Scenario& s, const MemoryReport& memory, Seconds step)
{
    FleetPlan plan;
    const Cluster& c = s.cluster;
    plan.checkpoint = checkpoint_size(s, memory).total().value;
    plan.memory_gb_per_s =
        c.gpu.pcie_gb_per_s > 0 ? std::min(c.gpu.pcie_gb_per_s, c.network_gb_per_s) : c.network_gb_per_s;
    plan.replica_gpus = static_cast<double>(c.gpus) / static_cast<double>(data_parallel(s));
    plan.step_s = step.value;
    plan.gpus_per_node = static_cast<double>(c.gpus_per_node);
    return plan;
}

double fleet_between(const FleetPlan& plan, double gpus)
{
    return plan.gpu_hours * 3600 / gpus;
}

double effective_time(const FleetPlan& plan, Recovery recovery, double gpus)
{
    if (recovery != Recovery::replica)
    {
        return goodput(rates_of(plan, recovery, gpus), RunPlan{.detect_s = 0}).useful();
    }
    const double between = fleet_between(plan, gpus);
    const double replicas = std::max(1.0, gpus / plan.replica_gpus);
    const double out = replicas_hit(replicas, plan.rejoin_s / between) / replicas;
    return std::exp(-plan.replica_stall_s / between) * std::max(0.0, 1 - out);
}

double nodes_away(const FleetPlan& plan, double gpus)
{
    return plan.hardware_share * plan.repair_hours * 3600 / fleet_between(plan, gpus);
}

double poisson_at_most(double mean, std::int64_t most)
{
    double sum = 0;
    for (std::int64_t k = 0; k <= most; ++k)
    {
        const auto n = static_cast<double>(k);
        sum += mean > 0 ? std::exp(n * std::log(mean) - mean - std::lgamma(n + 1)) : (k == 0 ? 1 : 0);
    }
    return std::min(1.0, sum);
}

std::int64_t spares_for(double mean, double probability)
{
    // Far above the mean the sum is 1 to the last digit.
    const auto end = static_cast<std::int64_t>(std::ceil(mean + 12 * std::sqrt(mean) + 24));
    std::int64_t spares = 0;
    while (spares < end && poisson_at_most(mean, spares) < probability)
    {
        ++spares;
    }
    return spares;
}

} // namespace ringside
