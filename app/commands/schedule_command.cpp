// `ringside schedule`: pipeline schedules as text, JSON, a picture or a trace; one, all, or one's own.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "core/base/text/text.h"
#include "core/pipeline/export.h"
#include "core/pipeline/order_check.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

struct ScheduleOptions : CommonOptions
{
    std::string kind = "1f1b";    // an id, or "all"
    ScheduleShape shape{4, 8, 0}; // 0 chunks: as few as the schedule takes
    StageTimes times;
    std::vector<double> stage_weights; // relative time of each virtual stage; empty: equal
    std::string order;                 // file with an order of one's own, "-" for standard input
    std::string svg;                   // file to write
    std::string chrome_trace;          // file to write; opens in Perfetto
    TypedOptions typed;
};

constexpr std::size_t kLongestOrder = 64 << 20; // bytes

// A schedule that was run: what every form of output is written from.
struct Run
{
    std::string kind;
    std::string name;
    std::string says;
    ScheduleShape shape;
    std::int64_t copies = 1;
    double input_share = 0.5;
    Order order;
    Timeline timeline;

    NamedTimeline named() const { return {name, &timeline, input_share}; }
};

// An option that would do nothing is refused: who typed it waits for what it should have done.
void check_files(const ScheduleOptions& o, Issues& issues)
{
    for (const char* name : {"--svg", "--chrome-trace"})
    {
        add_if(issues, o.kind == "all" && o.order.empty() && o.typed.contains(name),
               {name, "shows one schedule, and --kind all is many", "name one with --kind"});
    }
    add_if(issues, !o.order.empty() && o.typed.contains("--kind"),
           {"--kind", fmt::format("{} cannot be given with --order, which is the schedule", o.kind),
            "leave out one of the two"});
}

std::vector<std::string> schedule_ids()
{
    return texts_of(schedules(), [](ScheduleKind kind) { return kind->id; });
}

Issue unknown_kind(const std::string& kind)
{
    Issue issue = unknown_word("--kind", "schedule ", kind, schedule_ids());
    issue.hint += issue.hint.starts_with("use") ? ", or all" : "";
    return issue;
}

Issues check(const ScheduleOptions& o)
{
    Issues issues;
    if (o.kind != "all" && find_schedule(o.kind) == nullptr)
    {
        issues.push_back(unknown_kind(o.kind));
    }
    check_files(o, issues);
    const auto number = [&](const char* name, double value, double least, double most)
    { check_range(issues, name, value, least, most); };
    number("--forward", o.times.forward, 1e-9, 1e9);
    number("--backward-input", o.times.backward_input, 0, 1e9);
    number("--backward-weight", o.times.backward_weight, 0, 1e9);
    number("--transfer", o.times.transfer, 0, 1e9);
    number("--recompute", o.times.recompute, 0, 1e9);
    number("--pair", o.times.pair, 0.25, 1);
    number("--stages", static_cast<double>(o.shape.stages), 1, 1 << 20);
    number("--micro-batches", static_cast<double>(o.shape.micro_batches), 1, 1 << 24);
    number("--chunks", static_cast<double>(o.shape.chunks), o.typed.contains("--chunks") ? 1 : 0, 1024);
    for (const double weight : o.stage_weights)
    {
        number("--stage-weights", weight, 0, 1e6);
    }
    return issues;
}

// Multiplies the times of every virtual stage by its weight.
Issues weigh(const std::vector<double>& weights, Costs& costs)
{
    if (weights.empty())
    {
        return {};
    }
    if (weights.size() != costs.stages.size())
    {
        return {{"stage_weights",
                 fmt::format("{} weights for {} virtual stages", weights.size(), costs.stages.size()),
                 fmt::format("give {}", costs.stages.size())}};
    }
    for (std::size_t k = 0; k < weights.size(); ++k)
    {
        costs.stages[k].forward *= weights[k];
        costs.stages[k].backward_input *= weights[k];
        costs.stages[k].backward_weight *= weights[k];
    }
    return {};
}

