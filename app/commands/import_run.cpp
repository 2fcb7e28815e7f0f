#include "app/commands/import_run.h"

#include "app/commands/console/input.h"
#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "app/files/run_file.h"
#include "core/runs/compare.h"
#include "core/scenario/json/json.h"

namespace ringside
{

namespace
{

// The run, and the scenario that it is compared with.
struct ReadRun
{
    RunReading run;
    std::optional<LaunchReading> launch;
    std::optional<RunComparison> compared;
    Issues issues;
};

void compare(ReadRun& read, const std::vector<RunFile>& files, const RunOptions& o, const Presets& presets)
{
    if (!o.scenario.empty())
    {
        const EvaluatedFile evaluated = evaluate_file(o, o.scenario, o.sets);
        read.compared = compare_run(read.run, evaluated.scenario, evaluated.report);
        return;
    }
    auto launch = scenario_of_run(read.run, launches_of(read.run, files), presets);
    if (launch && !*launch)
    {
        append(read.issues, launch->issues());
    }
    if (!launch || !*launch)
    {
        return;
    }
    read.launch = std::move(**launch);
    if (is_stated(*read.launch))
    {
        const auto report = evaluate(read.launch->scenario);
        if (report)
        {
            read.compared = compare_run(read.run, read.launch->scenario, *report);
        }
    }
}

nlohmann::json document_of(const ReadRun& read, const Presets& presets)
{
    nlohmann::json out = to_json(read.run);
    if (read.launch)
    {
        const nlohmann::json launch = to_json(*read.launch, presets);
        out["scenario"] = launch["scenario"];
        out["fields"] = launch["fields"];
        auto guessed = nlohmann::json::array();
        for (const ReadField& field : read.launch->fields)
        {
            if (field.from == Basis::guessed)
            {
                guessed.push_back(field.field);
            }
        }
        out["guessed"] = std::move(guessed);
    }
    if (read.compared)
    {
        out["compared"] = to_json(*read.compared);
        out["difference"] = json_list(
            read.compared->parts,
            [](const ComparedPart& part) -> nlohmann::json
            {
                return {{"part", part.name},
                        {"predicted_s", part.predicted},
                        {"measured_s", part.measured ? nlohmann::json(*part.measured) : nlohmann::json()},
                        {"view", part.place}};
            });
        out["says"] = out["says"].get<std::string>() + " " + read.compared->says;
    }
    return out;
}

std::string milliseconds(double seconds)
{
    return three_digits(seconds * 1e3);
}

void print_traces(const RunReading& run)
{
    if (run.traces.empty())
    {
        return;
    }
    TextTable table({{"rank"},
                     {"total, ms"},
                     {"computing"},
                     {"communication"},
                     {"exposed"},
                     {"copies"},
                     {"idle"},
                     {"launch gaps"},
                     {"device", -24}});
    for (const GpuTrace& trace : run.traces)
    {
        const GpuTimeline& t = trace.timeline;
        table.add(trace.rank < 0 ? "?" : std::to_string(trace.rank), milliseconds(t.total),
                  milliseconds(t.computing), milliseconds(t.communication),
                  milliseconds(t.exposed_communication), milliseconds(t.exposed_copies), milliseconds(t.idle),
                  milliseconds(t.launch_gaps), trace.device);
    }
    table.fit();
    say("\n{}", table.text("  "));
    TextTable calls(
        {{"collective", -24}, {"group", -24}, {"calls"}, {"bytes"}, {"ms"}, {"exposed"}, {"bus, GB/s"}});
    for (const TraceCollective& each : run.traces.front().collectives)
    {
        calls.add(each.name, each.group, std::to_string(each.count),
                  format_bytes(Bytes{static_cast<double>(std::max(each.bytes_in, each.bytes_out))}),
                  milliseconds(each.seconds), milliseconds(each.exposed),
                  three_digits(each.bus_bytes_per_second() / 1e9));
    }
    if (!run.traces.front().collectives.empty())
    {
        calls.fit();
        say("\n{}", calls.text("  "));
    }
}

void print_groups(const char* heading, const std::vector<SnapshotGroup>& groups)
{
    if (groups.empty())
    {
        return;
    }
    TextTable table({{"", -44}, {"blocks"}, {"total"}});
    for (const SnapshotGroup& group : groups)
    {
        table.add(group.by.empty() ? grouped(group.bytes) + " B" : group.by, std::to_string(group.count),
                  format_bytes(Bytes{static_cast<double>(group.total())}));
    }
    table.fit();
    say("\n{}\n{}", heading, table.text("  ", false, "  "));
}

void print_comparison(const RunComparison& compared)
{
    TextTable metrics({{"", -26}, {"predicted"}, {"measured"}, {"error"}});
    for (const ComparedMetric& row : compared.metrics)
    {
        metrics.add(row.metric, three_digits(row.predicted), three_digits(row.measured),
                    format_percent(row.error()));
    }
    metrics.fit();
    say("\n{}", metrics.text("  "));
    TextTable parts({{"a step, ms", -26}, {"predicted"}, {"measured"}, {"difference"}});
    for (const ComparedPart& part : compared.parts)
    {
        parts.add(part.name, milliseconds(part.predicted), part.measured ? milliseconds(*part.measured) : "",
                  part.measured ? milliseconds(part.change()) : "");
    }
    if (!compared.parts.empty())
    {
        parts.fit();
        say("\n{}{}\n", parts.text("  "), compared.says);
    }
}

void print_run(const ReadRun& read)
{
    say("{}\n", sentence_of(read.run));
    print_traces(read.run);
    if (read.run.snapshot)
    {
        print_groups("in use at the peak, by size", read.run.snapshot->peak_sizes);
        print_groups("by the program's line", read.run.snapshot->peak_lines);
    }
    if (read.compared)
    {
        print_comparison(*read.compared);
    }
    for (const std::string& message : read.run.messages)
    {
        say("note: {}\n", message);
    }
    for (const std::string& message : read.run.log ? read.run.log->messages : std::vector<std::string>())
    {
        say("note: {}\n", message);
    }
    if (!read.compared)
    {
        say("give --scenario FILE, or the run's launch file beside these, to compare it with the engine\n");
    }
}

} // namespace

void add_run_options(CLI::App& app, RunOptions& o)
{
    app.add_option(
           "FILE", o.files,
           "logs, traces, memory snapshots, flight-recorder dumps, tables of nsys stats and nccl-tests, "
           "launch files beside them, or folders; - for standard input")
        ->required();
    app.add_option("--scenario", o.scenario, "scenario or launch file to compare the run with");
    app.add_flag(
        "--watch", o.watch,
        "follow one log while the run goes on: a line now, and whenever it leaves its band or slows down");
    app.add_option("--idle", o.idle, "with --watch: end after so many seconds without a new line; 0: never")
        ->check(CLI::Range(0.0, 1e6));
    add_scenario_sets(app, o.sets);
    add_json(app, o);
}

int run_import_run(const RunOptions& o)
{
    if (o.watch)
    {
        return run_watch(o);
    }
    const Presets& presets = open_presets(o).presets;
    ReadRun read;
    const std::vector<RunFile> files = or_end(run_files(o.files));
    read.run = or_end(read_run(files));
    compare(read, files, o, presets);
    if (o.json)
    {
        print_document(document_of(read, presets));
    }
    else
    {
        print_run(read);
    }
    print_faults(read.issues);
    return kDone;
}

} // namespace ringside
