#include "app/export_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "core/base/text.h"
#include "core/engine/report.h"
#include "core/launch/launch.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace ringside
{

namespace
{

using nlohmann::json;

json to_json(const LaunchTool& tool, const Launch& launch, const Issues& warnings)
{
    json out{{"tool", tool.id},        {"version", tool.version},        {"files", json::array()},
             {"flags", json::array()}, {"not_expressed", json::array()}, {"warnings", json::array()}};
    for (const LaunchFile& file : launch.files)
    {
        out["files"].push_back({{"name", file.name}, {"text", text_of(launch, file)}});
    }
    for (const LaunchFlag& flag : launch.flags)
    {
        out["flags"].push_back(
            {{"flag", flag.flag}, {"value", flag.value}, {"explains", flag.explains}, {"field", flag.field}});
    }
    for (const NotExpressed& item : launch.not_expressed)
    {
        out["not_expressed"].push_back({{"field", item.field}, {"value", item.value}, {"says", item.says}});
    }
    for (const Issue& issue : warnings)
    {
        out["warnings"].push_back({{"path", issue.path}, {"message", issue.message}, {"hint", issue.hint}});
    }
    return out;
}

void print_launch(const Launch& launch)
{
    for (const LaunchFile& file : launch.files)
    {
        fmt::print("==> {} <==\n{}\n", file.name, text_of(launch, file));
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

void print_missing(const LaunchTool& tool, const Launch& launch)
{
    if (launch.not_expressed.empty())
    {
        say("{} says all of it.\n", tool.name);
        return;
    }
    say("\nnot said with {}:\n", tool.name);
    for (const NotExpressed& item : launch.not_expressed)
    {
        say("  {} {}: {}\n", item.field, item.value, item.says);
    }
}

Issues save(const Launch& launch, const std::filesystem::path& folder)
{
    for (const LaunchFile& file : launch.files)
    {
        Issues issues = save_text(folder / file.name, text_of(launch, file));
        if (!issues.empty())
        {
            return issues;
        }
        fmt::print(stderr, "written: {}\n", (folder / file.name).string());
    }
    return {};
}

} // namespace

int run_export(const CommonOptions& common, const ExportOptions& options)
{
    const LaunchTool* tool = find_launch_tool(options.tool);
    const auto opened = open_presets(common);
    if (!opened || tool == nullptr)
    {
        return opened ? kBadInput : print_faults(opened.issues());
    }
    Issues warnings;
    const auto scenario = read_scenario(options.file, options.sets, opened->presets, warnings);
    if (!scenario)
    {
        return print_faults(scenario.issues(), options.file);
    }
    const auto report = evaluate(*scenario);
    if (!report)
    {
        return print_faults(report.issues(), options.file);
    }
    if (!report->memory.fits())
    {
        warnings.push_back(
            {"memory",
             fmt::format("does not fit: {} of {} on stage {}", format_bytes(report->memory.worst().total()),
                         format_bytes(report->memory.capacity), report->memory.fullest),
             "ringside search finds layouts that do", Severity::warning});
    }
    const Launch launch = tool->write(*scenario);
    print_faults(warnings, options.file);
    const bool to_folder = !options.folder.empty() && !is_standard_output(options.folder);
    const Issues unsaved = to_folder ? save(launch, options.folder) : Issues();
    if (!unsaved.empty())
    {
        return print_faults(unsaved);
    }
    if (common.json)
    {
        fmt::print("{}\n",
                   to_json(*tool, launch, warnings).dump(2, ' ', false, json::error_handler_t::replace));
        return kDone;
    }
    if (!to_folder)
    {
        print_launch(launch);
    }
    print_settings(launch);
    print_missing(*tool, launch);
    return kDone;
}

} // namespace ringside
