#include "app/input.h"

#include <fmt/format.h>

#include "app/files.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cstdio>

namespace ringside
{

Issues of_file(Issues issues, const std::string& file)
{
    for (Issue& issue : issues)
    {
        if (!file.empty() && issue.path != file && !issue.path.starts_with(file + ": "))
        {
            issue.path = issue.path.empty() ? file : file + ": " + issue.path;
        }
    }
    return issues;
}

int print_faults(const Issues& issues, const std::string& file)
{
    for (const Issue& issue : of_file(issues, file))
    {
        const char* kind = issue.severity == Severity::warning ? "warning: " : "";
        fmt::print(stderr, "{}{}\n", kind, printable(to_line(issue)));
    }
    return kBadInput;
}

Result<Opened> open_presets(const CommonOptions& options)
{
    auto assets = find_assets(options.assets);
    if (!assets)
    {
        return assets.issues();
    }
    Issues issues;
    Opened opened{*assets, load_presets(*assets, issues)};
    print_faults(issues);
    return opened;
}

Result<Scenario> read_scenario(const std::string& file, const Presets& presets)
{
    auto text = read_text(file, kMaxJsonBytes);
    Issues issues;
    if (!text)
    {
        return text.issues();
    }
    auto scenario = scenario_from_text(*text, presets);
    issues = scenario ? validate(*scenario) : scenario.issues();
    if (!has_errors(issues))
    {
        return scenario;
    }
    return of_file(std::move(issues), file);
}

Result<Scenario> read_scenario(const std::string& file, const std::vector<std::string>& sets,
                               const Presets& presets, Issues& warnings)
{
    const auto text = read_text(file, kMaxJsonBytes);
    auto document = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
    if (!document)
    {
        return document.issues();
    }
    Issues issues;
    for (const std::string& assignment : sets)
    {
        const Issues more = document->is_object() ? set_path(*document, assignment) : Issues{};
        issues.insert(issues.end(), more.begin(), more.end());
    }
    auto scenario = issues.empty() ? scenario_from_json(*document, presets) : Result<Scenario>(issues);
    if (!scenario)
    {
        return scenario;
    }
    Issues found = validate(*scenario);
    if (has_errors(found))
    {
        return found;
    }
    warnings = std::move(found);
    return scenario;
}

Issues as_options(Issues issues)
{
    for (Issue& issue : issues)
    {
        if (!issue.path.starts_with("rank ") && !issue.path.starts_with("line "))
        {
            std::replace(issue.path.begin(), issue.path.end(), '_', '-');
            issue.path = "--" + issue.path;
        }
    }
    return issues;
}

} // namespace ringside
