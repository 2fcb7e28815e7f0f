// `ringside evaluate`: what a scenario needs, as text, JSON, Markdown or CSV.
#include "app/commands/console/options.h"
#include "app/commands/console/replayed.h"
#include "app/commands/console/serving_text.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report_json.h"
#include "core/evaluate/serving_figures.h"
#include "core/memory/conventions.h"
#include "core/model/stages.h"
#include "core/scenario/serving.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

struct EvaluateOptions : CommonOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
    std::string convention = "ringside";
    bool markdown = false;
    bool csv = false;
};

// A row a component, from the largest stage's top down, and a column for each of the first stages.
TextTable memory_by_component(const MemoryReport& memory)
{
    const std::size_t shown = std::min<std::size_t>(memory.stages.size(), 8);
    std::vector<TextTable::Column> columns{{"GB per GPU", -16}};
    for (std::size_t i = 0; i < shown; ++i)
    {
        columns.push_back({fmt::format("stage {}", i), 10});
    }
    TextTable table(std::move(columns));
    const auto row = [&](std::string_view name, const auto& part)
    {
        std::vector<std::string> cells{std::string(name)};
        for (std::size_t i = 0; i < shown; ++i)
        {
            cells.push_back(format_gigabytes(part(memory.stages[i])));
        }
        table.add_row(std::move(cells));
    };
    for (std::size_t c = kComponents; c-- > 0;)
    {
        row(name_of(static_cast<Component>(c)), [c](const StageMemory& s) { return s.parts[c]; });
    }
    row("total", [](const StageMemory& s) { return s.total(); });
    return table;
}

// A row a stage.
TextTable memory_by_stage(const MemoryReport& memory)
{
    std::vector<TextTable::Column> columns{{"stage", 1}, {"layers", 1}, {"in flight", 1}};
    for (std::size_t c = 0; c < kComponents; ++c)
    {
        columns.push_back({std::string(name_of(static_cast<Component>(c))), 1});
    }
    columns.push_back({"total", 1});
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < memory.stages.size(); ++i)
    {
        const StageMemory& stage = memory.stages[i];
        std::vector<std::string> cells{std::to_string(i), std::to_string(stage.layers),
                                       fmt::format("{}", stage.in_flight)};
        for (const Bytes part : stage.parts)
        {
            cells.push_back(format_gigabytes(part));
        }
        cells.push_back(format_gigabytes(stage.total()));
        table.add_row(std::move(cells));
    }
    return table;
}

// The parts of the step's time that are there.
TextTable step_parts(const StepTime& step)
{
    TextTable table({{"part", -24}, {"time", 10}, {"share", 8}});
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const double part = step.slices[i];
        if (part != 0)
        {
            table.add(name_of(static_cast<Slice>(i)), format_seconds(Seconds(part)),
                      format_percent(part / step.total()));
        }
    }
    return table;
}

std::string layout_words(const Scenario& s)
{
    return fmt::format("data {} x tensor {} x context {} x pipeline {}, {} micro-batch{}, ZeRO-{}",
                       data_parallel(s), s.parallel.tensor, s.parallel.context, s.parallel.pipeline,
                       micro_batches(s), micro_batches(s) == 1 ? "" : "es", s.parallel.zero);
}

std::string fit_words(const MemoryReport& memory)
{
    return fmt::format("{}: {} of {} on stage {} (card, as nvidia-smi shows it); PyTorch allocates {}",
                       memory.fits()                           ? "Fits"
                       : memory.verdict() == MemoryVerdict::no ? "Does not fit"
                                                               : "May not fit",
                       format_bytes(memory.worst().total()), format_bytes(memory.capacity), memory.fullest,
                       format_bytes(memory.most_allocated().allocated()));
}

// What is right and looks wrong, a line each.
std::string remark_lines(const Scenario& s, const Report& report)
{
    std::string lines;
    for (const std::string& remark : remarks(s, report))
    {
        lines += "note: " + remark + "\n";
    }
    return lines;
}

// What holds 80% of new runs, and what that rests on.
std::string band_lines(const Scenario& s, const Report& report)
{
    const double step = report.step.total();
    const double mfu = report.step.mfu();
    const double bytes = report.memory.worst().total().value;
    const Band of_step = step_band(s, report);
    const Band of_memory = memory_band(s);
    return fmt::format("80% range of the step: {} to {}, MFU {} to {}: {}\n"
                       "80% range of the memory: {} to {}: {}",
                       format_seconds(Seconds(step * of_step.low)),
                       format_seconds(Seconds(step * of_step.high)), format_percent(mfu / of_step.high),
                       format_percent(mfu / of_step.low), step_evidence_words(s, step),
                       format_bytes(Bytes(bytes * of_memory.low)),
                       format_bytes(Bytes(bytes * of_memory.high)), memory_evidence_words(s));
}

std::string report_text(const Scenario& s, const Report& report)
{
    const Timeline& timeline = report.pipeline->timeline;
    return fmt::format(
        "{}, {} parameters on {} x {}\n{}\n\n{}\n{}\n"
        "Schedule in units of stage_times: bubble {} of total, {} over ideal\n"
        "Step {}, bubble {} of it, MFU {}, HFU {} (attention's scores counted in full, dense peak)\n"
        "Software {}{}\n{}\n{}",
        s.model.name, format_count(static_cast<double>(report.parameters.total)), grouped(s.cluster.gpus),
        s.cluster.gpu.name, layout_words(s), memory_by_component(report.memory).text(),
        fit_words(report.memory), format_percent(timeline.bubble_of_total()),
        format_percent(timeline.bubble_over_ideal()), format_seconds(Seconds(report.step.total())),
        format_percent(explain_step_bubble(report).value), format_percent(report.step.mfu()),
        format_percent(report.step.hfu()), s.software.name,
        s.software.inferred ? " (usual for this GPU)" : "", band_lines(s, report),
        step_parts(report.step).text("", false, "  ") + remark_lines(s, report));
}

