#include "app/commands/console/input.h"

#include "app/files/asset_file.h"
#include "app/files/measured_file.h"
#include "app/files/model_file.h"
#include "core/base/text/text.h"
#include "core/launch_files/launch_files.h"
#include "core/scenario/link/link.h"
#include "core/scenario/validate.h"

#include <cmath>
#include <map>

namespace ringside
{

using nlohmann::json;

const Opened& open_presets(const CommonOptions& options)
{
    struct Loaded
    {
        Opened opened;
        Issues issues;
    };
    static std::map<std::string, Loaded> all; // by what was asked for
    auto known = all.find(options.assets);
    if (known == all.end())
    {
        const auto assets = or_end(find_assets(options.assets));
        Loaded loaded;
        loaded.opened = {assets, load_presets(assets, loaded.issues)};
        add_own_software(own_software_folder(), loaded.opened.presets, loaded.issues);
        known = all.emplace(options.assets, std::move(loaded)).first;
    }
    print_faults(known->second.issues);
    return known->second.opened;
}

json flags_json(const Launch& launch)
{
    return json_list(
        launch.flags,
        [](const LaunchFlag& f) -> json {
            return {{"flag", f.flag}, {"value", f.value}, {"explains", f.explains}, {"field", f.field}};
        });
}

json not_expressed_json(const Launch& launch)
{
    return json_list(launch.not_expressed,
                     [](const NotExpressed& n) -> json {
                         return {{"field", n.field}, {"value", n.value}, {"says", n.says}};
                     });
}

Issue unknown_word(const std::string& path, std::string_view kind, const std::string& typed,
                   const std::vector<std::string>& words)
{
    const std::string near = nearest_word(typed, words);
    return {path, fmt::format("there is no {}\u201c{}\u201d", kind, typed),
            near.empty() ? fmt::format("use one of {}", fmt::join(words, ", "))
                         : "did you mean " + near + "?"};
}

void check_range(Issues& issues, const char* option, double value, double least, double most)
{
    add_if(issues, !std::isfinite(value) || value < least || value > most,
           {option, fmt::format("{} is out of range", value), fmt::format("use {} to {}", least, most)});
}

void print_document(const json& document, int indent)
{
    put("{}\n", document.dump(indent, ' ', false, json::error_handler_t::replace));
}

namespace
{

// A launch file is the scenario that it says; what it leaves open is told on standard error.
json scenario_of_launch(const LaunchReading& reading, const Presets& presets)
{
    for (const std::string& message : reading.messages)
    {
        warn("{}: {}\n", reading.name, message);
    }
    std::vector<std::string> guessed;
    for (const ReadField& field : reading.fields)
    {
        if (field.from == Basis::guessed)
        {
            guessed.push_back(fmt::format("{} {}", field.field, plain_text(field.value)));
        }
    }
    if (!guessed.empty() && guessed.size() < 20)
    {
        warn("{}: guessed {}\n", reading.name, fmt::join(guessed, ", "));
    }
    return to_json(reading.scenario, presets);
}

Result<json> launch_or_json(const std::string& file, const Presets& presets)
{
    const auto text = read_text(file, {kMaxLaunchBytes});
    if (!text)
    {
        return text.issues();
    }
    if (kind_of_text(*text).empty())
    {
        const std::string run = kind_of_run(*text);
        return run.empty() ? parse_json(*text) : Issue{"", "is " + run, "ringside import run FILE reads it"};
    }
    const auto reading = read_launch_files({.files = {{file, *text}}}, presets);
    return reading ? Result<json>(scenario_of_launch(*reading, presets)) : reading.issues();
}

// What a file or a link says of a scenario.
Result<json> scenario_document(const std::string& file, const Presets& presets)
{
    if (!is_link(file))
    {
        return launch_or_json(file, presets);
    }
    const LinkRead read = read_link(file, presets);
    if (!read.issues.empty())
    {
        return read.issues;
    }
    return read.link.scenario ? Result<json>(to_json(*read.link.scenario, presets))
                              : Issue{"s", "is missing", "a link with a scenario has s=EXAMPLE;PATH=VALUE"};
}

} // namespace

namespace
{

// With the shape of a model's file in the place of its name; what that leaves out is told on standard error.
Result<json> with_model_file(Result<json> document, const std::string& file)
{
    if (!document || is_link(file))
    {
        return document;
    }
    Issues notes;
    const Issues issues = take_model_file(*document, std::filesystem::path(file).parent_path(), notes);
    print_faults(notes);
    return issues.empty() ? document : Result<json>(issues);
}

} // namespace

Result<Scenario> read_scenario(const std::string& file, const Presets& presets)
{
    const auto document = with_model_file(scenario_document(file, presets), file);
    auto scenario = document ? scenario_from_json(*document, presets) : Result<Scenario>(document.issues());
    Issues issues = scenario ? validate(*scenario) : scenario.issues();
    if (!has_errors(issues))
    {
        return scenario;
    }
    return of_file(std::move(issues), file);
}

Scenario read_scenario(const std::string& file, const std::vector<std::string>& sets, const Presets& presets)
{
    json document = or_end(scenario_document(file, presets), file);
    Issues issues;
    for (const std::string& assignment : sets)
    {
        append(issues, document.is_object() ? set_path(document, assignment) : Issues{});
    }
    end_with(of_file(issues, file));
    document = or_end(with_model_file(std::move(document), file), file);
    return or_end(scenario_from_json(document, presets), file);
}

EvaluatedFile evaluate_file(const CommonOptions& options, const std::string& file,
                            const std::vector<std::string>& sets)
{
    const Presets& presets = open_presets(options).presets;
    Scenario scenario = read_scenario(file, sets, presets);
    Issues found = validate(scenario);
    end_with(has_errors(found) ? of_file(found, file) : Issues());
    Report report = or_end(evaluate(scenario), file);
    return {std::move(scenario), std::move(report), std::move(found)};
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
