#include "core/runs/compare.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/weights.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

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

// How far off, and by what: the parts that differ most, the way the step differs.
std::string comparison_words(const RunComparison& compared, double seconds, double predicted)
{
    constexpr std::size_t kNamed = 2;
    constexpr double kWorthNaming = 0.02; // of the step
    const double off = seconds / predicted - 1;
    std::string text = fmt::format("A step takes {}, {} {} than the engine\u2019s {}",
                                   format_seconds(Seconds{seconds}), format_percent(std::abs(off)),
                                   off < 0 ? "shorter" : "longer", format_seconds(Seconds{predicted}));
    std::vector<ComparedPart> parts = compared.parts;
    std::ranges::stable_sort(parts, std::ranges::greater(),
                             [off](const ComparedPart& part)
                             { return off < 0 ? -part.change() : part.change(); });
    std::size_t named = 0;
    bool told_apart = false;
    for (const ComparedPart& part : parts)
    {
        told_apart = told_apart || (part.measured && part.name != kUnexplained);
        if (named < kNamed && part.name != kUnexplained && part.change() * off > 0 &&
            std::abs(part.change()) > kWorthNaming * seconds)
        {
            text += fmt::format("{}{} {}{}", named++ == 0 ? ": " : ", ", part.name,
                                part.change() < 0 ? "\u2212" : "+",
                                format_seconds(Seconds{std::abs(part.change())}));
        }
    }
    return told_apart ? fmt::format("{}; {} is unexplained.", text, format_percent(compared.unexplained()))
                      : text + "; a log does not say of what.";
}

} // namespace

double RunComparison::unexplained() const
{
    double step = 0;
    double left = 0;
    for (const ComparedPart& part : parts)
    {
        step += part.measured.value_or(part.predicted);
        left += part.name == kUnexplained ? std::abs(part.measured.value_or(0)) : 0;
    }
    return step > 0 ? left / step : 0;
}

double measured_step_seconds(const RunReading& run)
{
    if (run.log && run.log->summary.seconds.rows > 0)
    {
        return run.log->summary.seconds.median;
    }
    double seconds = 0;
    const auto steps = run.traces.empty() ? std::vector<GpuStep>() : steps_of(run.traces.front());
    for (const GpuStep& step : steps)
    {
        seconds += step.gpu.total / static_cast<double>(steps.size());
    }
    return seconds;
}