double input_share(const StageTimes& t)
{
    const double input = t.backward_input + t.recompute;
    return input + t.backward_weight > 0 ? input / (input + t.backward_weight) : 0.5;
}

Result<Run> run_kind(const ScheduleOptions& o, ScheduleKind kind)
{
    Run run{std::string(kind->id),
            std::string(kind->name),
            std::string(kind->says),
            o.shape,
            weight_copies(kind),
            input_share(o.times),
            {},
            {}};
    if (run.shape.chunks == 0)
    {
        run.shape.chunks = kind->least_chunks;
    }
    const Issues issues = check_shape(kind, run.shape);
    if (!issues.empty())
    {
        return issues;
    }
    if (operations_of(kind, run.shape) > static_cast<double>(kMostOperations))
    {
        return Issue{"micro_batches", fmt::format("{:.3g} operations", operations_of(kind, run.shape)),
                     "at most 4,000,000 are simulated"};
    }
    Costs costs = equal_costs(kind, run.shape, o.times);
    if (Issues uneven = weigh(o.stage_weights, costs); !uneven.empty())
    {
        return uneven;
    }
    run.order = kind->make(run.shape, costs);
    auto timeline = simulate(run.order, costs);
    if (!timeline)
    {
        return timeline.issues();
    }
    run.timeline = std::move(*timeline);
    return run;
}

// The order says how many there are of everything; who types another number means another order.
Issues compare_counts(const ScheduleOptions& o, const ScheduleShape& written)
{
    Issues issues;
    const auto same = [&](const char* name, std::int64_t typed, std::int64_t counted, const char* what)
    {
        add_if(issues, o.typed.contains(name) && typed != counted,
               {name, fmt::format("is {}, the order in {} has {} {}", typed, o.order, counted, what),
                fmt::format("use {} or leave it out", counted)});
    };
    same("--stages", o.shape.stages, written.stages, "ranks");
    same("--micro-batches", o.shape.micro_batches, written.micro_batches, "micro-batches");
    same("--chunks", o.shape.chunks, written.chunks, "chunks a rank");
    return issues;
}

// One's own order. Its chunks are what its virtual stages make of its ranks, rounded up.
Result<Run> run_own(const ScheduleOptions& o)
{
    const auto text = read_text(o.order, {kLongestOrder});
    if (!text)
    {
        return text.issues();
    }
    auto written = read_order(*text);
    if (!written)
    {
        return of_file(written.issues(), o.order);
    }
    const auto ranks = static_cast<std::int64_t>(written->order.size());
    const ScheduleShape shape{ranks, written->micro_batches, (written->virtual_stages + ranks - 1) / ranks};
    Issues faults = check_order(*written);
    append(faults, compare_counts(o, shape));
    if (!faults.empty())
    {
        return faults;
    }
    Costs costs = equal_costs(schedule("1f1b"), {written->virtual_stages, 1, 1}, o.times);
    if (Issues uneven = weigh(o.stage_weights, costs); !uneven.empty())
    {
        return as_options(uneven);
    }
    auto timeline = simulate(written->order, costs);
    if (!timeline)
    {
        return of_file(timeline.issues(), o.order);
    }
    return Run{"own",
               "Own order",
               fmt::format("read from {}; every virtual stage takes the times given", o.order),
               shape,
               weight_copies(*written),
               input_share(o.times),
               std::move(written->order),
               std::move(*timeline)};
}

