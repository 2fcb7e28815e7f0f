#include "core/serving/load.h"

#include "core/base/index.h"
#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/serving/lengths.h"
#include "core/serving/speculation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostRequests = 20000; // that are asked for; a long run has up to twice as many
constexpr std::int64_t kMostEngines = 64;
constexpr std::int64_t kWarm = 3; // one in so many requests comes before an engine is in full swing
constexpr double kMostTokens = 1e6;
constexpr double kMostRate = 1e6;
constexpr double kQuantile = 0.9;

double within(double value, double least, double most, double otherwise)
{
    return std::isfinite(value) ? std::clamp(value, least, most) : otherwise;
}

// The setup of engines that only prefill.
ServingSetup prefilling(const Scenario& scenario, const LoadSetup& s)
{
    ServingSetup engine = s.engine;
    engine.ranks = s.prefill_ranks;
    return holding_setup(scenario, engine);
}

LoadSetup legal(const Scenario& scenario, LoadSetup s)
{
    s.engine = holding_setup(scenario, s.engine);
    s.rate = within(s.rate, 1e-6, kMostRate, 1);
    s.engines = std::clamp<std::int64_t>(s.engines, 1, kMostEngines);
    s.prefill = std::clamp<std::int64_t>(s.prefill, 1, kMostEngines);
    s.prefill_ranks = prefilling(scenario, s).ranks;
    s.requests = std::clamp<std::int64_t>(s.requests, 1, kMostRequests);
    s.spread = within(s.spread, 0, 2, 0);
    s.cached = within(s.cached, 0, 1, 0);
    s.budget = std::clamp<std::int64_t>(s.budget, 16, 1'000'000);
    s.drafted = std::clamp<std::int64_t>(s.drafted, 0, kMostDrafted);
    s.accepted = within(s.accepted, 0, 1, 0);
    s.draft_cost = within(s.draft_cost, 0, 1, 0);
    s.first_token = within(s.first_token, 0, 1e9, 1);
    s.each_token = within(s.each_token, 0, 1e9, 1);
    return s;
}

StorePrecision stored_in(std::int64_t bits, bool floating)
{
    return bits > 8    ? StorePrecision::bf16
           : bits <= 4 ? StorePrecision::int4
           : floating  ? StorePrecision::fp8
                       : StorePrecision::int8;
}

double quantile(std::vector<double> values, double share)
{
    const auto place = at(static_cast<std::int64_t>(std::ceil(share * real(std::ssize(values)))) - 1);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
    return values[place];
}

// Replicas that are followed, and as many alike as pass by: where every engine does both, one is enough; else
// as many as keep the ratio of prefill to decoding.
struct Followed
{
    explicit Followed(const LoadSetup& s)
    {
        const bool apart = s.system == ServingSystem::disaggregated;
        const std::int64_t back = s.engines * s.engine.ranks;
        const std::int64_t front = s.prefill * s.prefill_ranks;
        alike = apart ? std::gcd(back, front) : back;
        count.front = apart ? front / alike : 1;
        count.back = back / alike;
        count.followed = 1;
        count.keep_steps = true;
    }

    std::int64_t alike = 1;
    EngineCount count;
};

// Lengths and arrivals, those in units of the mean gap at all engines; requests of those that are not
// followed only pass by.
struct Traffic
{
    Traffic(const LoadSetup& s, std::int64_t requests)
    {
        const Followed followed(s);
        const std::int64_t all = requests * followed.count.back;
        const std::int64_t between = followed.alike;
        prompts = lognormal_lengths(all, real(s.engine.prompt), s.spread, kMostTokens);
        answers = lognormal_lengths(all, real(s.engine.output), s.spread, kMostTokens);
        SplitMix random(1);
        shuffle(prompts, random);
        shuffle(answers, random);
        double now = 0;
        for (std::int64_t i = 0; i < all; ++i)
        {
            for (std::int64_t k = 0; k < between; ++k)
            {
                now -= std::log1p(-random.uniform());
            }
            arrivals.push_back(now);
        }
        for (double& arrival : arrivals)
        {
            arrival *= real(all * between) / now; // so that the mean rate is the one asked for
        }
    }

