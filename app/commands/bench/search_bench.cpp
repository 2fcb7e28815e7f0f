// `ringside bench search`: how many layouts a second are looked at, and how soon the first is there.
#include "app/commands/console/options.h"
#include "app/commands/search/search_all.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace ringside
{

namespace
{

// What calculon was timed with: 175 billion parameters on 4,096 GPUs.
constexpr const char* kBenchScenario = R"({
  "schema": "ringside.scenario/1", "model": "gpt-3-175b",
  "cluster": {"gpu": "a100-sxm-80gb", "gpus": 4096, "gpus_per_node": 8, "network_gb_per_s": 25},
  "training": {"sequence_length": 2048, "micro_batch": 1, "global_batch": 4096}
})";

// The space of one framework: Llama 3.1 405B as Meta trained it, on Megatron-LM.
constexpr const char* kBenchFramework = R"({
  "schema": "ringside.scenario/1", "model": "llama-3.1-405b",
  "cluster": {"gpu": "h100-sxm-80gb", "gpus": 16384, "gpus_per_node": 8, "network_gb_per_s": 50},
  "training": {"sequence_length": 8192, "micro_batch": 1, "global_batch": 2048}
})";

double seconds_of(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// On one core.
struct SearchTime
{
    SearchResult result;
    double first = 0; // [s] until something fits
    double all = 0;

    double rate(std::int64_t count) const { return static_cast<double>(count) / all; }
};

SearchTime timed_search(const Scenario& s, const SearchLimits& limits)
{
    SearchTime time;
    time.first = seconds_of(
        [&]
        {
            LayoutSearch search(s, limits);
            while (search.result().fit == 0 && search.advance(1))
            {
            }
        });
    time.all = seconds_of([&] { time.result = search_all(s, limits, 1); });
    return time;
}

} // namespace

int run_bench_search(const CommonOptions& options)
{
    const Presets& presets = open_presets(options).presets;
    const Scenario s = or_end(scenario_from_text(kBenchScenario, presets));
    const Scenario large = or_end(scenario_from_text(kBenchFramework, presets));
    SearchLimits limits;
    limits.tensor_across_nodes = limits.zero_with_stages = true;
    SearchLimits megatron = limits;
    megatron.framework = *presets.framework("megatron");
    const SearchTime one = timed_search(s, limits);
    const SearchTime framework = timed_search(large, megatron);
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    SearchResult all;
    const double full = seconds_of([&] { all = search_all(s, limits, threads); });
    const double rate = one.rate(one.result.legal);
    if (options.json)
    {
        print_document({{"estimates_per_s", rate},
                        {"full_space", all.legal},
                        {"full_space_s", full},
                        {"first_answer_ms", one.first * 1e3},
                        {"framework_estimates_per_s", framework.rate(framework.result.legal)},
                        {"framework_tried_per_s", framework.rate(framework.result.tried)},
                        {"framework_space", framework.result.legal},
                        {"framework_first_answer_ms", framework.first * 1e3},
                        {"threads", threads},
                        {"best_step_s", all.best.empty() ? 0 : all.best.front().seconds}},
                       -1);
        return kDone;
    }
    const auto whole = [](double number) { return grouped(static_cast<std::int64_t>(number)); };
    say("{} on {}\n", s.model.name, counted(s.cluster.gpus, "GPU"));
    put("estimates per second, one thread{:>14}\nall {} layouts, {} threads  {:>14}\n"
        "first layout that fits          {:>14}\n",
        whole(rate), grouped(all.legal), threads, format_seconds(Seconds(full)),
        format_seconds(Seconds(one.first)));
    say("{} on {}, {}\n", large.model.name, counted(large.cluster.gpus, "GPU"), megatron.framework.name);
    put("estimates per second, one thread{:>14}\ntried per second, one thread    {:>14}\n"
        "all {} legal of {} tried, one thread{:>11}\nfirst layout that fits          {:>14}\n",
        whole(framework.rate(framework.result.legal)), whole(framework.rate(framework.result.tried)),
        grouped(framework.result.legal), grouped(framework.result.tried),
        format_seconds(Seconds(framework.all)), format_seconds(Seconds(framework.first)));
    return kDone;
}

} // namespace ringside