json to_json(const Run& run)
{
    json ranks = json::array();
    json pairs = json::array();
    for (std::size_t rank = 0; rank < run.order.size(); ++rank)
    {
        json names = json::array();
        for (const Operation& operation : run.order[rank])
        {
            if (operation.with_next)
            {
                pairs.push_back({rank, names.size()});
            }
            names.push_back(to_text(operation));
        }
        ranks.push_back(std::move(names));
    }
    const auto event = [](const Event& e) -> json
    {
        return {{"rank", e.rank},
                {"op", std::string(1, letter(e.operation.pass))},
                {"stage", e.operation.stage},
                {"micro_batch", e.operation.micro_batch},
                {"start", e.start},
                {"end", e.end}};
    };
    const Timeline& t = run.timeline;
    return {{"kind", run.kind},
            {"stages", run.shape.stages},
            {"micro_batches", run.shape.micro_batches},
            {"chunks", run.shape.chunks},
            {"ranks", std::move(ranks)},
            {"pairs", std::move(pairs)},
            {"makespan", t.makespan},
            {"bubble_over_ideal", t.bubble_over_ideal()},
            {"bubble_of_total", t.bubble_of_total()},
            {"stage_span", json_list(t.ranks(), [&](std::size_t rank) { return t.span(rank); })},
            {"longest_stage_span", t.longest_span()},
            {"span_bubble_over_ideal", t.span_bubble_over_ideal()},
            {"span_bubble_of_total", t.span_bubble_of_total()},
            {"peak_in_flight", t.peak_in_flight},
            {"weight_copies", run.copies},
            {"transfers", t.transfers},
            {"events", json_list(t.events, event)}};
}

std::string peaks(const Run& run)
{
    const auto& p = run.timeline.peak_in_flight;
    return p.size() <= 16
               ? fmt::format("{}", fmt::join(p, " "))
               : fmt::format("{} to {}", *std::ranges::min_element(p), *std::ranges::max_element(p));
}

void print_run(const Run& run)
{
    const Timeline& t = run.timeline;
    const char* of_what = run.shape.chunks > 1 ? "micro-batches of a chunk" : "micro-batches";
    put("{}, {} stage{}, {} micro-batch{}, {} chunk{} per stage\n{}\n\n", run.name, run.shape.stages,
        run.shape.stages == 1 ? "" : "s", run.shape.micro_batches, run.shape.micro_batches == 1 ? "" : "es",
        run.shape.chunks, run.shape.chunks == 1 ? "" : "s", run.says);
    put("makespan             {}\n", three_digits(t.makespan));
    put("bubble of total      {}   idle time over total time, first start to last end\n",
        format_percent(t.bubble_of_total()));
    put("bubble over ideal    {}   idle time over working time\n", format_percent(t.bubble_over_ideal()));
    put("longest stage span   {}   {} of it idle, {} over ideal: for back-to-back steps "
        "without a flush\n",
        three_digits(t.longest_span()), format_percent(t.span_bubble_of_total()),
        format_percent(t.span_bubble_over_ideal()));
    put("peak in flight       {}   {} stored per stage, each until its weight gradient is done\n", peaks(run),
        of_what);
    put("weight copies        {}\ntransfers            {}\n", run.copies, grouped(t.transfers));
    put("\nB is the whole backward (input and weight gradients), I the input gradient, W the weight "
        "gradient.\n");
}

// Every schedule of one shape, a line each; those it does not suit say why.
int print_all(const ScheduleOptions& o)
{
    json all = json::array();
    TextTable table({{"", -16},
                     {"chunks", 7},
                     {"makespan", 10},
                     {"of total", 10},
                     {"over ideal", 12},
                     {"peak", 8},
                     {"copies", 8},
                     {"transfers", 11}});
    for (const ScheduleKind kind : schedules())
    {
        const auto run = run_kind(o, kind);
        if (!run)
        {
            const std::string refused = to_line(as_options(run.issues()).front());
            all.push_back({{"kind", kind->id}, {"refused", refused}});
            table.add_row({fmt::format("{:<16}{}", kind->name, refused)});
            continue;
        }
        json row = to_json(*run);
        row.erase("events");
        row.erase("ranks");
        all.push_back(std::move(row));
        const Timeline& t = run->timeline;
        const auto peak = static_cast<double>(*std::ranges::max_element(t.peak_in_flight));
        table.add(run->name, run->shape.chunks, three_digits(t.makespan), format_percent(t.bubble_of_total()),
                  format_percent(t.bubble_over_ideal()),
                  three_digits(peak / static_cast<double>(run->shape.chunks)), run->copies,
                  grouped(t.transfers));
    }
    if (o.json)
    {
        print_document({{"schedules", std::move(all)}}, -1);
        return kDone;
    }
    put("{}\nof total: idle over total time. over ideal: idle over working time. peak: most micro-batches in "
        "flight, in whole stages, on the stage with most.\n",
        table.text());
    return kDone;
}

