// `ringside search`: every legal layout of a scenario, ranked, and rejected layouts, by reason.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/commands/search_all.h"
#include "core/base/counted.h"
#include "core/base/text/text.h"
#include "core/planner/changes.h"
#include "core/planner/current_layout.h"
#include "core/planner/launch/framework_launch.h"
#include "core/planner/search/near_misses.h"
#include "core/planner/search/told_apart.h"
#include "core/scenario/fields.h"
#include "core/scenario/json/json.h"
#include "ui/shell/frame/layouts_frame.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

namespace ringside
{

namespace
{

using nlohmann::json;

struct SearchOptions : CommonOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
    std::int64_t top = 10;
    std::string objective; // empty: step_time, or cost where GPUs are freed
    std::string framework; // empty: what the scenario's software is
    std::vector<std::string> forbid;
    std::vector<std::string> allow;
    std::vector<std::string> fix;
    std::vector<std::string> free;
    double headroom = SearchLimits().headroom;
    bool changes = false;
    bool csv = false;
    bool all_rows = false;
};

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
    issues.push_back({option, fmt::format("there is no \u201c{}\u201d", word),
                      fmt::format("use one of {}", fmt::join(texts_of(kSwitches, &Switch::word), ", "))});
}

// "batch=256:4096", or "batch" for a quarter to four times today's.
void free_one(Freed& freed, Issues& issues, const std::string& word, const Scenario& today)
{
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string range = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "recompute_layers" && range.empty())
    {
        freed.recompute_layers = true;
        return;
    }
    if (name != "batch" && name != "sequence" && name != "gpus")
    {
        issues.push_back({"--free", fmt::format("there is no \u201c{}\u201d", name),
                          "use batch, sequence, gpus, recompute_layers, or batch=256:4096"});
        return;
    }
    const std::int64_t now = name == "batch"      ? today.training.global_batch
                             : name == "sequence" ? today.training.sequence_length
                                                  : today.cluster.gpus;
    FreeRange wanted = range_around(now);
    if (equals != std::string::npos)
    {
        const std::size_t colon = range.find(':');
        const auto number = [&](std::size_t from, std::size_t count)
        {
            std::int64_t value = 0;
            const std::string text = range.substr(std::min(from, range.size()), count);
            const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
            return read.ptr == text.data() + text.size() ? value : 0;
        };
        wanted = {number(0, colon), colon == std::string::npos ? 0 : number(colon + 1, std::string::npos)};
        if (wanted.least < 1 || wanted.most < wanted.least)
        {
            issues.push_back({"--free", fmt::format("{} is no range", range),
                              "give the least and the most, for example 256:4096"});
            return;
        }
        const std::vector<std::int64_t> values = values_in(wanted, now);
        if (values.front() < wanted.least || values.front() > wanted.most)
        {
            issues.push_back(
                {"--free", fmt::format("no power of two times {} is in {}", now, range), "widen the range"});
        }
    }
    (name == "batch" ? freed.global_batch : name == "sequence" ? freed.sequence_length : freed.gpus) = wanted;
}