    std::vector<double> prompts;
    std::vector<double> answers;
    std::vector<double> arrivals;
};

class Load
{
public:
    Load(const Scenario& scenario, const LoadSetup& setup)
        : scenario_(scenario), setup_(legal(scenario, setup)), serving_(serving_of(scenario, setup_)),
          clock_(scenario, serving_, serving_.layout), followed_(setup_),
          room_(std::min(clock_.room(), serving_.disaggregated
                                            ? EngineClock(scenario, serving_, serving_.prefill).room()
                                            : clock_.room()))
    {
    }

    LoadReport at_rate(double rate) const
    {
        LoadReport r;
        r.setup = setup_;
        r.setup.rate = rate;
        r.gpus = serving_.layout.gpus() * serving_.layout.replicas +
                 (serving_.disaggregated ? serving_.prefill.gpus() * serving_.prefill.replicas : 0);
        if (room_ < real(setup_.engine.prompt + setup_.engine.output))
        {
            return r;
        }
        EngineRun run = run_engines(scenario_, serving_, requests_at(rate), followed_.count);
        r.passes = std::move(run.steps);
        r.prefill_passes = std::move(run.prefill_steps);
        std::ranges::copy_if(run.requests, std::back_inserter(r.requests),
                             [](const EngineRequest& q) { return q.engine == 0; });
        measure(r);
        return r;
    }

    // Seconds that serve a mean request alone.
    double service() const
    {
        const double prompt = real(setup_.engine.prompt);
        const double answer = real(setup_.engine.output);
        const std::vector<PromptPiece> piece{{0, prompt, true}};
        const double drafted = real(setup_.drafted);
        const double step = clock_.time({.decoding = 1, .context = prompt}).total();
        const double check = clock_.time({.decoding = 1, .context = prompt, .drafted = drafted}).total();
        return clock_.time({.prompts = piece}).total() +
               answer / expected_tokens(setup_.accepted, setup_.drafted) *
                   (check + drafted * setup_.draft_cost * step);
    }

private:
    // A queue that grows without end is seen only if the run is much longer than the objective.
    const Traffic& traffic_at(double rate) const
    {
        constexpr double kObjectives = 8;
        const double wanted =
            kObjectives * setup_.first_token * rate / real(setup_.engines * setup_.engine.ranks);
        std::int64_t requests = setup_.requests;
        while (real(requests) < std::min(wanted, real(kMostRequests)))
        {
            requests *= 2;
        }
        return traffic_.try_emplace(requests, setup_, requests).first->second;
    }
    std::vector<EngineRequest> requests_at(double rate) const
    {
        const Traffic& traffic = traffic_at(rate);
        const auto most = static_cast<std::int64_t>(std::min(room_, 4 * kMostTokens));
        std::vector<EngineRequest> all(traffic.prompts.size());
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            EngineRequest& r = all[i];
            r.prompt = std::min(static_cast<std::int64_t>(traffic.prompts[i]), most - 1);
            r.output = std::min(static_cast<std::int64_t>(traffic.answers[i]), most - r.prompt);
            r.cached = std::min(r.prompt - 1, static_cast<std::int64_t>(setup_.cached * real(r.prompt)));
            r.arrival = traffic.arrivals[i] / rate;
        }
        return all;
    }

    static void measure(LoadReport& r)
    {
        const auto counted = std::span(r.requests).subspan(r.requests.size() / kWarm);
        const auto ttft = list_of<double>(counted, &EngineRequest::ttft);
        const auto tpot = list_of<double>(counted, &EngineRequest::tpot);
        r.ttft_50 = quantile(ttft, 0.5);
        r.ttft_90 = quantile(ttft, kQuantile);
        r.tpot_50 = quantile(tpot, 0.5);
        r.tpot_90 = quantile(tpot, kQuantile);
        r.attained = real(std::ranges::count_if(
                         counted, [&](const EngineRequest& q)
                         { return q.ttft() <= r.setup.first_token && q.tpot() <= r.setup.each_token; })) /
                     real(std::ssize(counted));
        r.seconds = largest_over(r.requests, &EngineRequest::end);
    }

    const Scenario& scenario_;
    LoadSetup setup_;
    Serving serving_;
    EngineClock clock_;
    Followed followed_;
    double room_;                                     // [tokens]
    mutable std::map<std::int64_t, Traffic> traffic_; // by requests
};

} // namespace