std::string report_markdown(const Scenario& s, const Report& report)
{
    TextTable values({{"metric"}, {"value", 1}, {"unit"}});
    for (const Metric* metric : metrics_of(report))
    {
        values.add(metric->name, fmt::format("{:.6g}", metric->value(s, report)), metric->unit);
    }
    return fmt::format("# {} on {} x {}\n\n{} parameters; {}. {}.\n\n## Memory per GPU [GB]\n\n{}\n"
                       "## Step: {}, MFU {}\n\n{}\n## Metrics\n\n{}",
                       s.model.name, grouped(s.cluster.gpus), s.cluster.gpu.name,
                       format_count(static_cast<double>(report.parameters.total)), layout_words(s),
                       fit_words(report.memory), memory_by_stage(report.memory).markdown(),
                       format_seconds(Seconds(report.step.total())), format_percent(report.step.mfu()),
                       step_parts(report.step).markdown(), values.markdown());
}

// The shortest text that reads back as the same number.
std::string in_full(double value)
{
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

// Every metric, whose stage is empty, then what each stage holds. Numbers in full.
std::string report_csv(const Scenario& scenario, const Report& report)
{
    TextTable table({{"metric"}, {"stage"}, {"value"}, {"unit"}});
    for (const Metric* metric : metrics_of(report))
    {
        table.add(metric->name, "", in_full(metric->value(scenario, report)), metric->unit);
    }
    for (std::size_t i = 0; i < report.memory.stages.size(); ++i)
    {
        const StageMemory& stage = report.memory.stages[i];
        const auto row = [&](std::string_view name, double value, std::string_view unit)
        { table.add(name, i, in_full(value), unit); };
        row("stage.layers", static_cast<double>(stage.layers), "");
        row("stage.in_flight", static_cast<double>(stage.in_flight), "");
        row("stage.parameters", static_cast<double>(stage.parameters), "");
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            row(fmt::format("memory.{}", key_of(static_cast<Component>(c))), stage.parts[c].value, "B");
        }
        row("memory.total_bytes", stage.total().value, "B");
        row("memory.allocated_bytes", stage.allocated().value, "B");
    }
    return table.csv();
}

// What another tool would say of the same scenario.
json convention_json(const Scenario& s, const std::string& convention)
{
    if (convention == "megatron")
    {
        const MegatronReport r = megatron_report(s);
        return {{"convention", convention},
                {"weights_and_optimizer_bytes", r.weights_and_optimizer.value},
                {"activations_bytes", r.activations.value},
                {"total_bytes", r.total().value}};
    }
    if (convention == "deepspeed-zero2" || convention == "deepspeed-zero3")
    {
        const DeepSpeedInputs in = deepspeed_inputs(s);
        const DeepSpeedEstimate e =
            convention == "deepspeed-zero2" ? deepspeed_zero2(in) : deepspeed_zero3(in);
        return {{"convention", convention}, {"gpu_bytes", e.gpu.value}, {"cpu_bytes", e.cpu.value}};
    }
    const double parameters = static_cast<double>(count_parameters(s.model).total) /
                              static_cast<double>(s.parallel.tensor * s.parallel.pipeline);
    return {{"convention", convention},
            {"total_bytes", zero_paper_bytes(parameters, dense_replicas(s), s.parallel.zero).value}};
}

int run_evaluate(const EvaluateOptions& o)
{
    EvaluatedFile read = evaluate_file(o, o.file, o.sets);
    print_faults(read.warnings, o.file);
    if (read.scenario.serving && read.scenario.serving->traffic.arrivals() == Arrivals::trace)
    {
        read.report.serving = replayed(read.scenario, read.scenario.serving->traffic.trace, {}).figures;
    }
    if (o.convention != "ringside")
    {
        print_document(convention_json(read.scenario, o.convention));
    }
    else if (o.json)
    {
        print_document(report_json(read.scenario, read.report, read.warnings));
    }
    else
    {
        using Form = std::string (*)(const Scenario&, const Report&);
        const Form text = read.report.serving ? Form(serving_text) : Form(report_text);
        const Form form = o.markdown ? Form(report_markdown) : o.csv ? Form(report_csv) : text;
        say("{}", form(read.scenario, read.report));
    }
    const bool fits =
        read.report.serving ? read.report.serving->fits : read.report.memory.verdict() != MemoryVerdict::no;
    return fits ? kDone : kNo;
}

void add_evaluate_options(CLI::App& app, EvaluateOptions& o)
{
    add_scenario_file(app, o.file);
    add_scenario_sets(app, o.sets);
    const std::vector<std::string> conventions{"ringside", "megatron", "deepspeed-zero2", "deepspeed-zero3",
                                               "zero-paper"};
    one_of(app.add_option("--convention", o.convention,
                          fmt::format("count memory as this tool does: {}", fmt::join(conventions, ", "))),
           conventions);
    auto* document = add_json(app, o);
    auto* markdown = app.add_flag("--markdown", o.markdown,
                                  "Markdown tables: memory by stage, step time, every metric with its unit");
    auto* csv = app.add_flag("--csv", o.csv, "CSV, numbers in full: metric,stage,value,unit");
    exclude_each_other({document, markdown, csv});
}

} // namespace

const CliCommand evaluate_command = command<add_evaluate_options, run_evaluate>(
    "evaluate", "memory by stage, step time, bubble and MFU of a scenario; exit 1 if it does not fit");

} // namespace ringside
