#include "core/serving/load_options.h"

#include "core/base/ranges.h"
#include "core/base/units.h"
#include "core/serving/wide_experts.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostEngineGpus = 16;                           // of an engine
constexpr std::array<std::int64_t, 3> kBudgets{512, 2048, 8192};       // [tokens] of an iteration
constexpr std::array<double, 6> kShares{0.1, 0.25, 0.5, 0.75, 0.9, 1}; // of the largest rate

constexpr std::array<std::int64_t, 5> kWide{8, 16, 32, 72, 144}; // attention replicas of an engine
constexpr std::int64_t kWidePrefill = 32;                        // of an engine that prefills only

// Ways with experts over many GPUs, an attention replica on each.
void add_wide(std::vector<LoadSetup>& all, const Scenario& scenario, const LoadSetup& traffic)
{
    LoadSetup option = traffic;
    option.engine.gpus = option.engines = option.prefill = 1;
    const auto fits = [&](std::int64_t ranks)
    {
        option.engine.ranks = ranks;
        const ServingReport report = serving_report(scenario, option.engine);
        return report.most > 0 && report.setup.ranks == ranks;
    };
    std::int64_t least = 0; // replicas that hold the model
    for (const std::int64_t ranks : kWide)
    {
        if (!fits(ranks))
        {
            continue;
        }
        least = least > 0 ? least : ranks;
        option.prefill_ranks = std::max(least, std::min(ranks, kWidePrefill));
        option.engine.two_batch = false;
        option.system = ServingSystem::chunked;
        all.push_back(option);
        option.engine.two_batch = true;
        option.system = ServingSystem::disaggregated;
        all.push_back(option);
    }
}

// A decoding step by the batch, at a prompt and half an answer.
std::function<EngineTime(std::int64_t)> step_clock(const Scenario& scenario, const ServingSetup& setup,
                                                   const LoadSetup& load)
{
    const double context = real(setup.prompt) + real(setup.output) / 2;
    LoadSetup engine = load;
    engine.engine = setup;
    const Serving serving = serving_of(scenario, engine);
    return [context, ranks = real(setup.ranks),
            clock = EngineClock(scenario, serving, serving.layout)](std::int64_t batch)
    { return clock.time({.decoding = real(batch), .context = context, .everywhere = real(batch) * ranks}); };
}

// The smallest batch that is faster in two halves, doubled and then narrowed down.
std::int64_t overlap_from(const Scenario& scenario, const ServingReport& report, const LoadSetup& load)
{
    ServingSetup setup = report.setup;
    setup.two_batch = false;
    const auto one = step_clock(scenario, setup, load);
    setup.two_batch = true;
    const auto two = step_clock(scenario, setup, load);
    const auto pays = [&](std::int64_t batch) { return two(batch).total() < one(batch).total(); };
    std::int64_t above = 2;
    while (above <= report.most && !pays(above))
    {
        above *= 2;
    }
    for (std::int64_t below = above / 2; above - below > 1;)
    {
        const std::int64_t middle = below + (above - below) / 2;
        (pays(middle) ? above : below) = middle;
    }
    return above <= report.most ? above : 0;
}

// The largest batch of a replica whose step is within the objective.
WideEngine widest(const Scenario& scenario, const LoadSetup& load)
{
    WideEngine engine{serving_report(scenario, load.engine), 0, {}, 0};
    const ServingSetup& setup = engine.report.setup;
    const auto step = step_clock(scenario, setup, load);
    for (std::int64_t over = engine.report.most + 1; over - engine.batch > 1;)
    {
        const std::int64_t middle = engine.batch + (over - engine.batch) / 2;
        (step(middle).total() <= load.each_token ? engine.batch : over) = middle;
    }
    engine.batch = setup.two_batch && engine.batch < 2 ? 0 : engine.batch; // one sequence has no halves
    engine.step = engine.batch > 0 ? step(engine.batch) : EngineTime{};
    engine.overlap_from = setup.ranks > 1 ? overlap_from(scenario, engine.report, load) : 0;
    ServingSetup filled = setup;
    filled.batch = std::max<std::int64_t>(1, engine.batch);
    engine.report = serving_report(scenario, filled);
    return engine;
}

} // namespace

double WideEngine::tokens_per_gpu() const
{
    return batch > 0 ? real(batch) / step.total() / real(report.setup.gpus) : 0;
}