SearchLimits limits_of(const SearchOptions& o, const Scenario& scenario, const Presets& presets)
{
    SearchLimits limits;
    Issues issues;
    for (const std::string& word : o.free)
    {
        free_one(limits.freed, issues, word, scenario);
    }
    const auto usual = limits.freed.gpus.on() ? Objective::cost : Objective::step_time;
    const auto objective = o.objective.empty() ? std::optional(usual) : kNamesOf<Objective>.find(o.objective);
    if (!objective)
    {
        issues.push_back({"--objective", fmt::format("there is no \u201c{}\u201d", o.objective),
                          fmt::format("use one of {}", fmt::join(kNamesOf<Objective>.all, ", "))});
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
    // What a framework runs includes its own rule for ZeRO in a pipeline.
    const bool own = o.framework.empty() && !limits.zero_with_stages;
    limits.framework = own ? presets.framework_of(scenario)
                           : framework_named(o.framework.empty() ? "any" : o.framework, presets, issues);
    for (const std::string& name : o.fix)
    {
        const auto fields = layout_fields();
        const auto known = std::ranges::find(fields, name, &LayoutField::name);
        if (known == fields.end())
        {
            issues.push_back(unknown_word("--fix", "field ", name, texts_of(fields, &LayoutField::name)));
        }
        else
        {
            limits.fixed.push_back(known->name);
        }
    }
    check_range(issues, "--headroom", o.headroom, 0, 0.9);
    limits.headroom = o.headroom;
    if (o.top < 1 || o.top > static_cast<std::int64_t>(kMostKept))
    {
        issues.push_back(
            {"--top", fmt::format("{} is out of range", o.top), fmt::format("use 1 to {}", kMostKept)});
    }
    end_with(issues);
    return limits;
}

MemoryVerdict verdict_of(const Candidate& c, double capacity)
{
    return c.bytes > capacity ? MemoryVerdict::no : c.tight ? MemoryVerdict::tight : MemoryVerdict::fits;
}

// What starts it, what no flag says, and whether flags and that read back are the layout.
void add_launch(json& out, const Scenario& s, const Framework& framework)
{
    const Launch launch = write_launch(framework, s);
    out["launch"] = flags_json(launch);
    out["not_expressed"] = not_expressed_json(launch);
    out["reads_back"] = same_run(read_launch(framework, launch, s), layout_of(s));
}

// Of a million tokens, or of a step.
double usd_of(const Scenario& s, const Candidate& c)
{
    return c.gpu_seconds() / 3600 * s.cluster.usd_per_gpu_hour;
}

// A candidate as `evaluate` has it: schedules without a closed form simulated, memory by the order itself.
// `s` is laid out so.
json layout_json(const Scenario& s, const Candidate& c, const SearchLimits& limits, const Presets& presets)
{
    const json whole = to_json(s, presets);
    json out{{"gpus", c.layout.gpus}, {"parallel", whole["parallel"]}, {"training", whole["training"]}};
    out["estimate"] = {{"step.time_s", c.seconds}, {"memory.total_bytes", c.bytes}, {"step.mfu", c.mfu}};
    if (limits.freed.work())
    {
        out["estimate"]["seconds_per_million_tokens"] = c.pace();
    }
    if (limits.freed.gpus.on())
    {
        out["estimate"]["gpu_seconds_per_million_tokens"] = c.gpu_seconds();
        out["estimate"]["usd_per_million_tokens"] = usd_of(s, c);
    }
    out["nearest_misses"] = json::array();
    for (const NearMiss& miss : near_misses(s, c, limits))
    {
        out["nearest_misses"].push_back({{"change", miss.change},
                                         {"step.time_s", miss.candidate.seconds},
                                         {"memory.total_bytes", miss.candidate.bytes}});
    }
    if (!limits.any_framework())
    {
        add_launch(out, s, limits.framework);
    }
    if (const auto report = evaluate(s))
    {
        out["verdict"] = name_of(verdict_of(c, report->memory.capacity.value));
        for (const Metric& metric : metrics())
        {
            out["metrics"][std::string(metric.name)] = metric_value(metric, s, *report);
        }
    }
    return out;
}

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
    return search.found();
}

void add_parts(json& out, const LayoutDifference& difference)
{
    out["parts_s"] = json::object();
    for (const PartChange& part : difference.parts)
    {
        out["parts_s"][std::string(part.part)] = part.seconds;
    }
}

// Which seconds a row has over the scenario's own layout, or the nearest valid one.
json why_json(const CurrentLayout& current, const Scenario& row)
{
    if (!current.runs())
    {
        return {};
    }
    const LayoutDifference d = difference(current.scenario, row);
    json out{
        {"settings", d.settings}, {"says", sentence_of(d)}, {"more_s", d.seconds()}, {"more_bytes", d.bytes}};
    add_parts(out, d);
    return out;
}

