// `ringside replay`: the requests of a file, served as a scenario says.
#include "app/commands/console/options.h"
#include "app/commands/console/serving_text.h"
#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "core/evaluate/report_json.h"
#include "core/scenario/serving.h"
#include "core/scenario/validate.h"
#include "core/serving/engine/request_file.h"

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::size_t kMostTraceBytes = std::size_t{4} << 30U;

struct ReplayOptions : CommonOptions
{
    std::string file;
    std::string trace;
    std::vector<std::string> sets;
    double speed = 1;
    std::int64_t first = 0;
    std::int64_t cache_blocks = 0;
    bool csv = false;
};

std::string requests_csv(const std::vector<EngineRequest>& requests)
{
    std::string text = "arrival_s,prompt,output,cached,start_s,first_token_s,end_s,ttft_s,tpot_s,preempted\n";
    for (const EngineRequest& r : requests)
    {
        text += fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{}\n", r.arrival, r.prompt,
                            r.output, r.cached, r.start, r.first, r.end, r.ttft(), r.tpot(), r.preempted);
    }
    return text;
}

json replay_json(const Scenario& scenario, const RequestTrace& trace, double hits, const Report& report)
{
    json out = {{"format", trace.format}, {"requests", report.serving->requests}, {"prefix_hit", hits}};
    for (const Metric& metric : serving_metrics())
    {
        out["metrics"][std::string(metric.name)] = metric_value(metric, scenario, report);
    }
    out["evidence"] = serving_evidence_words(scenario, ServingMeasure::ttft);
    return out;
}

int run_replay(const ReplayOptions& o)
{
    const Opened opened = open_presets(o);
    Scenario scenario = read_scenario(o.file, o.sets, opened.presets);
    if (scenario.serving == nullptr)
    {
        end_with({{"serving", "is not in the scenario", "add \"serving\": {\"engine\": \"vllm\"}"}});
    }
    end_with(of_file(errors_of(validate(scenario)), o.file));
    const std::string text = or_end(read_text(o.trace, {kMostTraceBytes}), o.trace);
    RequestTrace trace = or_end(read_requests(text, static_cast<std::size_t>(o.first), o.speed), o.trace);
    const double hits = find_prefixes(trace, static_cast<std::size_t>(o.cache_blocks));
    Report report;
    report.serving = std::make_shared<const ServingFigures>(serving_figures(scenario, trace.requests));
    if (o.csv)
    {
        fmt::print("{}", requests_csv(report.serving->run.requests));
    }
    else if (o.json)
    {
        print_document(replay_json(scenario, trace, hits, report));
    }
    else
    {
        say("{} requests of a trace ({}), {} of the prompts' tokens are in the prefix cache\n{}",
            trace.requests.size(), trace.format, format_percent(hits), serving_text(scenario, report));
    }
    return report.serving->fits ? kDone : kNo;
}

void add_replay_options(CLI::App& app, ReplayOptions& o)
{
    add_scenario_file(app, o.file);
    app.add_option(
           "TRACE", o.trace,
           "file of requests: Mooncake's JSON lines, Azure's or BurstGPT's CSV, vLLM's benchmark JSON")
        ->required();
    add_sets(app, o.sets);
    real(app.add_option("--speed", o.speed, "arrival rate as a multiple of the trace's"), 1e-6, 1e6);
    whole(app.add_option("--first", o.first, "replay only the first N requests; 0: all"), 0, 1'000'000'000);
    whole(app.add_option("--cache-blocks", o.cache_blocks,
                         "size of the prefix cache, in blocks of 512 tokens; 0: unlimited"),
          0, 4'000'000'000);
    auto* document = add_json(app, o);
    auto* csv = app.add_flag("--csv", o.csv, "CSV: a row for each request with its times");
    exclude_each_other({document, csv});
}

} // namespace

const CliCommand replay_command = command<add_replay_options, run_replay>(
    "replay", "serve the requests of a trace file; exit 1 if they do not fit");

} // namespace ringside
