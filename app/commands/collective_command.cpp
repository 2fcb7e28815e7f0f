// `ringside collective`: every step of a collective and what it costs.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/base/whole.h"
#include "core/network/collective/fabric.h"

#include <algorithm>
#include <optional>

namespace ringside
{

namespace
{

using nlohmann::json;

struct CollectiveOptions : CommonOptions
{
    std::string kind = "all-reduce";
    std::string algorithm = "ring"; // an id, or "all"
    std::int64_t ranks = 8;
    double bytes = 1e9;
    double latency_us = 5;
    double gb_per_s = 450;
    std::int64_t per_node = 8;
    double network_latency_us = 14;
    double network_gb_per_s = 50;
    std::string fabric; // id of a fabric; empty: the link above
    TypedOptions typed;
};

std::vector<std::string> kinds()
{
    return list_of<std::string>(kCollectiveKinds, [&](std::size_t k)
                                { return std::string(name_of(static_cast<CollectiveKind>(k))); });
}

std::vector<std::string> algorithms()
{
    return texts_of(collective_algorithms(), [](const CollectiveAlgorithm* a) { return a->id; });
}

Issues check(const CollectiveOptions& o)
{
    Issues issues;
    const auto word = [&](const char* option, const std::string& typed, const std::vector<std::string>& ids)
    {
        if (std::ranges::count(ids, typed) == 0)
        {
            issues.push_back(unknown_word(option, "", typed, ids));
        }
    };
    word("--kind", o.kind, kinds());
    auto known = algorithms();
    known.insert(known.begin(), "all");
    word("--algorithm", o.algorithm, known);
    if (!o.fabric.empty())
    {
        word("--fabric", o.fabric, texts_of(fabrics(), &Fabric::id));
    }
    const auto number = [&](const char* name, double value, double least, double most)
    { check_range(issues, name, value, least, most); };
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
    std::optional<Collective> steps;   // none beyond kMaxRanks
    CollectiveCost cost;               // its times are the fabric's where one is named
    std::optional<Seconds> finer = {}; // what it tends to in more chunks, where that is clearly less
};

// A fabric with the rate and the latency that were typed in place of its own.
Fabric changed(Fabric fabric, std::optional<double> gb_per_s, std::optional<double> latency_us)
{
    fabric.gb_per_s = gb_per_s.value_or(fabric.gb_per_s);
    fabric.hop_us = latency_us.value_or(fabric.hop_us);
    fabric.switch_us = latency_us ? 2 * *latency_us : fabric.switch_us;
    return fabric;
}

std::optional<double> if_typed(const CollectiveOptions& o, const char* option, double value)
{
    return o.typed.contains(option) ? std::optional(value) : std::nullopt;
}

Fabric inside_of(const CollectiveOptions& o)
{
    return changed(*find_fabric(o.fabric), if_typed(o, "--bandwidth-gb-per-s", o.gb_per_s),
                   if_typed(o, "--latency-us", o.latency_us));
}

Fabric network_of(const CollectiveOptions& o)
{
    return changed(*find_fabric("rdma-400"), if_typed(o, "--network-gb-per-s", o.network_gb_per_s),
                   if_typed(o, "--network-latency-us", o.network_latency_us));
}

Result<Answer> answer(const CollectiveOptions& o, CollectiveKind kind, const CollectiveAlgorithm& algorithm)
{
    const Bytes message(o.bytes);
    const Links links{{Seconds(o.latency_us * 1e-6), BytesPerSecond(o.gb_per_s * 1e9)},
                      {Seconds(o.network_latency_us * 1e-6), BytesPerSecond(o.network_gb_per_s * 1e9)},
                      o.per_node};
    const CollectiveShape shape{o.ranks, o.per_node};
    Answer a{kind, &algorithm, {}, {}};
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
        if (o.fabric.empty() && !a.steps->trees.empty() && finer.value < 0.95 * a.cost.total().value)
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
    if (!o.fabric.empty())
    {
        const Fabric between = network_of(o);
        const CollectiveCost cost =
            measured_cost(kind, algorithm, o.ranks, message, inside_of(o), &between, o.per_node);
        a.cost.latency = cost.latency;
        a.cost.transfer = cost.transfer;
    }
    return a;
}

double bus_gb_per_s(const CollectiveOptions& o, const Answer& a)
{
    return bus_bandwidth(a.kind, o.ranks, Bytes(o.bytes), a.cost.total()).value / 1e9;
}

json to_json(const CollectiveOptions& o, const Answer& a)
{
    const auto transfer = [](const Transfer& t) -> json {
        return {{"from", t.from}, {"to", t.to}, {"chunk", t.chunk}, {"adds", t.adds}};
    };
    const auto step_json = [&](const Step& step) -> json
    {
        return {{"phase", step.phase == Phase::reduce_scatter ? "reduce-scatter" : "all-gather"},
                {"transfers", json_list(step.transfers, transfer)}};
    };
    return {{"kind", o.kind},
            {"algorithm", a.algorithm->id},
            {"ranks", o.ranks},
            {"bytes", o.bytes},
            {"chunks", a.steps ? json(a.steps->chunks) : json(nullptr)},
            {"switch", a.steps && a.steps->in_switch ? json(o.ranks) : json(nullptr)},
            {"steps", a.steps ? json_list(a.steps->steps, step_json) : json(nullptr)},
            {"cost",
             {{"steps", a.cost.steps},
              {"sent_per_rank_bytes", whole_bytes(a.cost.sent_per_rank.value).value},
              {"latency_s", a.cost.latency.value},
              {"transfer_s", a.cost.transfer.value},
              {"time_s", a.cost.total().value},
              {"time_in_more_chunks_s", a.finer ? json(a.finer->value) : json(nullptr)},
              {"bus_bandwidth_gb_per_s", bus_gb_per_s(o, a)}}}};
}

// Steps are made in few chunks, to be looked at; NCCL cuts a large message into many more.
void print_finer(const Answer& a)
{
    if (a.finer)
    {
        put("{} is shown in {} chunks; with many more its time tends to {}.\n", a.algorithm->name,
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
        put("step {:<3}", j + 1);
        const auto& all = c.steps[j].transfers;
        for (std::size_t i = 0; i < std::min(all.size(), kMostTransfers); ++i)
        {
            put(" {}\u2192{}:{}{}", holder(c, all[i].from), holder(c, all[i].to), all[i].adds ? "+" : "",
                all[i].chunk);
        }
        put("{}\n",
            all.size() > kMostTransfers ? fmt::format(" and {} more", all.size() - kMostTransfers) : "");
    }
}

void print_answer(const CollectiveOptions& o, const Answer& a)
{
    put("{} over {} ranks, {}: {}\n{}\n\n", o.kind, o.ranks, a.algorithm->name, format_bytes(Bytes(o.bytes)),
        a.algorithm->says);
    if (a.steps)
    {
        print_steps(*a.steps);
        put("{}from\u2192to:chunk, + adds to what is there\n\n",
            a.steps->steps.empty() ? "nothing moves; " : "");
    }
    put("steps             {}\n", a.cost.steps);
    put("sent per rank     {}\n", format_bytes(a.cost.sent_per_rank));
    put("latency           {}\n", format_seconds(a.cost.latency));
    put("transfer          {}\n", format_seconds(a.cost.transfer));
    put("time              {}{}\n", format_seconds(a.cost.total()),
        o.fabric.empty() ? ""
                         : fmt::format("   with the efficiency measured on {}", find_fabric(o.fabric)->name));
    put("bus bandwidth     {} GB/s\n", three_digits(bus_gb_per_s(o, a)));
    print_finer(a);
}

// The first algorithm there is of a kind; every kind has one.
const CollectiveAlgorithm& first_of(CollectiveKind kind)
{
    const auto all = collective_algorithms();
    return **std::ranges::find_if(all, [kind](const CollectiveAlgorithm* a) { return a->can(kind); });
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

int print_all(const CollectiveOptions& o, CollectiveKind kind)
{
    json all = json::array();
    std::optional<Answer> finer;
    TextTable table({{"", -22},
                     {"steps", 7},
                     {"sent per rank", 14},
                     {"latency", 12},
                     {"transfer", 12},
                     {"time", 12},
                     {"bus bandwidth", 16}});
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        const auto a = answer(o, kind, *algorithm);
        if (!a)
        {
            continue; // not an algorithm of this kind, or not for these ranks
        }
        json row = to_json(o, *a);
        row.erase("steps");
        all.push_back(std::move(row));
        table.add(algorithm->name, a->cost.steps, format_bytes(a->cost.sent_per_rank),
                  format_seconds(a->cost.latency), format_seconds(a->cost.transfer),
                  format_seconds(a->cost.total()), three_digits(bus_gb_per_s(o, *a)) + " GB/s");
        finer = a->finer ? *a : finer;
    }
    if (all.empty()) // then the first says why
    {
        const auto refused = answer(o, kind, first_of(kind));
        end_with(refused ? Issues() : as_options(refused.issues()));
    }
    if (o.json)
    {
        print_document({{"algorithms", std::move(all)}}, -1);
        return kDone;
    }
    put("{} over {} ranks, {}\n{}", o.kind, o.ranks, format_bytes(Bytes(o.bytes)), table.text());
    if (finer)
    {
        print_finer(*finer);
    }
    return kDone;
}

int run_collective(const CollectiveOptions& typed)
{
    end_with(check(typed));
    const auto all = kinds();
    const auto kind = static_cast<CollectiveKind>(std::ranges::find(all, typed.kind) - all.begin());
    const CollectiveOptions o = completed(typed, kind);
    if (o.algorithm == "all")
    {
        return print_all(o, kind);
    }
    const auto found = answer(o, kind, *find_algorithm(o.algorithm));
    end_with(found ? Issues() : as_options(found.issues()));
    if (o.json)
    {
        print_document(to_json(o, *found), -1);
        return kDone;
    }
    print_answer(o, *found);
    return kDone;
}

void add_collective_options(CLI::App& app, CollectiveOptions& o)
{
    const auto option = [&app](const char* name, auto& value, const std::string& says)
    { app.add_option(name, value, says)->capture_default_str(); };
    option("--kind", o.kind, fmt::format("collective: {}", fmt::join(kinds(), ", ")));
    option("--algorithm", o.algorithm, fmt::format("algorithm: {}, or all", fmt::join(algorithms(), ", ")));
    option("--ranks", o.ranks, "number of ranks; steps are listed up to 64");
    option("--bytes", o.bytes, "message size in bytes, as nccl-tests counts it");
    option("--latency-us", o.latency_us, "latency per step within a node");
    option("--bandwidth-gb-per-s", o.gb_per_s, "one-way bandwidth per rank within a node");
    option("--per-node", o.per_node, "ranks per node");
    option("--network-latency-us", o.network_latency_us, "latency per step between nodes");
    option("--network-gb-per-s", o.network_gb_per_s, "one-way bandwidth per rank between nodes");
    app.add_option("--fabric", o.fabric,
                   fmt::format("use the measured efficiency of this fabric inside a node, and of rdma-400 "
                               "between nodes, one link a GPU; rates and latencies given beside it "
                               "replace theirs: {}",
                               fmt::join(texts_of(fabrics(), &Fabric::id), ", ")));
    add_json(app, o);
}

} // namespace

const CliCommand collective_command = command<add_collective_options, run_collective>(
    "collective", "every step of a collective and its cost; --algorithm all compares");

} // namespace ringside
