// `ringside bench schedule` and `bench collective`: how fast the engine's models are on this machine.
#include "app/commands/console/input.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/network/collective/cost.h"
#include "core/pipeline/simulate.h"

#include <algorithm>
#include <chrono>

namespace ringside
{

using nlohmann::json;

namespace
{

// The best of several runs [ms]: what the work costs when nothing else disturbs it.
template <class Work>
double best_ms(const Work& work)
{
    double best = 1e300;
    for (int i = 0; i < 7; ++i)
    {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    return best;
}

} // namespace

int run_bench_schedule(const CommonOptions& options)
{
    json kinds = json::object();
    double headline = 0;
    TextTable table({{"", -16}, {"operations", 12}, {"order", 12}, {"simulation", 12}});
    for (const ScheduleKind kind : schedules())
    {
        const ScheduleShape shape{64, 1024, kind->least_chunks};
        const Costs costs = equal_costs(kind, shape, {});
        Order order;
        const double make = best_ms([&] { order = kind->make(shape, costs); });
        const double run = best_ms([&] { (void)simulate(order, costs); });
        headline = kind == schedule("1f1b") ? make + run : headline;
        kinds[std::string(kind->id)] = {{"order_ms", make}, {"simulation_ms", run}};
        table.add(kind->name, grouped(static_cast<std::int64_t>(operations_of(kind, shape))),
                  three_digits(make) + " ms", three_digits(run) + " ms");
    }
    if (options.json)
    {
        print_document({{"p64_m1024_ms", headline}, {"kinds", std::move(kinds)}}, -1);
        return kDone;
    }
    put("64 stages, 1,024 micro-batches, one core\n{}\n1F1B, order and simulation: {} ms\n", table.text(),
        three_digits(headline));
    return kDone;
}

int run_bench_collective(const CommonOptions& options)
{
    const Links links{{Seconds(5e-6), BytesPerSecond(450e9)}, {Seconds(14e-6), BytesPerSecond(50e9)}, 8};
    constexpr int kTimes = 200'000;
    json out = json::object();
    double sum = 0; // so that nothing is left out
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        if (!algorithm->can(CollectiveKind::all_reduce))
        {
            continue;
        }
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < kTimes; ++i)
        {
            sum += estimate(CollectiveKind::all_reduce, *algorithm, 8 + i % 4096, Bytes(1e9 + i), links)
                       .total()
                       .value;
        }
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        out[std::string(algorithm->id)] = took.count() / kTimes;
    }
    if (options.json)
    {
        print_document({{"estimate_ns", std::move(out)}, {"checksum", sum}}, -1);
        return kDone;
    }
    put("cost model of one all-reduce, closed form\n");
    for (const auto& [id, ns] : out.items())
    {
        put("{:<22}{:>8} ns\n", id, three_digits(ns.get<double>()));
    }
    return kDone;
}

} // namespace ringside
