// `ringside replay`: the requests of a file, served as a scenario says.
#include "app/commands/console/options.h"
#include "app/commands/console/replayed.h"
#include "app/commands/console/serving_text.h"
#include "app/commands/console/table.h"
#include "core/evaluate/report_json.h"
#include "core/scenario/serving.h"
#include "core/scenario/validate.h"

namespace ringside
{

using nlohmann::json;

namespace
{

struct ReplayOptions : CommonOptions
{
    std::string file;
    std::string trace;
    std::vector<std::string> sets;
    ReplaySettings settings;
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

json replay_json(const Scenario& scenario, const Replayed& done, const Report& report)
{
    json out = {
        {"format", done.format}, {"requests", done.figures->requests}, {"prefix_hit", done.prefix_hit}};
    for (const Metric& metric : serving_metrics())
    {
        out["metrics"][std::string(metric.name)] = metric_value(metric, scenario, report);
    }
    out["evidence"] = serving_evidence_words(scenario, ServingMeasure::ttft);
    return out;
}

int run_replay(const ReplayOptions& o)
{
    const Opened& opened = open_presets(o);
    Scenario scenario = read_scenario(o.file, o.sets, opened.presets);
    if (scenario.serving == nullptr)
    {
        end_with({{"serving", "is not in the scenario", "add \"serving\": {\"engine\": \"vllm\"}"}});
    }
    end_with(of_file(errors_of(validate(scenario)), o.file));
    const Replayed done = replayed(scenario, o.trace, o.settings);
    Report report;
    report.serving = done.figures;
    if (o.csv)
    {
        put("{}", requests_csv(report.serving->run.requests));
    }
    else if (o.json)
    {
        print_document(replay_json(scenario, done, report));
    }
    else
    {
        say("{} requests of a trace ({}), {} of the prompts' tokens are in the prefix cache\n{}",
            done.requests, done.format, format_percent(done.prefix_hit), serving_text(scenario, report));
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
    add_scenario_sets(app, o.sets);
    real(app.add_option("--speed", o.settings.speed, "arrival rate as a multiple of the trace's"), 1e-6, 1e6);
    whole(app.add_option("--first", o.settings.first, "replay only the first N requests; 0: all"), 0,
          1'000'000'000);
    whole(app.add_option("--cache-blocks", o.settings.cache_blocks,
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
