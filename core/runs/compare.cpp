#include "core/runs/compare.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr const char* kUnexplained = "unexplained";

// The mean of what was launched in a trace's steps; the whole where it has none.
GpuTimeline mean_step(const GpuTrace& trace)
{
    GpuTimeline mean;
    std::vector<const GpuTimeline*> steps;
    for (const TraceStep& step : trace.steps)
    {
        if (step.gpu.events() > 0)
        {
            steps.push_back(&step.gpu);
        }
    }
    if (steps.empty())
    {
        return trace.timeline;
    }
    for (const auto part :
         {&GpuTimeline::total, &GpuTimeline::computing, &GpuTimeline::communication,
          &GpuTimeline::exposed_communication, &GpuTimeline::copies, &GpuTimeline::exposed_copies,
          &GpuTimeline::busy, &GpuTimeline::idle, &GpuTimeline::launch_gaps})
    {
        for (const GpuTimeline* const step : steps)
        {
            mean.*part += step->*part / static_cast<double>(steps.size());
        }
    }
    return mean;
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
                {kUnexplained, 0, seconds - step.total()}};
    }
    const GpuTimeline t = mean_step(run.traces.front());
    return {{"computing and optimizer", step.compute + step.optimizer, t.computing},
            {"exposed communication", predicted_communication(step), t.exposed_communication},
            {"exposed copies", 0, t.exposed_copies},
            {"launch gaps", 0, t.launch_gaps},
            {"bubble and other idle time", step.bubble, t.idle - t.launch_gaps},
            {kUnexplained, 0, t.total - t.computing - t.exposed_communication - t.exposed_copies - t.idle}};
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

// How much of an id a device's name says: "NVIDIA H100 80GB HBM3" has two words of h100-sxm-80gb. A card of a
// slot says so, so one that does not is none; 0: another device.
int likeness(std::string_view id, std::string_view device)
{
    int words = 0;
    bool first = true;
    while (!id.empty())
    {
        const std::string_view word = id.substr(0, id.find('-'));
        id.remove_prefix(std::min(word.size() + 1, id.size()));
        const std::size_t place = device.find(word);
        const bool has = place != std::string_view::npos;
        const std::string_view behind = has ? device.substr(place + word.size(), 1) : "";
        if (first && (!has || behind.find_first_of("0123456789") == 0)) // H20 is not H200
        {
            return 0;
        }
        words += has ? 2 : word == "pcie" || word == "nvl" ? -1 : 0;
        first = false;
    }
    return words;
}

// A device as a trace names it: the preset that is most like it; null where none is.
const GpuPreset* preset_of_device(std::string_view device, const Presets& presets)
{
    const std::string small = small_letters(device);
    const auto like = [&small](const GpuPreset& preset) { return likeness(preset.gpu.id, small); };
    const auto best =
        std::max_element(presets.gpus.begin(), presets.gpus.end(),
                         [&](const GpuPreset& a, const GpuPreset& b) { return like(a) < like(b); });
    return best == presets.gpus.end() || like(*best) == 0 ? nullptr : &*best;
}

} // namespace

double RunComparison::unexplained() const
{
    double step = 0;
    double left = 0;
    for (const ComparedPart& part : parts)
    {
        step += part.measured;
        left += part.name == kUnexplained ? std::abs(part.measured) : 0;
    }
    return step > 0 ? left / step : 0;
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
