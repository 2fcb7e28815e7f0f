#include "app/collective_command.h"

#include <fmt/format.h>

#include "app/input.h"
#include "core/base/text.h"
#include "core/collective/fabric.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

using nlohmann::json;

std::optional<CollectiveKind> find_kind(std::string_view name)
{
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        if (name_of(static_cast<CollectiveKind>(k)) == name)
        {
            return static_cast<CollectiveKind>(k);
        }
    }
    return {};
}

// One of `ids`, or an issue that names the nearest.
void check_word(Issues& issues, const char* option, const std::string& word,
                const std::vector<std::string>& ids)
{
    if (std::find(ids.begin(), ids.end(), word) != ids.end())
    {
        return;
    }
    const std::string near = nearest_word(word, ids);
    issues.push_back(
        {option, fmt::format("there is no \u201c{}\u201d", word),
         near.empty() ? fmt::format("use one of {}", fmt::join(ids, ", ")) : "did you mean " + near + "?"});
}

Issues check(const CollectiveOptions& o)
{
    Issues issues;
    std::vector<std::string> kinds;
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        kinds.emplace_back(name_of(static_cast<CollectiveKind>(k)));
    }
    check_word(issues, "--kind", o.kind, kinds);
    std::vector<std::string> algorithms{"all"};
    for (const CollectiveAlgorithm* a : collective_algorithms())
    {
        algorithms.emplace_back(a->id);
    }
    check_word(issues, "--algorithm", o.algorithm, algorithms);
    if (!o.fabric.empty())
    {
        std::vector<std::string> ids;
        for (const Fabric& f : fabrics())
        {
            ids.emplace_back(f.id);
        }
        check_word(issues, "--fabric", o.fabric, ids);
    }
    const auto number = [&](const char* name, double value, double least, double most)
    {
        if (!std::isfinite(value) || value < least || value > most)
        {
            issues.push_back(
                {name, fmt::format("{} is out of range", value), fmt::format("use {} to {}", least, most)});
        }
    };
    number("--ranks", static_cast<double>(o.ranks), 1, 1 << 24);
    number("--bytes", o.bytes, 0, 1e18);
    number("--latency-us", o.latency_us, 0, 1e9);
    number("--bandwidth-gb-per-s", o.gb_per_s, 1e-6, 1e9);
    number("--per-node", static_cast<double>(o.per_node), 1, 1 << 24);
    number("--network-latency-us", o.network_latency_us, 0, 1e9);
    number("--network-gb-per-s", o.network_gb_per_s, 1e-6, 1e9);
    return issues;
}

// What is asked for, run or estimated.
struct Answer
{
    CollectiveKind kind;
    const CollectiveAlgorithm* algorithm;
    std::optional<Collective> steps; // none beyond kMaxRanks
    CollectiveCost cost;
    Seconds time;                      // of the fabric where one is named
    std::optional<Seconds> finer = {}; // what it tends to in more chunks, where that is clearly less
};

Result<Answer> answer(const CollectiveOptions& o, CollectiveKind kind, const CollectiveAlgorithm& algorithm)
{
    const Bytes message(o.bytes);
    const Links links{{Seconds(o.latency_us * 1e-6), BytesPerSecond(o.gb_per_s * 1e9)},
                      {Seconds(o.network_latency_us * 1e-6), BytesPerSecond(o.network_gb_per_s * 1e9)},
                      o.per_node};
    const CollectiveShape shape{o.ranks, o.per_node};
    Answer a{kind, &algorithm, {}, {}, {}};
    if (o.ranks <= kMaxRanks)
    {
        auto made = make_collective(kind, algorithm, shape);
        if (!made)
        {
            return made.issues();
        }
        a.steps = std::move(*made);
        a.cost = cost_of(*a.steps, message, links);
        const Seconds finer = estimate(kind, algorithm, o.ranks, message, links).total();
        if (!a.steps->trees.empty() && finer.value < 0.95 * a.cost.total().value)
        {
            a.finer = finer;
        }
    }
    else
    {
        // Larger than what can be shown step by step, which only the kinds without a limit may be.
        const std::int64_t ranks = kind == CollectiveKind::send_recv ? o.ranks : kMaxRanks;
        const Issues issues = check_collective(kind, algorithm, {ranks, kMaxRanks});
        if (!issues.empty())
        {
            return issues;
        }
        a.cost = estimate(kind, algorithm, o.ranks, message, links);
    }
    a.time = a.cost.total();
    if (const Fabric* fabric = find_fabric(o.fabric))
    {
        a.time =
            measured_time(kind, algorithm, o.ranks, message, *fabric, find_fabric("rdma-400"), o.per_node);
    }
    return a;
}