ServingEngine serving_engine(const Scenario& scenario)
{
    return scenario.serving != nullptr ? scenario.serving->engine : ServingEngine{};
}

Serving serving_of(const Scenario& scenario, const LoadSetup& setup)
{
    const ServingSetup& e = setup.engine;
    Serving s;
    s.engine = setup.software;
    s.engine.workspace_gb = 0; // it is what `usable` leaves
    s.engine.room = RoomRule::of_all;
    s.memory_fraction = e.usable;
    s.rest = stored_in(e.weight_bits, e.eight_bit);
    s.experts = e.four_bit ? StorePrecision::nvfp4 : s.rest;
    s.kv_cache = stored_in(e.cache_bits, true);
    const bool experts = scenario.model.experts > 0;
    s.layout = {e.gpus, 1, e.ranks, experts ? e.engine_gpus() : 1, setup.engines};
    s.disaggregated = setup.system == ServingSystem::disaggregated;
    if (s.disaggregated)
    {
        const ServingSetup front = prefilling(scenario, setup);
        s.prefill = {front.gpus, 1, front.ranks, experts ? front.engine_gpus() : 1, setup.prefill};
    }
    s.max_num_batched_tokens = setup.budget;
    s.scheduler =
        setup.system == ServingSystem::prefill_first ? BatchScheduler::prefill_first : BatchScheduler::mixed;
    s.traffic.prompt = e.prompt;
    s.traffic.output = e.output;
    s.speculative = {setup.drafted, setup.accepted, setup.draft_cost};
    s.redundant_experts = e.redundant;
    s.two_batch = e.two_batch;
    s.imbalance = e.imbalance;
    return s;
}

ServingSetup holding_setup(const Scenario& scenario, const ServingSetup& asked)
{
    const ServingSetup first = serving_report(scenario, asked).setup;
    for (const std::int64_t gpus : serving_gpus(scenario.model))
    {
        ServingSetup more = first;
        more.gpus = gpus;
        if (const ServingReport r = serving_report(scenario, more); gpus >= first.gpus && r.most > 0)
        {
            return r.setup;
        }
    }
    return first;
}

LoadReport serve(const Scenario& scenario, LoadSetup setup)
{
    setup.rate = within(setup.rate, 1e-6, kMostRate, 1);
    return Load(scenario, setup).at_rate(setup.rate);
}

std::vector<LoadReport> serve_at(const Scenario& scenario, const LoadSetup& setup,
                                 const std::vector<double>& rates)
{
    const Load load(scenario, setup);
    return list_of<LoadReport>(rates,
                               [&](double rate) { return load.at_rate(within(rate, 1e-6, kMostRate, 1)); });
}

double goodput(const Scenario& scenario, const LoadSetup& setup)
{
    const Load load(scenario, setup);
    double low = 0.01 * real(std::max<std::int64_t>(1, setup.engine.ranks)) / load.service();
    if (!load.at_rate(low).holds())
    {
        return 0;
    }
    double high = low;
    do
    {
        low = high;
        high *= 2;
    } while (high < kMostRate && load.at_rate(high).holds());
    while (high / low > 1.01)
    {
        const double middle = std::sqrt(low * high);
        (load.at_rate(middle).holds() ? low : high) = middle;
    }
    return low;
}

double request_seconds(const Scenario& scenario, const LoadSetup& setup)
{
    return Load(scenario, setup).service();
}

double md1_seconds(double rate, double service)
{
    const double busy = rate * service;
    return busy < 1 ? service + busy * service / (2 * (1 - busy)) : std::numeric_limits<double>::infinity();
}

double cache_transfer_seconds(const Scenario& scenario, const ServingSetup& setup, double tokens)
{
    const double bytes = real(setup.cache_bits) / 8 * cache_shape(scenario.model, setup.gpus).local(tokens);
    return bytes / (scenario.cluster.network_gb_per_s * 1e9);
}

} // namespace ringside