json changes_json(const std::vector<Change>& changes, const Presets& presets)
{
    return json_list(changes,
                     [&](const Change& change)
                     {
                         const json whole = to_json(change.after, presets);
                         json out{{"moves", change.moves},
                                  {"settings", change.difference.settings},
                                  {"says", sentence_of(change)},
                                  {"step.time_s", change.candidate.seconds},
                                  {"memory.total_bytes", change.candidate.bytes},
                                  {"more_s", change.difference.seconds()},
                                  {"more_bytes", change.difference.bytes},
                                  {"more_usd", change.usd},
                                  {"parallel", whole["parallel"]},
                                  {"training", whole["training"]}};
                         add_parts(out, change.difference);
                         return out;
                     });
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

// The scenario's own layout; where it is invalid, why, and the nearest that is not.
json current_json(const CurrentLayout& current, const SearchLimits& limits, const Presets& presets)
{
    json out{{"valid", current.valid()}, {"faults", issues_json(current.faults)}};
    out["layout"] =
        current.runs() ? layout_json(current.scenario, current.candidate, limits, presets) : json();
    out["set"] = current.settings;
    return out;
}

json to_json(const Scenario& scenario, const SearchLimits& limits, const SearchResult& r, std::size_t top,
             const Presets& presets)
{
    json out{{"tried", r.tried},
             {"legal", r.legal},
             {"fit", r.fit},
             {"tight", r.tight},
             {"headroom", limits.headroom},
             {"framework", limits.any_framework() ? "any" : limits.framework.id},
             {"rejected", json::object()}};
    for (std::size_t i = 0; i < kRejections; ++i)
    {
        out["rejected"][std::string(name_of(static_cast<Rejection>(i)))] = r.rejected[i];
    }
    const CurrentLayout current = current_layout(scenario, limits);
    out["current"] = current_json(current, limits, presets);
    out["layouts"] = json::array();
    if (const Candidate* simplest = simplest_equal(r.cuts, limits.objective, scenario))
    {
        Scenario s = scenario;
        apply(simplest->layout, s);
        out["simplest_equal"] = layout_json(s, *simplest, limits, presets);
    }
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        Scenario s = scenario;
        apply(r.best[i].layout, s);
        out["layouts"].push_back(layout_json(s, r.best[i], limits, presets));
        out["layouts"].back()["why"] = why_json(current, s);
        out["layouts"].back()["equals_best"] = equals_best(r.best[i], r.best.front(), limits.objective);
    }
    return out;
}

std::string schedule_words(const Layout& l)
{
    return l.pipeline == 1 ? "-"
           : l.chunks > 1  ? fmt::format("{} x{}", l.schedule->id, l.chunks)
                           : std::string(l.schedule->id);
}