json to_json(const CollectiveOptions& o, const Answer& a)
{
    json steps = json::array();
    for (const Step& step : a.steps ? a.steps->steps : std::vector<Step>{})
    {
        json transfers = json::array();
        for (const Transfer& t : step.transfers)
        {
            transfers.push_back({{"from", t.from}, {"to", t.to}, {"chunk", t.chunk}, {"adds", t.adds}});
        }
        steps.push_back({{"phase", step.phase == Phase::reduce_scatter ? "reduce-scatter" : "all-gather"},
                         {"transfers", std::move(transfers)}});
    }
    return {
        {"kind", o.kind},
        {"algorithm", a.algorithm->id},
        {"ranks", o.ranks},
        {"bytes", o.bytes},
        {"chunks", a.steps ? json(a.steps->chunks) : json(nullptr)},
        {"switch", a.steps && a.steps->in_switch ? json(o.ranks) : json(nullptr)},
        {"steps", a.steps ? std::move(steps) : json(nullptr)},
        {"cost",
         {{"steps", a.cost.steps},
          {"sent_per_rank_bytes", a.cost.sent_per_rank.value},
          {"latency_s", a.cost.latency.value},
          {"transfer_s", a.cost.transfer.value},
          {"time_s", a.time.value},
          {"time_in_more_chunks_s", a.finer ? json(a.finer->value) : json(nullptr)},
          {"bus_bandwidth_gb_per_s", bus_bandwidth(a.kind, o.ranks, Bytes(o.bytes), a.time).value / 1e9}}}};
}

// Steps are made in few chunks, to be looked at; NCCL cuts a large message into many more.
void print_finer(const Answer& a)
{
    if (a.finer)
    {
        fmt::print("{} is made in {} chunks here; in many more it tends to {}.\n", a.algorithm->name,
                   a.steps->chunks, format_seconds(*a.finer));
    }
}

std::string holder(const Collective& c, std::int32_t rank)
{
    return rank < c.ranks ? std::to_string(rank) : "switch";
}

void print_steps(const Collective& c)
{
    constexpr std::size_t kMostTransfers = 12; // of a step, on one line
    for (std::size_t j = 0; j < c.steps.size(); ++j)
    {
        fmt::print("step {:<3}", j + 1);
        const auto& all = c.steps[j].transfers;
        for (std::size_t i = 0; i < std::min(all.size(), kMostTransfers); ++i)
        {
            fmt::print(" {}\u2192{}:{}{}", holder(c, all[i].from), holder(c, all[i].to),
                       all[i].adds ? "+" : "", all[i].chunk);
        }
        fmt::print("{}\n", all.size() > kMostTransfers
                               ? fmt::format(" and {} more", all.size() - kMostTransfers)
                               : "");
    }
}

void print_answer(const CollectiveOptions& o, const Answer& a)
{
    fmt::print("{} over {} ranks, {}: {}\n{}\n\n", o.kind, o.ranks, a.algorithm->name,
               format_bytes(Bytes(o.bytes)), a.algorithm->says);
    if (a.steps)
    {
        print_steps(*a.steps);
        fmt::print("{}from\u2192to:chunk, + adds to what is there\n\n",
                   a.steps->steps.empty() ? "nothing moves; " : "");
    }
    fmt::print("steps             {}\n", a.cost.steps);
    fmt::print("sent per rank     {}\n", format_bytes(a.cost.sent_per_rank));
    fmt::print("latency           {}\n", format_seconds(a.cost.latency));
    fmt::print("transfer          {}\n", format_seconds(a.cost.transfer));
    fmt::print("time              {}{}\n", format_seconds(a.time),
               o.fabric.empty() ? "" : fmt::format("   as measured on {}", find_fabric(o.fabric)->name));
    fmt::print("bus bandwidth     {} GB/s\n",
               three_digits(bus_bandwidth(a.kind, o.ranks, Bytes(o.bytes), a.time).value / 1e9));
    print_finer(a);
}

