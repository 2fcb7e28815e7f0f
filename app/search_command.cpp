#include "app/search_command.h"

#include <fmt/format.h>

#include "app/input.h"
#include "app/layout_searcher.h"
#include "app/progress_bar.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/engine/report.h"
#include "core/scenario/fields.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace ringside
{

namespace
{

using nlohmann::json;

struct Switch
{
    std::string_view word;
    bool SearchLimits::*field;
};
constexpr std::array kSwitches{Switch{"full-recompute", &SearchLimits::full_recompute},
                               Switch{"zero3", &SearchLimits::zero3},
                               Switch{"deep-pipelines", &SearchLimits::deep_pipelines},
                               Switch{"tensor-across-nodes", &SearchLimits::tensor_across_nodes},
                               Switch{"zero-with-stages", &SearchLimits::zero_with_stages}};

void flip(SearchLimits& limits, Issues& issues, const char* option, const std::string& word, bool to)
{
    for (const Switch& s : kSwitches)
    {
        if (s.word == word)
        {
            limits.*s.field = to;
            return;
        }
    }
    std::vector<std::string_view> words;
    words.reserve(std::size(kSwitches));
    for (const Switch& s : kSwitches)
    {
        words.push_back(s.word);
    }
    issues.push_back({option, fmt::format("there is no \u201c{}\u201d", word),
                      fmt::format("use one of {}", fmt::join(words, ", "))});
}

Result<SearchLimits> limits_of(const SearchOptions& o)
{
    SearchLimits limits;
    Issues issues;
    const auto objective = find_objective(o.objective);
    if (!objective)
    {
        issues.push_back({"--objective", fmt::format("there is no \u201c{}\u201d", o.objective),
                          "use step_time, memory or cost"});
    }
    limits.objective = objective.value_or(Objective::step_time);
    for (const std::string& word : o.forbid)
    {
        flip(limits, issues, "--forbid", word, false);
    }
    for (const std::string& word : o.allow)
    {
        flip(limits, issues, "--allow", word, true);
    }
    if (o.top < 1 || o.top > static_cast<std::int64_t>(kMostKept))
    {
        issues.push_back(
            {"--top", fmt::format("{} is out of range", o.top), fmt::format("use 1 to {}", kMostKept)});
    }
    if (!issues.empty())
    {
        return issues;
    }
    return limits;
}

// What calculon was timed with: 175 billion parameters on 4,096 GPUs.
constexpr const char* kBenchScenario = R"({
  "schema": "ringside.scenario/1", "model": "gpt-3-175b",
  "cluster": {"gpu": "a100-sxm-80gb", "gpus": 4096, "gpus_per_node": 8, "network_gb_per_s": 25},
  "training": {"sequence_length": 2048, "micro_batch": 1, "global_batch": 4096}
})";

// All of a search, on as many threads as there are processors.
SearchResult search_all(const Scenario& scenario, const SearchLimits& limits, std::size_t threads)
{
    LayoutSearcher searcher(threads);
    searcher.want(scenario, limits);
    const LayoutAnswer* answer = searcher.look();
    ProgressBar bar;
    while (answer->progress < 1)
    {
        bar.show(answer->progress);
        if (threads > 0)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        answer = searcher.look();
    }
    return answer->result;
}

// A candidate as `evaluate` has it: schedules without a closed form simulated, memory by the order itself.
json layout_json(const Scenario& scenario, const Candidate& c, const Presets& presets)
{
    Scenario s = scenario;
    apply(c.layout, s);
    const json whole = to_json(s, presets);
    json out{{"gpus", c.layout.gpus}, {"parallel", whole["parallel"]}, {"training", whole["training"]}};
    out["estimate"] = {{"step.time_s", c.seconds}, {"memory.total_bytes", c.bytes}, {"step.mfu", c.mfu}};
    if (const auto report = evaluate(s))
    {
        for (const Metric& metric : metrics())
        {
            out["metrics"][std::string(metric.name)] = metric.value(s, *report);
        }
    }
    return out;
}

json to_json(const Scenario& scenario, const SearchResult& r, std::size_t top, const Presets& presets)
{
    json out{{"tried", r.tried}, {"legal", r.legal}, {"fit", r.fit}, {"rejected", json::object()}};
    for (std::size_t i = 0; i < kRejections; ++i)
    {
        out["rejected"][std::string(name_of(static_cast<Rejection>(i)))] = r.rejected[i];
    }
    out["layouts"] = json::array();
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        out["layouts"].push_back(layout_json(scenario, r.best[i], presets));
    }
    return out;
}

std::string schedule_words(const Layout& l)
{
    return l.pipeline == 1 ? "-"
           : l.chunks > 1  ? fmt::format("{} x{}", l.schedule->id, l.chunks)
                           : std::string(l.schedule->id);
}