std::vector<WideEngine> wide_engines(const Scenario& scenario, const LoadSetup& load)
{
    LoadSetup one = load;
    one.engine.ranks = 1;
    const std::int64_t gpus = serving_report(scenario, one.engine).setup.gpus;
    LoadSetup group = one;
    group.engine = holding_setup(scenario, one.engine);
    std::vector<WideEngine> engines{widest(scenario, group)};
    for (const std::int64_t all : kExpertGpus)
    {
        one.engine.ranks = all / gpus;
        if (all % gpus == 0 && one.engine.ranks > 1 && all <= 2 * scenario.model.experts)
        {
            engines.push_back(widest(scenario, one));
        }
    }
    return engines;
}

LoadSetup usual_load(const Scenario& scenario)
{
    LoadSetup load;
    load.engine.prompt = 1024;
    load.engine.output = 256;
    load.engine.longest = load.engine.prompt + load.engine.output;
    load.engine.gpus = scenario.parallel.tensor;
    load.engines = 4;
    load.rate = 1;
    load.software = serving_engine(scenario);
    return load;
}

LoadSetup traffic_of(const LoadSetup& setup)
{
    LoadSetup traffic;
    traffic.engine = setup.engine;
    traffic.engine.gpus = 1;
    traffic.engine.ranks = 1;
    traffic.engine.two_batch = false;
    traffic.spread = setup.spread;
    traffic.cached = setup.cached;
    traffic.drafted = setup.drafted;
    traffic.accepted = setup.accepted;
    traffic.first_token = setup.first_token;
    traffic.software = setup.software;
    return traffic;
}

std::vector<LoadSetup> engine_splits(const LoadSetup& traffic, std::int64_t engines)
{
    LoadSetup setup = traffic;
    setup.engines = engines;
    setup.prefill = 1;
    setup.prefill_ranks = setup.engine.ranks;
    std::vector<LoadSetup> splits;
    for (const ServingSystem system : {ServingSystem::prefill_first, ServingSystem::chunked})
    {
        setup.system = system;
        splits.push_back(setup);
    }
    setup.system = ServingSystem::disaggregated;
    for (setup.prefill = 1; setup.prefill < engines; ++setup.prefill)
    {
        setup.engines = engines - setup.prefill;
        splits.push_back(setup);
    }
    return splits;
}

std::vector<LoadSetup> serving_options(const Scenario& scenario, const LoadSetup& traffic)
{
    std::vector<LoadSetup> all;
    for (const std::int64_t gpus : serving_gpus(scenario.model))
    {
        LoadSetup option = traffic;
        option.engine.gpus = gpus;
        option.engines = option.prefill = 1;
        const bool power_of_two = (gpus & (gpus - 1)) == 0;
        if (gpus > kMostEngineGpus || !power_of_two || serving_report(scenario, option.engine).most < 1)
        {
            continue;
        }
        option.system = ServingSystem::prefill_first;
        all.push_back(option);
        option.system = ServingSystem::chunked;
        for (const std::int64_t budget : kBudgets)
        {
            option.budget = budget;
            all.push_back(option);
        }
        option.budget = traffic.budget;
        option.system = ServingSystem::disaggregated;
        for (const auto& [prefill, decode] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 1)})
        {
            option.prefill = prefill;
            option.engines = decode;
            all.push_back(option);
        }
    }
    add_wide(all, scenario, traffic);
    return all;
}

std::vector<PricedLoad> priced_loads(const Scenario& scenario, const LoadSetup& setup)
{
    LoadSetup first_only = setup;
    first_only.each_token = 1e9;
    const double most = goodput(scenario, first_only);
    if (most <= 0)
    {
        return {};
    }
    const auto rates = list_of<double>(kShares, [most](double share) { return share * most; });
    const auto priced = [&](const LoadReport& load)
    {
        PricedLoad out{setup, load.tpot_90, 0};
        out.setup.rate = load.setup.rate;
        const double usd_per_s = scenario.cluster.usd_per_gpu_hour / 3600 * static_cast<double>(load.gpus);
        out.usd = usd_per_s / (load.setup.rate * static_cast<double>(setup.engine.output)) * 1e6;
        return out;
    };
    return list_of<PricedLoad>(serve_at(scenario, setup, rates), priced);
}

std::vector<PricedLoad> pareto_front(std::vector<PricedLoad> loads)
{
    std::ranges::sort(loads, [](const PricedLoad& a, const PricedLoad& b)
                      { return std::tie(a.tpot_90, a.usd) < std::tie(b.tpot_90, b.usd); });
    std::vector<PricedLoad> front;
    for (const PricedLoad& load : loads)
    {
        if (front.empty() || load.usd < front.back().usd)
        {
            front.push_back(load);
        }
    }
    return front;
}

} // namespace ringside