// The first algorithm there is of a kind; every kind has one.
const CollectiveAlgorithm& first_of(CollectiveKind kind)
{
    const auto all = collective_algorithms();
    return **std::find_if(all.begin(), all.end(),
                          [kind](const CollectiveAlgorithm* a) { return a->can(kind); });
}

// What was not typed follows the kind: send-recv has one algorithm, and two ranks take part in it.
CollectiveOptions completed(CollectiveOptions o, CollectiveKind kind)
{
    if (!o.typed.contains("--algorithm") && !find_algorithm(o.algorithm)->can(kind))
    {
        o.algorithm = first_of(kind).id;
    }
    if (!o.typed.contains("--ranks") && kind == CollectiveKind::send_recv)
    {
        o.ranks = 2;
    }
    return o;
}

// Why a comparison would have no row; nothing where one algorithm suits.
Issues faults_of_all(const CollectiveOptions& o, CollectiveKind kind)
{
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        if (answer(o, kind, *algorithm))
        {
            return {};
        }
    }
    const auto refused = answer(o, kind, first_of(kind));
    return refused ? Issues() : refused.issues();
}

int print_all(const CommonOptions& common, const CollectiveOptions& o, CollectiveKind kind)
{
    json all = json::array();
    std::optional<Answer> finer;
    if (const Issues faults = faults_of_all(o, kind); !faults.empty())
    {
        return print_faults(as_options(faults));
    }
    if (!common.json)
    {
        fmt::print("{} over {} ranks, {}\n{:<22}{:>7}{:>14}{:>12}{:>12}{:>12}{:>16}\n", o.kind, o.ranks,
                   format_bytes(Bytes(o.bytes)), "", "steps", "sent per rank", "latency", "transfer", "time",
                   "bus bandwidth");
    }
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        const auto a = answer(o, kind, *algorithm);
        if (!a)
        {
            continue; // not an algorithm of this kind, or not for these ranks
        }
        if (common.json)
        {
            json row = to_json(o, *a);
            row.erase("steps");
            all.push_back(std::move(row));
            continue;
        }
        fmt::print("{:<22}{:>7}{:>14}{:>12}{:>12}{:>12}{:>11} GB/s\n", algorithm->name, a->cost.steps,
                   format_bytes(a->cost.sent_per_rank), format_seconds(a->cost.latency),
                   format_seconds(a->cost.transfer), format_seconds(a->time),
                   three_digits(bus_bandwidth(kind, o.ranks, Bytes(o.bytes), a->time).value / 1e9));
        finer = a->finer ? *a : finer;
    }
    if (common.json)
    {
        fmt::print("{}\n", json{{"algorithms", std::move(all)}}.dump());
    }
    else if (finer)
    {
        print_finer(*finer);
    }
    return kDone;
}

} // namespace

int run_collective(const CommonOptions& common, const CollectiveOptions& typed)
{
    const Issues issues = check(typed);
    if (has_errors(issues))
    {
        return print_faults(issues);
    }
    const CollectiveKind kind = *find_kind(typed.kind);
    const CollectiveOptions options = completed(typed, kind);
    if (options.algorithm == "all")
    {
        return print_all(common, options, kind);
    }
    const auto found = answer(options, kind, *find_algorithm(options.algorithm));
    if (!found)
    {
        return print_faults(as_options(found.issues()));
    }
    if (common.json)
    {
        fmt::print("{}\n", to_json(options, *found).dump());
        return kDone;
    }
    print_answer(options, *found);
    return kDone;
}

int run_bench_collective(const CommonOptions& common)
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
    if (common.json)
    {
        fmt::print("{}\n", json{{"estimate_ns", std::move(out)}, {"checksum", sum}}.dump());
        return kDone;
    }
    fmt::print("one all-reduce costed, closed form\n");
    for (const auto& [id, ns] : out.items())
    {
        fmt::print("{:<22}{:>8} ns\n", id, three_digits(ns.get<double>()));
    }
    return kDone;
}

} // namespace ringside
