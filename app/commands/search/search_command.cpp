// `ringside search`: every legal layout of a scenario, ranked, and rejected layouts, by reason.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/commands/search/search_all.h"
#include "app/commands/search/search_json.h"
#include "app/commands/search/search_limits.h"
#include "app/commands/search/search_serving.h"
#include "core/base/text/text.h"
#include "core/planner/current_layout.h"
#include "core/planner/search/candidate_columns.h"
#include "core/planner/search/near_misses.h"
#include "core/planner/search/told_apart.h"

#include <algorithm>
#include <array>
#include <thread>

namespace ringside
{

namespace
{

// From the scenario's layout, or from the nearest valid one.
std::vector<Change> changes_from(const CurrentLayout& current, const SearchLimits& limits)
{
    if (!current.runs())
    {
        return {};
    }
    ChangeSearch search(current.scenario, limits);
    while (search.advance(1e6))
    {
    }
    return search.result();
}

void print_changes(const std::vector<Change>& changes)
{
    say("\nbest changes\n");
    for (const Change& change : changes)
    {
        say("  {}\n", sentence_of(change));
    }
    if (changes.empty())
    {
        say("  no change of one or two settings helps\n");
    }
}

// "recompute none: 84.1 GB"
std::string nearest_miss_words(const Scenario& s, const Candidate& c, const SearchLimits& limits)
{
    const std::vector<NearMiss> misses = near_misses(s, c, limits);
    return misses.empty() ? ""
                          : fmt::format("{}: {}", misses.front().change,
                                        format_bytes(Bytes(misses.front().candidate.bytes)));
}

std::string_view verdict_mark(const Candidate& c, double capacity)
{
    constexpr std::array<std::string_view, 3> kMarks{"", "tight", "over"};
    return kMarks.at(static_cast<std::size_t>(verdict_of(c, capacity)));
}

// Which of the cuts is as fast as the best, as far as computed times can tell.
void print_equal(const Scenario& s, const SearchLimits& limits, const SearchResult& r)
{
    const Objective objective = limits.objective;
    const bool paid = limits.freed.gpus.on();
    const Candidate* simplest = simplest_equal(r.cuts, objective, s);
    if (simplest == nullptr || objective == Objective::memory)
    {
        return;
    }
    const auto equal = std::ranges::count_if(r.cuts, [&](const Candidate& c)
                                             { return equals_best(c, r.cuts.front(), objective); });
    const Layout& l = simplest->layout;
    say("\n{} within {} of the {}, closer than computed times can be told apart; the simplest to run: {}TP "
        "{}, CP "
        "{}, PP {}, EP {}, DP {}, ZeRO-{}: {}\n",
        counted(equal, "combination") + " of TP, CP, PP and EP", format_percent(kToldApart),
        paid && objective == Objective::cost ? "cheapest" : "fastest",
        paid ? counted(l.gpus, "GPU") + ", " : std::string(), l.tensor, l.context, l.pipeline, l.expert,
        data_of(l), l.zero, format_seconds(Seconds(simplest->seconds)));
}

// The searched columns, the mark and the nearest miss of each row.
TextTable result_table(const Scenario& s, const SearchLimits& limits, const SearchResult& r, std::size_t top,
                       const CurrentLayout& current)
{
    const std::vector<CandidateColumn> shown = shown_columns(r.best, limits);
    const bool paid = limits.freed.gpus.on();
    std::vector<TextTable::Column> columns{{""}};
    for (const CandidateColumn column : shown)
    {
        const DataColumn<Candidate>& info = info_of(column);
        columns.push_back({info.heading_with_unit(), info.left ? -1 : 1});
    }
    if (paid)
    {
        columns.push_back({"$/M tok", 1});
    }
    columns.insert(columns.end(), {{""}, {"faster, but needs"}});
    TextTable table(std::move(columns));
    const auto add = [&](std::string name, const Candidate& c, std::string miss)
    {
        std::vector<std::string> cells{std::move(name)};
        for (const CandidateColumn column : shown)
        {
            cells.push_back(info_of(column).text_of(c));
        }
        if (paid)
        {
            cells.push_back(fmt::format("{:.3g}", usd_of(s, c)));
        }
        cells.emplace_back(verdict_mark(c, r.capacity));
        cells.push_back(std::move(miss));
        table.add_row(std::move(cells));
    };
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        add(fmt::format("{}", i + 1), r.best[i], nearest_miss_words(s, r.best[i], limits));
    }
    if (current.runs())
    {
        add(current.valid() ? "now" : "near", current.candidate, "");
    }
    table.fit();
    return table;
}

// Why the scenario's own layout is not among the rows.
void print_current(const CurrentLayout& current)
{
    if (current.valid())
    {
        return;
    }
    say("\nThe scenario's own layout is invalid:\n");
    for (const Issue& fault : current.faults)
    {
        say("  {}\n", to_line(fault));
    }
    if (current.runs())
    {
        say("  nearest valid layout (the row near): --set {}\n", current.settings);
    }
}

// "256", or where they are free "128 to 1,024".
std::string words_of_gpus(const Scenario& s, const Freed& freed)
{
    const std::vector<std::int64_t> all = gpus_of(s, freed);
    return all.size() > 1 ? fmt::format("{} to {}", grouped(all.front()), grouped(all.back()))
                          : grouped(all.front());
}

void print_result(const Scenario& s, const SearchLimits& limits, const SearchResult& r, std::size_t top)
{
    const CurrentLayout current = current_layout(s, limits);
    TextTable rest({{"", -28}, {"", 12}});
    for (std::size_t i = 0; i < kRejections; ++i)
    {
        rest.add(name_of(static_cast<Rejection>(i)), grouped(r.rejected[i]));
    }
    say("{} on {} x {}: {} tried, {} legal, {} fit, {} of them tight (above {} of a GPU's memory)\n",
        s.model.name, words_of_gpus(s, limits.freed), s.cluster.gpu.name, grouped(r.tried), grouped(r.legal),
        grouped(r.fit), grouped(r.tight), format_percent(1 - limits.headroom));
    if (!limits.any_framework())
    {
        say("only what {} ({}) runs; --framework any for all. {}\n", limits.framework.name,
            limits.framework.version, limits.framework.note);
    }
    say("not searched, as in the scenario: {}\n\n{}\nrejected layouts, by reason\n{}", overlap_words(s),
        result_table(s, limits, r, top, current).text("  "), rest.text("", false, "  "));
    print_equal(s, limits, r);
    print_current(current);
    if (current.runs() && !r.best.empty())
    {
        Scenario first = s;
        apply(r.best.front().layout, first);
        say("\nrow 1 against {}: {}\n", current.valid() ? "now" : "near",
            sentence_of(difference(current.scenario, first)));
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
    const auto shown = csv_columns(candidate_columns());
    std::vector<TextTable::Column> headings{{"rank"}};
    for (const auto* column : shown)
    {
        headings.push_back({std::string(column->key)});
    }
    TextTable table(std::move(headings));
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        std::vector<std::string> cells{fmt::format("{}", i + 1)};
        for (const auto* column : shown)
        {
            cells.push_back(full_text(column->value(r.best[i])));
        }
        table.add_row(std::move(cells));
    }
    put("{}", table.csv());
}

int run_search(const SearchOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const Scenario scenario = read_scenario(o.file, o.sets, presets);
    if (o.serving)
    {
        return run_serving_search(o, presets, scenario);
    }
    SearchLimits limits = limits_of(o, scenario, presets);
    limits.like = layout_of(scenario);
    end_with(of_file(search_faults(scenario), o.file)); // its own layout does not matter
    SearchResult result = search_all(scenario, limits, std::max(1U, std::thread::hardware_concurrency()));
    if (!o.all_rows)
    {
        result.best = one_per_family(result.best);
        result.cuts = one_per_family(result.cuts);
    }
    const auto top = static_cast<std::size_t>(o.top);
    if (o.json)
    {
        nlohmann::json out = search_json(scenario, limits, result, top, presets);
        if (o.changes)
        {
            out["changes"] = changes_json(changes_from(current_layout(scenario, limits), limits), presets);
        }
        print_document(out);
    }
    else if (o.csv)
    {
        print_csv(result, top);
    }
    else
    {
        print_result(scenario, limits, result, top);
        if (o.changes)
        {
            print_changes(changes_from(current_layout(scenario, limits), limits));
        }
    }
    return result.fit > 0 ? kDone : kNo;
}

void add_search_options(CLI::App& app, SearchOptions& o)
{
    add_scenario_file(app, o.file);
    add_scenario_sets(app, o.sets);
    app.add_option("--top", o.top, "number of layouts to print")->capture_default_str();
    app.add_option(
        "--objective", o.objective,
        "rank by step_time, memory or cost (GPU-seconds); default: step_time, cost with --free gpus");
    const auto words = [&](const char* name, std::vector<std::string>& list, const char* help)
    { app.add_option(name, list, help)->delimiter(','); };
    words("--forbid", o.forbid, "exclude full-recompute, zero3, deep-pipelines (more than 8 stages)");
    words("--allow", o.allow,
          "also try tensor-across-nodes, zero-with-stages (ZeRO-2 and 3 with pipeline stages)");
    words("--fix", o.fix,
          "fields of the layout that stay as the scenario has them, for example parallel.tensor");
    words("--free", o.free,
          "also move batch, sequence and gpus (x1/4 to x4, or as in batch=256:4096), recompute_layers; steps "
          "of different tokens rank by the time per token, with gpus by GPU-seconds per million tokens");
    add_framework(app, o.framework);
    app.add_option("--headroom", o.headroom,
                   "fraction of a GPU's memory to leave free; layouts that leave less are marked tight and "
                   "ranked behind those that fit")
        ->capture_default_str();
    app.add_flag("--all-rows", o.all_rows,
                 "also rows of one family: the same layout with context parallelism and micro-batch scaled "
                 "alike");
    app.add_flag("--changes", o.changes,
                 "also the best changes of one and of two settings from the scenario's own layout");
    auto* serving = app.add_flag("--serving", o.serving,
                                 "layouts that serve the scenario's requests, ranked by the rate at which "
                                 "its objective holds; exit 1 if it holds at none");
    const auto objective =
        [&](const char* name, std::optional<double>& value, double least, double most, const char* help)
    { real(app.add_option(name, value, help), least, most)->needs(serving); };
    objective("--ttft", o.ttft, 1e-6, 1e6, "with --serving: longest time to the first token, in s");
    objective("--tpot", o.tpot, 1e-6, 1e6, "with --serving: longest time per output token, in s");
    objective("--percentile", o.percentile, 1, 100, "with --serving: percentage of requests within both");
    auto* document = add_json(app, o);
    auto* csv = app.add_flag("--csv", o.csv, "layouts as CSV, numbers in full");
    exclude_each_other({document, csv});
    csv->excludes(serving);
}

} // namespace

const CliCommand search_command = command<add_search_options, run_search>(
    "search", "rank every legal layout of a scenario's model on its GPUs, its overlap_* settings kept as "
              "they are; exit 1 if none fits");

} // namespace ringside