// "recompute none: 84.1 GB"
std::string nearest_miss_words(const Scenario& s, const Candidate& c, const SearchLimits& limits)
{
    const std::vector<NearMiss> misses = near_misses(s, c, limits);
    return misses.empty() ? ""
                          : fmt::format("  {}: {}", misses.front().change,
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

TextTable result_table(const Scenario& s, const SearchLimits& limits, const SearchResult& r, std::size_t top,
                       const CurrentLayout& current)
{
    const bool tokens = limits.freed.tokens();
    const bool paid = limits.freed.gpus.on();
    TextTable table({{"", 4},
                     {paid ? "GPUs" : "", paid ? 8 : 0},
                     {"TP", 5},
                     {"SP", 4},
                     {"CP", 4},
                     {"PP", 4},
                     {"EP", 6},
                     {"DP", 6},
                     {"Z", 4},
                     {"micro", 7},
                     {tokens ? "GBS" : "", tokens ? 7 : 0},
                     {tokens ? "length" : "", tokens ? 8 : 0},
                     {"  recompute", limits.freed.recompute_layers ? -18 : -12},
                     {"schedule", -18},
                     {"memory", 9},
                     {"", 6},
                     {"bubble", 8},
                     {"MFU", 8},
                     {"step", 11},
                     {limits.freed.work() ? "s/M tok" : "", limits.freed.work() ? 9 : 0},
                     {paid ? "GPU-s/M tok" : "", paid ? 13 : 0},
                     {paid ? "$/M tok" : "", paid ? 9 : 0},
                     {"  faster, but needs", -26}});
    const auto where = [](bool shown, std::string text) { return shown ? std::move(text) : std::string(); };
    const auto add = [&](const std::string& name, const Candidate& c, const std::string& miss)
    {
        const Layout& l = c.layout;
        table.add(name, where(paid, grouped(l.gpus)), l.tensor, l.sequence_parallel ? "x" : "", l.context,
                  l.pipeline, l.expert, data_of(l), l.zero, l.micro_batch,
                  where(tokens, grouped(l.global_batch)), where(tokens, grouped(l.sequence_length)),
                  fmt::format("  {}", recompute_words(l)), schedule_words(l), format_bytes(Bytes(c.bytes)),
                  verdict_mark(c, r.capacity), format_percent(c.bubble), format_percent(c.mfu),
                  format_seconds(Seconds(c.seconds)),
                  where(limits.freed.work(), fmt::format("{:.3g}", c.pace())),
                  where(paid, fmt::format("{:.4g}", c.gpu_seconds())),
                  where(paid, fmt::format("{:.3g}", usd_of(s, c))), miss);
    };
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        add(fmt::format("{}", i + 1), r.best[i], nearest_miss_words(s, r.best[i], limits));
    }
    if (current.runs())
    {
        add(current.valid() ? "now" : "near", current.candidate, "");
    }
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
        result_table(s, limits, r, top, current).text(), rest.text("", false, "  "));
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
    TextTable table({{"rank"},          {"gpus"},           {"tensor"},       {"sequence_parallel"},
                     {"context"},       {"pipeline"},       {"chunks"},       {"expert"},
                     {"expert_tensor"}, {"data"},           {"zero"},         {"micro_batch"},
                     {"recompute"},     {"schedule"},       {"memory_bytes"}, {"bubble_of_step"},
                     {"mfu"},           {"step_time_s"},    {"verdict"},      {"recompute_layers"},
                     {"global_batch"},  {"sequence_length"}});
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        const Candidate& c = r.best[i];
        const Layout& l = c.layout;
        table.add(i + 1, l.gpus, l.tensor, l.sequence_parallel, l.context, l.pipeline, l.chunks, l.expert,
                  l.expert_tensor, data_of(l), l.zero, l.micro_batch, name_of(l.recompute),
                  l.pipeline == 1 ? "none" : l.schedule->id, fmt::format("{:.0f}", c.bytes), c.bubble, c.mfu,
                  c.seconds, name_of(verdict_of(c, r.capacity)), l.recompute_layers, l.global_batch,
                  l.sequence_length);
    }
    fmt::print("{}", table.csv());
}

int run_search(const SearchOptions& o)
{
    const Presets presets = open_presets(o).presets;
    const Scenario scenario = read_scenario(o.file, o.sets, presets);
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
        json out = to_json(scenario, limits, result, top, presets);
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
    add_sets(app, o.sets);
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
    auto* document = add_json(app, o);
    auto* csv = app.add_flag("--csv", o.csv, "layouts as CSV, numbers in full");
    exclude_each_other({document, csv});
}

} // namespace

const CliCommand search_command = command<add_search_options, run_search>(
    "search", "rank every legal layout of a scenario's model on its GPUs, its overlap_* settings kept as "
              "they are; exit 1 if none fits");

} // namespace ringside
