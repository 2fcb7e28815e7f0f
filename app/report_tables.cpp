#include "app/report_tables.h"

#include <fmt/format.h>

#include "core/base/csv.h"
#include "core/base/text.h"

#include <cmath>

namespace ringside
{

namespace
{

// The shortest text that reads back as the same number.
std::string in_full(double value)
{
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string heading(const Scenario& s, const Report& r)
{
    return fmt::format("# {} on {} x {}\n\n{} parameters; data {} x tensor {} x context {} x pipeline {}, {} "
                       "micro-batches, ZeRO-{}. {}: {} of {} on stage {}.\n",
                       s.model.name, grouped(s.cluster.gpus), s.cluster.gpu.name,
                       format_count(static_cast<double>(r.parameters.total)), data_parallel(s),
                       s.parallel.tensor, s.parallel.context, s.parallel.pipeline, micro_batches(s),
                       s.parallel.zero, r.memory.fits() ? "Fits" : "Does not fit",
                       format_bytes(r.memory.worst().total()), format_bytes(r.memory.capacity),
                       r.memory.fullest);
}

std::string memory_table(const Report& report)
{
    std::string out = "\n## Memory of a GPU [GB]\n\n| stage | layers | in flight |";
    std::string rule = "\n|---:|---:|---:|";
    for (std::size_t c = 0; c < kComponents; ++c)
    {
        out += fmt::format(" {} |", name_of(static_cast<Component>(c)));
        rule += "---:|";
    }
    out += " total |" + rule + "---:|\n";
    for (std::size_t i = 0; i < report.memory.stages.size(); ++i)
    {
        const StageMemory& stage = report.memory.stages[i];
        out += fmt::format("| {} | {} | {} |", i, stage.layers, stage.in_flight);
        for (const Bytes part : stage.parts)
        {
            out += fmt::format(" {} |", format_gigabytes(part));
        }
        out += fmt::format(" {} |\n", format_gigabytes(stage.total()));
    }
    return out;
}

std::string step_table(const Report& report)
{
    std::string out =
        fmt::format("\n## Step: {}, MFU {}\n\n| part | time | share |\n|---|---:|---:|\n",
                    format_seconds(Seconds(report.step.total())), format_percent(report.step.mfu()));
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const double part = report.step.slices[i];
        if (part != 0)
        {
            out += fmt::format("| {} | {} | {} |\n", name_of(static_cast<Slice>(i)),
                               format_seconds(Seconds(part)), format_percent(part / report.step.total()));
        }
    }
    return out;
}

} // namespace

std::string report_markdown(const Scenario& scenario, const Report& report)
{
    std::string out = heading(scenario, report) + memory_table(report) + step_table(report);
    out += "\n## Metrics\n\n| metric | value | unit |\n|---|---:|---|\n";
    for (const Metric& metric : metrics())
    {
        out +=
            fmt::format("| {} | {:.6g} | {} |\n", metric.name, metric.value(scenario, report), metric.unit);
    }
    return out;
}

std::string report_csv(const Scenario& scenario, const Report& report)
{
    std::string out = "metric,stage,value,unit\n";
    const auto row = [&](std::string_view metric, const std::string& stage, double value,
                         std::string_view unit) {
        out +=
            fmt::format("{},{},{},{}\n", csv_cell(metric, ','), stage, in_full(value), csv_cell(unit, ','));
    };
    for (const Metric& metric : metrics())
    {
        row(metric.name, "", metric.value(scenario, report), metric.unit);
    }
    for (std::size_t i = 0; i < report.memory.stages.size(); ++i)
    {
        const StageMemory& stage = report.memory.stages[i];
        const std::string number = std::to_string(i);
        row("stage.layers", number, static_cast<double>(stage.layers), "");
        row("stage.in_flight", number, static_cast<double>(stage.in_flight), "");
        row("stage.parameters", number, static_cast<double>(stage.parameters), "");
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            row(fmt::format("memory.{}", key_of(static_cast<Component>(c))), number, stage.parts[c].value,
                "B");
        }
        row("memory.total_bytes", number, stage.total().value, "B");
    }
    return out;
}

} // namespace ringside
