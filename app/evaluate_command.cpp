#include "app/evaluate_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "app/report_tables.h"
#include "core/base/text.h"
#include "core/engine/conventions.h"
#include "core/engine/report.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

json metric_value(const Metric& metric, const Scenario& scenario, const Report& report)
{
    const double value = metric.value(scenario, report);
    if (metric.name == "memory.fits")
    {
        return value != 0;
    }
    const bool whole =
        std::abs(value) < 9e15 && value == std::trunc(value) && !metric.name.starts_with("step.");
    return whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

json bytes(Bytes value)
{
    return value.value < 9e15 ? json(static_cast<std::int64_t>(value.value)) : json(value.value);
}

json stage_json(const StageMemory& stage, std::size_t index)
{
    json out = {{"stage", index},
                {"layers", stage.layers},
                {"in_flight", stage.in_flight},
                {"parameters", stage.parameters},
                {"total_bytes", bytes(stage.total())}};
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        out[std::string(key_of(static_cast<Component>(i)))] = bytes(stage.parts[i]);
    }
    const BufferParts& b = stage.buffers;
    out["buffers"] = {{"gradient_workspace_bytes", bytes(b.gradient_workspace)},
                      {"working_set_bytes", bytes(b.working_set)},
                      {"recomputed_bytes", bytes(b.recomputed)},
                      {"gathered_bytes", bytes(b.gathered)},
                      {"transfer_bytes", bytes(b.transfer)},
                      {"fragmentation_bytes", bytes(b.fragmentation)}};
    out["host_bytes"] = bytes(stage.host_bytes);
    out["nvme_bytes"] = bytes(stage.nvme_bytes);
    return out;
}

json report_json(const Scenario& scenario, const Report& report, const Issues& warnings)
{
    json out = {{"schema", "ringside.report/1"}, {"metrics", json::object()}, {"warnings", json::array()}};
    for (const Metric& metric : metrics())
    {
        const json value = metric_value(metric, scenario, report);
        const std::string name(metric.name);
        const auto dot = name.find('.');
        out["metrics"][name] = value;
        out[name.substr(0, dot)][name.substr(dot + 1)] = value;
    }
    out["memory"]["fullest_stage"] = report.memory.fullest;
    for (std::size_t i = 0; i < report.memory.stages.size(); ++i)
    {
        out["memory"]["stages"].push_back(stage_json(report.memory.stages[i], i));
    }
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        out["step"]["waterfall"].push_back(
            {{"part", name_of(static_cast<Slice>(i))}, {"seconds", report.step.slices[i]}});
    }
    for (const Issue& issue : warnings)
    {
        out["warnings"].push_back({{"path", issue.path}, {"message", issue.message}, {"hint", issue.hint}});
    }
    return out;
}

void print_report(const Scenario& s, const Report& report)
{
    const StageMemory& worst = report.memory.worst();
    say("{}, {} parameters on {} x {}\n", s.model.name,
        format_count(static_cast<double>(report.parameters.total)), grouped(s.cluster.gpus),
        s.cluster.gpu.name);
    say("data {} x tensor {} x context {} x pipeline {}, {} micro-batches, ZeRO-{}\n\n", data_parallel(s),
        s.parallel.tensor, s.parallel.context, s.parallel.pipeline, micro_batches(s), s.parallel.zero);
    say("{:<16}", "GB per GPU");
    const std::size_t shown = std::min<std::size_t>(report.memory.stages.size(), 8);
    for (std::size_t i = 0; i < shown; ++i)
    {
        say("{:>10}", fmt::format("stage {}", i));
    }
    say("\n");
    for (std::size_t c = kComponents; c-- > 0;)
    {
        say("{:<16}", name_of(static_cast<Component>(c)));
        for (std::size_t i = 0; i < shown; ++i)
        {
            say("{:>10}", format_gigabytes(report.memory.stages[i].parts[c]));
        }
        say("\n");
    }
    say("{:<16}", "total");
    for (std::size_t i = 0; i < shown; ++i)
    {
        say("{:>10}", format_gigabytes(report.memory.stages[i].total()));
    }
    say("\n\n{}: {} of {} on stage {}\n", report.memory.fits() ? "Fits" : "Does not fit",
        format_bytes(worst.total()), format_bytes(report.memory.capacity), report.memory.fullest);
    say("Bubble {} of total, {} over ideal\n", format_percent(report.pipeline.timeline.bubble_of_total()),
        format_percent(report.pipeline.timeline.bubble_over_ideal()));
    say("Step {}, MFU {}, HFU {}\n", format_seconds(Seconds(report.step.total())),
        format_percent(report.step.mfu()), format_percent(report.step.hfu()));
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const double part = report.step.slices[i];
        if (part != 0)
        {
            say("  {:<24}{:>10}{:>8}\n", name_of(static_cast<Slice>(i)), format_seconds(Seconds(part)),
                format_percent(part / report.step.total()));
        }
    }
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

} // namespace

namespace
{

void print_as_asked(const CommonOptions& common, const EvaluateOptions& o, const Scenario& scenario,
                    const Report& report, const Issues& warnings)
{
    if (o.convention != "ringside")
    {
        fmt::print("{}\n", convention_json(scenario, o.convention).dump(2));
    }
    else if (common.json)
    {
        fmt::print("{}\n", report_json(scenario, report, warnings).dump(2));
    }
    else if (o.markdown)
    {
        say("{}", report_markdown(scenario, report));
    }
    else if (o.csv)
    {
        say("{}", report_csv(scenario, report));
    }
    else
    {
        print_report(scenario, report);
    }
}

} // namespace

int run_evaluate(const CommonOptions& common, const EvaluateOptions& options)
{
    const auto opened = open_presets(common);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    Issues warnings;
    const auto scenario = read_scenario(options.file, options.sets, opened->presets, warnings);
    if (!scenario)
    {
        return print_faults(scenario.issues(), options.file);
    }
    print_faults(warnings, options.file);
    const auto report = evaluate(*scenario);
    if (!report)
    {
        return print_faults(report.issues(), options.file);
    }
    print_as_asked(common, options, *scenario, *report, warnings);
    return report->memory.fits() ? kDone : kNo;
}

} // namespace ringside