void print_result(const Scenario& s, const SearchResult& r, std::size_t top)
{
    say("{} on {} x {}: {} tried, {} legal, {} fit\n\n", s.model.name, grouped(s.cluster.gpus),
        s.cluster.gpu.name, grouped(r.tried), grouped(r.legal), grouped(r.fit));
    say("{:>4}{:>5}{:>4}{:>4}{:>4}{:>6}{:>6}{:>4}{:>7}  {:<10}{:<18}{:>9}{:>8}{:>8}{:>11}\n", "", "TP", "SP",
        "CP", "PP", "EP", "DP", "Z", "micro", "recompute", "schedule", "memory", "waits", "MFU", "step");
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        const Candidate& c = r.best[i];
        const Layout& l = c.layout;
        say("{:>4}{:>5}{:>4}{:>4}{:>4}{:>6}{:>6}{:>4}{:>7}  {:<10}{:<18}{:>9}{:>8}{:>8}{:>11}\n", i + 1,
            l.tensor, l.sequence_parallel ? "x" : "", l.context, l.pipeline, l.expert,
            l.gpus / (l.tensor * l.context * l.pipeline), l.zero, l.micro_batch, name_of(l.recompute),
            schedule_words(l), format_bytes(Bytes(c.bytes)), format_percent(c.bubble), format_percent(c.mfu),
            format_seconds(Seconds(c.seconds)));
    }
    say("\nwhy the rest fell out\n");
    for (std::size_t i = 0; i < kRejections; ++i)
    {
        say("  {:<28}{:>12}\n", name_of(static_cast<Rejection>(i)), grouped(r.rejected[i]));
    }
    if (r.fit == 0 && r.nearest_miss)
    {
        say("\nNothing fits: the smallest needs {} of {}.\n", format_bytes(Bytes(r.nearest_miss->bytes)),
            format_bytes(Bytes(r.capacity)));
    }
}

// The layouts alone, numbers in full.
void print_csv(const SearchResult& r, std::size_t top)
{
    fmt::print("rank,gpus,tensor,sequence_parallel,context,pipeline,chunks,expert,expert_tensor,data,zero,"
               "micro_batch,"
               "recompute,schedule,memory_bytes,bubble_of_step,mfu,step_time_s\n");
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        const Candidate& c = r.best[i];
        const Layout& l = c.layout;
        fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.0f},{},{},{}\n", i + 1, l.gpus, l.tensor,
                   l.sequence_parallel, l.context, l.pipeline, l.chunks, l.expert, l.expert_tensor,
                   l.gpus / (l.tensor * l.context * l.pipeline), l.zero, l.micro_batch, name_of(l.recompute),
                   l.pipeline == 1 ? "none" : l.schedule->id, c.bytes, c.bubble, c.mfu, c.seconds);
    }
}

} // namespace

int run_search(const CommonOptions& common, const SearchOptions& options)
{
    const auto limits = limits_of(options);
    if (!limits)
    {
        return print_faults(limits.issues());
    }
    const auto opened = open_presets(common);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    const auto scenario = read_scenario(options.file, opened->presets);
    if (!scenario)
    {
        return print_faults(scenario.issues());
    }
    const SearchResult result =
        search_all(*scenario, *limits, std::max(1U, std::thread::hardware_concurrency()));
    const auto top = static_cast<std::size_t>(options.top);
    if (common.json)
    {
        fmt::print("{}\n", to_json(*scenario, result, top, opened->presets).dump(2));
    }
    else if (options.csv)
    {
        print_csv(result, top);
    }
    else
    {
        print_result(*scenario, result, top);
    }
    return result.fit > 0 ? kDone : kNo;
}

int run_bench_search(const CommonOptions& common)
{
    const auto opened = open_presets(common);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    auto read = scenario_from_text(kBenchScenario, opened->presets);
    if (!read)
    {
        return print_faults(read.issues());
    }
    const Scenario& s = *read;
    SearchLimits limits;
    limits.tensor_across_nodes = limits.zero_with_stages = true;
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start)
    { return std::chrono::duration<double>(Clock::now() - start).count(); };
    auto start = Clock::now();
    LayoutSearch first(s, limits);
    while (first.result().fit == 0 && first.advance(1))
    {
    }
    const double first_ms = since(start) * 1e3;
    start = Clock::now();
    const SearchResult one = search_all(s, limits, 1);
    const double alone = since(start);
    start = Clock::now();
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    const SearchResult all = search_all(s, limits, threads);
    const double full = since(start);
    const json out{{"estimates_per_s", static_cast<double>(one.legal) / alone},
                   {"full_space", all.legal},
                   {"full_space_s", full},
                   {"first_answer_ms", first_ms},
                   {"threads", threads},
                   {"best_step_s", all.best.empty() ? 0 : all.best.front().seconds}};
    if (common.json)
    {
        fmt::print("{}\n", out.dump());
        return kDone;
    }
    say("{} on {}\n", s.model.name, counted(s.cluster.gpus, "GPU"));
    fmt::print("estimates a second, one thread  {:>14}\n",
               grouped(static_cast<std::int64_t>(out["estimates_per_s"].get<double>())));
    fmt::print("all {} layouts, {} threads  {:>14}\n", grouped(all.legal), threads,
               format_seconds(Seconds(full)));
    fmt::print("first layout that fits          {:>14}\n", format_seconds(Seconds(first_ms * 1e-3)));
    return kDone;
}

} // namespace ringside