RunComparison compare_run(const RunReading& run, const Scenario& scenario, const Report& report)
{
    RunComparison out;
    const double seconds = measured_step_seconds(run);
    if (seconds > 0)
    {
        add_metric(out, "step.time_s", seconds, scenario, report);
        out.parts = parts_of_step(run, report.step, seconds);
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
        out.says = comparison_words(out, seconds, report.step.total());
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

namespace
{

std::optional<double> fact_named(const TrainingLog& log, std::string_view name)
{
    const auto found = std::ranges::find(log.facts, name, &LogFact::name);
    return found == log.facts.end() ? std::nullopt : std::optional(found->value);
}

// The head of a log as a file of the framework's. The shape of a flavor that is not known here is what the
// log's own lines say.
std::vector<LaunchSource> head_of(const TrainingLog& log, const Framework& framework)
{
    if (log.settings.find("training.seq_len") == nullptr)
    {
        return {};
    }
    const auto says = [&](std::string_view name)
    {
        const Setting* const setting = log.settings.find(name);
        return setting == nullptr ? "" : plain_text(setting->value);
    };
    const bool known = std::ranges::any_of(
        framework.flavors, [&](const LaunchFlavor& flavor)
        { return flavor.module == says("model.name") && flavor.flavor == says("model.flavor"); });
    LaunchSource head{.format = SourceFormat::toml, .file = "log"};
    for (const Setting& setting : log.settings.all())
    {
        if (known || !fact_named(log, "hidden size") || !setting.name.starts_with("model."))
        {
            head.settings.add(setting);
        }
    }
    return {std::move(head)};
}

void read_head(LaunchReader& reader, const TrainingLog& log)
{
    if (!log.settings.has_below("parallelism"))
    {
        for (const char* axis :
             {"parallel.tensor", "parallel.context", "parallel.pipeline", "parallel.expert"})
        {
            reader.guess(axis, 1, "no line of the log says it");
        }
    }
    if (fact_named(log, "hidden size"))
    {
        const std::string by = fmt::format("blocks of {} are Llama\u2019s", reader.framework().name);
        reader.follow("model.attention",
                      fact_named(log, "KV heads") == fact_named(log, "heads") ? "mha" : "gqa", by);
        reader.follow("model.gated_mlp", true, by);
        reader.follow("model.norm", "rmsnorm", by);
        reader.follow("model.positions", "rope", by);
        reader.follow("model.tied_embeddings", false, by);
    }
    reader.apply_rules();
    if (const LaunchKind* const kind = find_launch_kind(reader.framework().id))
    {
        kind->read(reader);
    }
}

// By the device's name, else by the rate that MFU is counted with, which several may have.
void read_device(LaunchReader& reader, const TrainingLog& log)
{
    if (const GpuPreset* preset = preset_of_device(log.device, reader.presets()))
    {
        reader.settle("cluster.gpu", preset->gpu.id, log.device);
        return;
    }
    const double flops = fact_named(log, "peak FLOPS").value_or(0);
    const auto& gpus = reader.presets().gpus;
    const auto found =
        std::ranges::find_if(gpus, [&](const GpuPreset& preset)
                             { return std::abs(preset.gpu.bf16_tflops * 1e12 - flops) < 0.005 * flops; });
    if (found == gpus.end() && !log.device.empty())
    {
        reader.guess("cluster.gpu", "h100-sxm-80gb", log.device + " is no GPU that is known here");
    }
    else if (found != gpus.end())
    {
        reader.guess("cluster.gpu", found->gpu.id,
                     fmt::format("MFU is counted with {:.0f} TFLOP/s", flops / 1e12));
    }
}

// Where the log counts other parameters than the shape has, one of the two is not the run's.
void check_parameters(LaunchReading& reading, const TrainingLog& log)
{
    const auto stated = fact_named(log, "parameters");
    const auto counted = static_cast<double>(count_parameters(reading.scenario.model).total);
    if (!log.settings.empty() && stated && *stated != counted)
    {
        reading.messages.push_back(fmt::format("the log counts {} parameters, {} has {}",
                                               format_count(*stated), reading.scenario.model.name,
                                               format_count(counted)));
    }
}

} // namespace

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
    LaunchReader reader(run.log ? head_of(*run.log, *framework) : std::vector<LaunchSource>(), *framework,
                        presets);
    if (run.log)
    {
        read_device(reader, *run.log);
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
    if (!reader.sources().empty())
    {
        read_head(reader, *run.log);
    }
    reader.apply_defaults();
    auto reading = reader.take();
    if (reading && run.log)
    {
        check_parameters(*reading, *run.log);
    }
    return reading;
}

std::vector<LaunchText> launches_of(const RunReading& run, const std::vector<RunFile>& files)
{
    std::vector<LaunchText> launches;
    for (const RunFile& file : files)
    {
        if (std::ranges::find(run.passed, file.name) != run.passed.end())
        {
            WholeBytes bytes = take_all(*file.open(), kMaxLaunchBytes);
            if (!bytes.more && !kind_of_text(bytes.text).empty())
            {
                launches.push_back({file.name, std::move(bytes.text)});
            }
        }
    }
    return launches;
}

bool is_stated(const LaunchReading& reading)
{
    // What a framework takes by itself says nothing of this run's model.
    const auto any = [&](std::string_view prefix, Basis least)
    {
        return std::ranges::any_of(reading.fields, [&](const ReadField& field)
                                   { return field.field.starts_with(prefix) && field.from <= least; });
    };
    return !has_errors(reading.issues) && any("model", Basis::stated) && any("cluster.gpus", Basis::follows);
}

} // namespace ringside
