#include "core/reliability/goodput.h"

#include "core/base/ranges.h"
#include "core/scenario/scenario.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

// Seconds for `bytes` at `rate` GB/s; a rate of 0 is none that anybody stated, and takes no time.
double seconds(Bytes bytes, double rate)
{
    return rate > 0 ? bytes.value / (rate * 1e9) : 0;
}

struct SaveTimes
{
    double host = 0;  // copy to host memory
    double write = 0; // all of it, until it is safe
    double read = 0;
};

SaveTimes save_times(const Scenario& s, const CheckpointSize& size, const RunPlan& plan)
{
    const Cluster& c = s.cluster;
    const double pcie = c.gpu.pcie_gb_per_s > 0 ? c.gpu.pcie_gb_per_s : c.network_gb_per_s;
    const double host = seconds(size.largest, pcie);
    const double neighbour = seconds(size.largest, c.network_gb_per_s);
    if (plan.tier == CheckpointTier::storage)
    {
        const double all =
            std::max(seconds(size.total(), plan.storage_gb_per_s * static_cast<double>(c.gpus)), neighbour);
        return {host, std::max(all, host), std::max(all, host)};
    }
    if (plan.tier == CheckpointTier::disks)
    {
        const double disk = std::max(seconds(size.largest, c.nvme_gb_per_s), host);
        return {host, disk + neighbour, disk};
    }
    return {host, host + neighbour, host};
}

// Enough that the nodes in repair exceed them about once in a thousand moments.
std::int64_t enough_spares(double away)
{
    return static_cast<std::int64_t>(std::ceil(away + 3 * std::sqrt(away)));
}

// Mean of f(k) for k Poisson distributed around `mean`; f must level off above `mean` + 12 deviations.
template <class F>
double poisson_mean(double mean, F&& f)
{
    const double deviation = std::sqrt(mean);
    const double from = std::max(0.0, std::floor(mean - 8 * deviation));
    const double to = std::ceil(mean + 8 * deviation + 16);
    // Steps of one as long as there are few enough, else of an equal share.
    const double step = std::max(1.0, std::floor((to - from) / 4096));
    double weight = 0;
    double sum = 0;
    for (double k = from; k <= to; k += step)
    {
        const double w =
            mean > 0 ? std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)) : (k == 0 ? 1 : 0);
        weight += w;
        sum += w * f(k);
    }
    return weight > 0 ? sum / weight : f(mean);
}

// To a grid of 2^-40, so that shares add up exactly.
double rounded(double share)
{
    return std::isfinite(share)
               ? std::round(std::ldexp(std::clamp(share, 0.0, 1.0), 40)) * std::ldexp(1.0, -40)
               : 0;
}

} // namespace

RunRates run_rates(const Scenario& s, const CheckpointSize& size, Seconds step, const RunPlan& plan)
{
    RunRates r;
    const auto gpus = static_cast<double>(s.cluster.gpus);
    r.between_s = plan.gpu_hours * 3600 / gpus;
    const SaveTimes times = save_times(s, size, plan);
    r.save_s = plan.asynchronous ? times.host : times.write;
    r.lag_s = plan.asynchronous ? times.write - times.host : 0;
    r.load_s = times.read;
    r.recover_s = plan.detect_s + plan.restart_s + r.load_s;
    r.least_s = std::max(step.value, r.lag_s - r.save_s);
    r.young_s = young_interval(Seconds(r.save_s), Seconds(r.between_s)).value;
    r.best_s = std::max(daly_interval(Seconds(r.save_s), Seconds(r.between_s)).value, r.least_s);
    r.interval_s = plan.interval_s > 0 ? std::max(plan.interval_s, r.least_s) : r.best_s;
    r.stretched = plan.interval_s > 0 && plan.interval_s < r.least_s;
    r.nodes = std::max(1.0, gpus / static_cast<double>(s.cluster.gpus_per_node));
    r.replicas = static_cast<double>(data_parallel(s));
    r.away = plan.hardware_share / r.between_s * plan.repair_hours * 3600;
    r.spares = plan.spares >= 0 ? plan.spares : enough_spares(r.away);
    return r;
}

double working_share(const RunRates& r, const RunPlan& plan, double away)
{
    const double short_of = away - static_cast<double>(r.spares);
    if (short_of <= 0)
    {
        return 1;
    }
    if (!plan.elastic)
    {
        return 0;
    }
    const double in_a_node = r.replicas / r.nodes;
    const double hit = in_a_node >= 1 ? short_of * in_a_node : replicas_hit(r.replicas, short_of);
    return std::max(0.0, 1 - hit / r.replicas);
}

Goodput goodput(const RunRates& r, const RunPlan& plan)
{
    const double m = r.between_s;
    const double runs = std::exp(-r.recover_s / m); // share of the time in which it runs at all
    const double detect = std::min(plan.detect_s, r.recover_s);
    const double segment = m * std::expm1((r.interval_s + r.save_s) / m) * std::exp(r.lag_s / m);
    const double kept = runs / segment;
    const double works = poisson_mean(r.away, [&](double k) { return working_share(r, plan, k); });
    // Waiting stops everything; being short of GPUs only makes useful time worth less.
    const double up = plan.elastic ? 1 : works;
    Goodput g;
    const auto set = [&](RunPart part, double share)
    { g.share[static_cast<std::size_t>(part)] = rounded(share); };
    set(RunPart::useful, kept * r.interval_s * works);
    set(RunPart::saving, kept * r.save_s * up);
    set(RunPart::detect, -std::expm1(-detect / m) * up);
    set(RunPart::restart, (std::exp(-detect / m) - runs) * up);
    set(RunPart::missing, plan.elastic ? kept * r.interval_s * (1 - works) : 1 - works);
    const double sum = sum_over(g.share);
    // Roundings of the others may leave a few 2^-40 too few.
    double& lost = g.share[static_cast<std::size_t>(RunPart::lost)];
    lost = 1 - sum;
    if (lost < 0)
    {
        *std::ranges::max_element(g.share) += lost;
        lost = 0;
    }
    assert(sum_over(g.share) == 1 && std::ranges::min(g.share) >= 0); // the parts are all of the time
    return g;
}

Goodput goodput_at(RunRates rates, const RunPlan& plan, double interval_s)
{
    rates.interval_s = std::max(interval_s, rates.least_s);
    return goodput(rates, plan);
}

double first_order_waste(const RunRates& r)
{
    return r.save_s / r.interval_s + (r.interval_s / 2 + r.recover_s) / r.between_s;
}

} // namespace ringside
