#include "core/runs/compare.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// The mean of a trace's steps; the whole where it has none.
GpuTimeline mean_step(const GpuTrace& trace)
{
    GpuTimeline sum;
    double n = 0;
    for (const TraceStep& step : trace.steps)
    {
        if (step.gpu.events() > 0)
        {
            ++n;
        }
    }
    if (n == 0)
    {
        return trace.timeline;
    }
    const GpuTimeline& whole = trace.timeline;
    for (const auto part :
         {&GpuTimeline::total, &GpuTimeline::computing, &GpuTimeline::communication,
          &GpuTimeline::exposed_communication, &GpuTimeline::copies, &GpuTimeline::exposed_copies,
          &GpuTimeline::busy, &GpuTimeline::idle, &GpuTimeline::launch_gaps})
    {
        sum.*part = whole.*part / n;
    }
    return sum;
}

double predicted_communication(const StepTime& step)
{
    return step.tensor_comm + step.context_comm + step.expert_comm + step.pipeline_comm + step.data_exposed;
}

std::vector<ComparedPart> parts_of(const RunReading& run, const StepTime& step, double seconds)
{
    if (run.traces.empty() || run.traces.front().timeline.events() == 0)
    {
        return {{"computing", step.compute, step.compute},
                {"exposed communication", predicted_communication(step), predicted_communication(step)},
                {"bubble", step.bubble, step.bubble},
                {"optimizer", step.optimizer, step.optimizer},
                {"unexplained", 0, seconds - step.total()}};
    }
    const GpuTimeline t = mean_step(run.traces.front());
    return {{"computing and optimizer", step.compute + step.optimizer, t.computing},
            {"exposed communication", predicted_communication(step), t.exposed_communication},
            {"exposed copies", 0, t.exposed_copies},
            {"launch gaps", 0, t.launch_gaps},
            {"bubble and other idle time", step.bubble, t.idle - t.launch_gaps},
            {"unexplained", 0, t.total - t.computing - t.exposed_communication - t.exposed_copies - t.idle}};
}

void add_metric(RunComparison& out, std::string_view name, double measured, const Scenario& scenario,
                const Report& report)
{
    const Metric* const metric = find_metric(name);
    if (metric != nullptr && measured > 0)
    {
        out.metrics.push_back({std::string(name), metric->value(scenario, report), measured});
    }
}

// A device as a trace names it, "NVIDIA H100 80GB HBM3": the preset whose first word it has.
const GpuPreset* preset_of_device(std::string_view device, const Presets& presets)
{
    const std::string small = small_letters(device);
    for (const GpuPreset& preset : presets.gpus)
    {
        const std::string_view id = preset.gpu.id;
        const std::string_view word = id.substr(0, id.find('-'));
        if (word.size() > 2 && small.find(word) != std::string::npos)
        {
            return &preset;
        }
    }
    return nullptr;
}

} // namespace

double RunComparison::unexplained() const
{
    double step = 0;
    double off = 0;
    for (const ComparedPart& part : parts)
    {
        step += part.measured;
        off += std::abs(part.measured - part.predicted);
    }
    return step > 0 ? off / step : 0;
}

double measured_step_seconds(const RunReading& run)
{
    if (run.log && run.log->summary.seconds.rows > 0)
    {
        return run.log->summary.seconds.median;
    }
    return run.traces.empty() ? 0 : mean_step(run.traces.front()).total;
}

RunComparison compare_run(const RunReading& run, const Scenario& scenario, const Report& report)
{
    RunComparison out;
    const double seconds = measured_step_seconds(run);
    if (seconds > 0)
    {
        add_metric(out, "step.time_s", seconds, scenario, report);
        out.parts = parts_of(run, report.step, seconds);
    }
    if (run.log)
    {
        const StepSummary& s = run.log->summary;
        const auto gpus = static_cast<double>(scenario.cluster.gpus);
        add_metric(out, "step.tokens_per_s",
                   s.tokens_per_second.rows > 0 ? s.tokens_per_second.median
                                                : s.tokens_per_second_gpu.median * gpus,
                   scenario, report);
        add_metric(out, "step.mfu", s.mfu.median, scenario, report);
        add_metric(out, "memory.allocated_bytes", static_cast<double>(s.allocated), scenario, report);
        add_metric(out, "memory.total_bytes", static_cast<double>(s.reserved), scenario, report);
    }
    if (run.snapshot)
    {
        add_metric(out, "memory.allocated_bytes", static_cast<double>(run.snapshot->peak), scenario, report);
        add_metric(out, "memory.total_bytes", static_cast<double>(run.snapshot->peak_reserved), scenario,
                   report);
    }
    if (seconds > 0)
    {
        const double error = out.metrics.front().error();
        out.says = fmt::format("A step takes {}, the engine says {} ({}{}); {} of it is not explained.",
                               format_seconds(Seconds{seconds}), format_seconds(Seconds{report.step.total()}),
                               error < 0 ? "-" : "+", format_percent(std::abs(error)),
                               format_percent(std::abs(out.unexplained())));
    }
    return out;
}

nlohmann::json to_json(const RunComparison& comparison)
{
    auto compared = nlohmann::json::object();
    for (const ComparedMetric& row : comparison.metrics)
    {
        compared[row.metric] = {
            {"predicted", row.predicted}, {"measured", row.measured}, {"error", row.error()}};
    }
    return compared;
}

std::optional<Result<LaunchReading>> scenario_of_run(const RunReading& run, std::vector<LaunchText> launches,
                                                     const Presets& presets)
{
    if (!launches.empty())
    {
        return read_launch_files({.files = std::move(launches)}, presets);
    }
    const Framework* const own = presets.framework(run.software);
    const Framework* const framework = own != nullptr ? own : presets.framework("megatron");
    const GpuTrace* const trace = run.traces.empty() ? nullptr : &run.traces.front();
    if (framework == nullptr || (!run.log && trace == nullptr))
    {
        return std::nullopt;
    }
    LaunchReader reader({}, *framework, presets);
    if (run.log)
    {
        for (const LogFact& fact : run.log->facts)
        {
            if (!fact.field.empty() && fact.value >= 1 && fact.value < 1e9)
            {
                reader.settle(std::string(fact.field), static_cast<std::int64_t>(fact.value), fact.by);
            }
        }
    }
    if (trace != nullptr && trace->world > 0)
    {
        reader.settle("cluster.gpus", trace->world, "distributedInfo, world_size");
    }
    if (const GpuPreset* preset = trace == nullptr ? nullptr : preset_of_device(trace->device, presets))
    {
        reader.settle("cluster.gpu", preset->gpu.id, "deviceProperties, " + trace->device);
    }
    reader.apply_defaults();
    return reader.take();
}

bool is_stated(const LaunchReading& reading)
{
    const auto stated = [&](std::string_view prefix)
    {
        return std::ranges::any_of(reading.fields,
                                   [&](const ReadField& field) {
                                       return field.field.starts_with(prefix) && field.from != Basis::guessed;
                                   });
    };
    return !has_errors(reading.issues) && stated("model") && stated("cluster.gpus");
}

} // namespace ringside
