// `ringside export`: the launch of a scenario with a training framework, as text, as files, or as JSON.
#include "app/commands/console/options.h"
#include "app/files/files.h"
#include "core/base/text/text.h"
#include "core/planner/launch/framework_launch.h"
#include "core/planner/launch/serving_launch.h"
#include "core/runs/data_tree.h"
#include "core/runs/predicted/predicted_snapshot.h"
#include "core/runs/predicted/predicted_trace.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace ringside
{

namespace
{

using nlohmann::json;

struct ExportOptions : CommonOptions
{
    std::string file;    // scenario
    std::string tool;    // "megatron"
    std::string version; // empty: the newest
    std::vector<std::string> sets;
    std::string folder; // to write the files into; empty: print them
};

// By its id or by another name of it, as "megatron" or "accelerate"; null where none of them is written.
const Framework* exported(const Presets& presets, std::string_view name)
{
    const auto found = std::ranges::find_if(
        presets.frameworks, [&](const Framework& f)
        { return !f.versions.empty() && (f.id == name || std::ranges::find(f.also, name) != f.also.end()); });
    return found == presets.frameworks.end() ? nullptr : &*found;
}

std::vector<std::string> exported_names(const Presets& presets)
{
    std::vector<std::string> names;
    for (const Framework& framework : presets.frameworks)
    {
        if (!framework.versions.empty())
        {
            names.push_back(framework.id);
        }
    }
    for (const std::string_view tool : serving_tools())
    {
        names.emplace_back(tool);
    }
    return names;
}

const LaunchVersion& version_named(const Framework& tool, const std::string& id)
{
    const auto found = std::ranges::find(tool.versions, id, &LaunchVersion::id);
    if (found == tool.versions.end() && !id.empty())
    {
        end_with({{"--for", fmt::format("{} is no version of {}", id, tool.name),
                   fmt::format("use one of {}",
                               fmt::join(texts_of(std::span(tool.versions), &LaunchVersion::id), ", "))}});
    }
    return found == tool.versions.end() ? tool.versions.front() : *found;
}

json to_json(const Framework& tool, const LaunchVersion& version, const Launch& launch,
             const Issues& warnings)
{
    const auto file = [&](const LaunchFile& f) -> json {
        return {{"name", f.name}, {"text", text_of(launch, f)}};
    };
    return {{"tool", tool.id},
            {"version", version.id},
            {"version_says", version.says},
            {"files", json_list(launch.files, file)},
            {"flags", flags_json(launch)},
            {"not_expressed", not_expressed_json(launch)},
            {"warnings", issues_json(warnings)}};
}

void print_launch(const Launch& launch)
{
    for (const LaunchFile& file : launch.files)
    {
        put("==> {} <==\n{}\n", file.name, text_of(launch, file));
    }
}

// JSON has no comments, so what its settings say stands in a table.
void print_settings(const Launch& launch)
{
    for (const LaunchFile& file : launch.files)
    {
        for (const LaunchLine& line : file.lines)
        {
            if (line.flag >= 0 && file.comment.empty())
            {
                const LaunchFlag& flag = launch.flags[static_cast<std::size_t>(line.flag)];
                say("{:<44} {:<10} {:<44} {}\n", flag.flag, flag.value, flag.explains, flag.field);
            }
        }
    }
}

void print_missing(const Framework& tool, const Launch& launch)
{
    if (launch.not_expressed.empty())
    {
        say("{} supports every setting of this scenario.\n", tool.name);
        return;
    }
    say("\nnot supported by {}:\n", tool.name);
    for (const NotExpressed& item : launch.not_expressed)
    {
        say("  {} {}: {}\n", item.field, item.value, item.says);
    }
}

void save(const Launch& launch, const std::filesystem::path& folder)
{
    for (const LaunchFile& file : launch.files)
    {
        end_with(save_text(folder / file.name, text_of(launch, file)));
        warn("written: {}\n", (folder / file.name).string());
    }
}

// The command of a serving engine.
int run_serving_export(const ExportOptions& o, const Presets& presets)
{
    const Scenario scenario = read_scenario(o.file, o.sets, presets);
    end_with(of_file(errors_of(validate(scenario)), o.file));
    if (scenario.serving == nullptr)
    {
        end_with({{"serving", "is not in the scenario", "add \"serving\": {\"engine\": \"vllm\"}"}});
    }
    const Launch launch = write_serving(scenario, o.tool);
    const bool to_folder = !o.folder.empty() && !is_standard_output(o.folder);
    if (to_folder)
    {
        save(launch, o.folder);
    }
    if (o.json)
    {
        const auto file = [&](const LaunchFile& f) -> json {
            return {{"name", f.name}, {"text", text_of(launch, f)}};
        };
        print_document({{"tool", o.tool},
                        {"files", json_list(launch.files, file)},
                        {"flags", flags_json(launch)},
                        {"not_expressed", not_expressed_json(launch)}});
        return kDone;
    }
    if (!to_folder)
    {
        print_launch(launch);
    }
    print_settings(launch);
    say("\nnot said by {}:\n", o.tool);
    for (const NotExpressed& item : launch.not_expressed)
    {
        say("  {} {}: {}\n", item.field, item.value, item.says);
    }
    return kDone;
}

// No frameworks: what is predicted, in the form in which a run is measured.
struct PredictedForm
{
    std::string_view tool;
    std::string_view file;
    std::string (*written)(const Scenario& scenario, const Report& report);
};
constexpr std::array kPredictedForms{PredictedForm{"kineto", "predicted.pt.trace.json",
                                                   [](const Scenario& scenario, const Report& report) {
                                                       return kineto_text(predicted_trace(scenario, report));
                                                   }},
                                     PredictedForm{"snapshot", "predicted_snapshot.pickle",
                                                   [](const Scenario& scenario, const Report& report) {
                                                       return pickle_of(predicted_snapshot(scenario, report));
                                                   }}};

int export_predicted(const ExportOptions& o, const PredictedForm& form)
{
    const EvaluatedFile read = evaluate_file(o, o.file, o.sets);
    const std::string text = form.written(read.scenario, read.report);
    if (o.folder.empty() || is_standard_output(o.folder))
    {
        put("{}", text);
        return kDone;
    }
    const std::filesystem::path file = std::filesystem::path(o.folder) / form.file;
    end_with(save_text(file, text));
    warn("written: {}\n", file.string());
    return kDone;
}

int run_export(const ExportOptions& o)
{
    const auto* const form = std::ranges::find(kPredictedForms, o.tool, &PredictedForm::tool);
    if (form != kPredictedForms.end())
    {
        return export_predicted(o, *form);
    }
    const Opened& opened = open_presets(o);
    if (is_serving_tool(o.tool))
    {
        return run_serving_export(o, opened.presets);
    }
    const auto at = o.tool.find('@'); // torchtitan@v0.2.2
    const std::string named = o.tool.substr(0, at);
    const Framework* known = exported(opened.presets, named);
    if (known == nullptr)
    {
        end_with({{"--to", fmt::format("there is no framework {}", named),
                   fmt::format("use one of {}", fmt::join(exported_names(opened.presets), ", "))}});
    }
    EvaluatedFile read = evaluate_file(o, o.file, o.sets);
    const Framework& tool = *known;
    const LaunchVersion& version =
        version_named(tool, at == std::string::npos ? o.version : o.tool.substr(at + 1));
    if (const MemoryReport& memory = read.report.memory; !memory.fits())
    {
        read.warnings.push_back(
            {"memory",
             fmt::format("does not fit: {} of {} on stage {}", format_bytes(memory.worst().total()),
                         format_bytes(memory.capacity), memory.fullest),
             "ringside search finds layouts that do", Severity::warning});
    }
    const Launch launch = write_launch(tool, read.scenario, version.id);
    print_faults(read.warnings, o.file);
    const bool to_folder = !o.folder.empty() && !is_standard_output(o.folder);
    if (to_folder)
    {
        save(launch, o.folder);
    }
    if (o.json)
    {
        print_document(to_json(tool, version, launch, read.warnings));
        return kDone;
    }
    if (!to_folder)
    {
        print_launch(launch);
    }
    print_settings(launch);
    print_missing(tool, launch);
    return kDone;
}

void add_export_options(CLI::App& app, ExportOptions& o)
{
    add_scenario_file(app, o.file);
    app.add_option(
           "--to", o.tool,
           "framework: megatron, torchtitan, deepspeed, nanotron, nemo, accelerate, axolotl, maxtext; "
           "with @VERSION an older release, as torchtitan@v0.2.2; engine of a scenario's serving: vllm, "
           "sglang, trtllm; kineto: the predicted step as a trace; snapshot: the "
           "predicted memory")
        ->required();
    app.add_option("--for", o.version, "version of the framework, as behind @; left out: the newest");
    add_scenario_sets(app, o.sets);
    app.add_option("-o,--output", o.folder, "folder to write the files into");
    add_json(app, o);
}

} // namespace

const CliCommand export_command = command<add_export_options, run_export>(
    "export", "launch config of a scenario for a training framework or a serving engine");

} // namespace ringside