// Standard output has room for one.
Issues check_outputs(const ScheduleOptions& o)
{
    const int asked = static_cast<int>(o.json) + static_cast<int>(is_standard_output(o.svg)) +
                      static_cast<int>(is_standard_output(o.chrome_trace));
    return asked < 2 ? Issues{}
                     : Issues{{is_standard_output(o.svg) ? "--svg" : "--chrome-trace",
                               "- is standard output, which something else goes to as well",
                               "give a file, and - to one at most"}};
}

Issues save(const ScheduleOptions& o, const Run& run)
{
    const std::array named{run.named()};
    Issues issues;
    if (!o.svg.empty())
    {
        issues = save_text(o.svg, timeline_svg(named));
    }
    if (!o.chrome_trace.empty())
    {
        append(issues, save_text(o.chrome_trace, timeline_trace(named)));
    }
    return issues;
}

int run_schedule(const ScheduleOptions& o)
{
    Issues issues = check(o);
    append(issues, check_outputs(o));
    end_with(issues);
    if (o.kind == "all" && o.order.empty())
    {
        return print_all(o);
    }
    const auto run = o.order.empty() ? run_kind(o, find_schedule(o.kind)) : run_own(o);
    if (!run)
    {
        return print_faults(o.order.empty() ? as_options(run.issues()) : run.issues());
    }
    end_with(save(o, *run));
    if (o.json)
    {
        print_document(to_json(*run), -1);
    }
    else if (!is_standard_output(o.svg) && !is_standard_output(o.chrome_trace))
    {
        print_run(*run);
    }
    return kDone;
}

void add_schedule_options(CLI::App& app, ScheduleOptions& o)
{
    const auto number = [&app](const char* name, auto& value, const char* says)
    { app.add_option(name, value, says)->capture_default_str(); };
    app.add_option("--kind", o.kind, fmt::format("schedule: {}, or all", fmt::join(schedule_ids(), ", ")))
        ->capture_default_str();
    number("--stages", o.shape.stages, "pipeline stages (ranks)");
    number("--micro-batches", o.shape.micro_batches, "micro-batches per step");
    app.add_option("--chunks", o.shape.chunks,
                   "model chunks per stage (virtual pipeline); default: the fewest the schedule allows");
    number("--forward", o.times.forward, "time of a stage's forward pass, in any unit");
    number("--backward-input", o.times.backward_input, "time of the input gradients");
    number("--backward-weight", o.times.backward_weight, "time of the weight gradients");
    number("--transfer", o.times.transfer, "time of a transfer to the next stage");
    app.add_flag("--blocking", o.times.blocking, "a stage does not compute while it sends");
    number("--recompute", o.times.recompute, "time of recomputation before a backward pass");
    number("--pair", o.times.pair,
           "time of an overlapped F and B, relative to one after the other (DualPipe)");
    app.add_option("--stage-weights", o.stage_weights, "relative time of each virtual stage: 1,1,1,1.3")
        ->delimiter(',');
    app.add_option("--order", o.order,
                   "file with your own order, one line per rank: 0F0 0B0; - for standard input");
    app.add_option("--svg", o.svg, "write the timeline as SVG; - for standard output");
    app.add_option("--chrome-trace", o.chrome_trace, "write a trace for Perfetto; - for standard output");
    add_json(app, o);
}

} // namespace

const CliCommand schedule_command = command<add_schedule_options, run_schedule>(
    "schedule", "simulate a pipeline schedule: order, bubble, activations in flight; --kind all compares");

} // namespace ringside
