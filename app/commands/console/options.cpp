#include "app/commands/console/options.h"

#include <algorithm>

namespace ringside
{

CLI::Option* add_json(CLI::App& app, CommonOptions& options)
{
    return app.add_flag("--json", options.json, "one JSON document");
}

void add_scenario_file(CLI::App& app, std::string& file)
{
    app.add_option("FILE", file, "scenario (JSON), - for standard input")->required();
}

void add_sets(CLI::App& app, std::vector<std::string>& sets, const char* help)
{
    app.add_option("--set", sets, help)->type_name("PATH=VALUE")->allow_extra_args(false);
}

void add_scenario_sets(CLI::App& app, std::vector<std::string>& sets)
{
    add_sets(app, sets, "override fields of the scenario, for example parallel.tensor=4 parallel.zero=1");
    // Options are taken in this order, so fields that --set names change the model's.
    app.add_option_function<std::string>(
        "--model", [&sets](const std::string& model) { sets.insert(sets.begin(), "model=" + model); },
        "the scenario's model: a preset, or a file (config.json, params.json, what import hf writes)");
}

void add_seed(CLI::App& app, std::uint64_t& seed)
{
    whole(app.add_option("--seed", seed, "seed of the question's numbers"), 0, kMostSeed)
        ->capture_default_str();
}

void add_framework(CLI::App& app, std::string& framework)
{
    auto* option = app.add_option(
        "--framework", framework,
        "only layouts that this framework runs: the name of a file in assets/frameworks, or any");
    framework.empty() ? option->default_str("the scenario's own") : option->capture_default_str();
}

Framework framework_named(const std::string& name, const Presets& presets, Issues& issues)
{
    if (const Framework* known = presets.framework(name))
    {
        return *known;
    }
    if (name != "any")
    {
        std::vector<std::string> names = texts_of(presets.frameworks, &Framework::id);
        names.emplace_back("any");
        issues.push_back(unknown_word("--framework", "framework ", name, names));
    }
    return {};
}

CLI::Option* whole(CLI::Option* option, std::int64_t least, std::int64_t most)
{
    return option->transform(in_range(least, most));
}

CLI::Option* real(CLI::Option* option, double least, double most)
{
    return option->transform(
        CLI::Validator([least, most](std::string& text) { return fault_of_real(text, least, most); }, ""));
}

CLI::Option* one_of(CLI::Option* option, std::vector<std::string> words)
{
    return option->transform(CLI::Validator(
        [words = std::move(words)](std::string& text)
        {
            Issue unknown = unknown_word("", "", text, words);
            return std::ranges::count(words, text) > 0 ? std::string() : to_line(unknown);
        },
        ""));
}

CLI::Validator watched_file()
{
    return {[](std::string& file)
            {
                return file == "-" ? to_line({"", "- is standard input, which does not change",
                                              "give the file that ringside-rank --live writes"})
                                   : std::string();
            },
            ""};
}

void exclude_each_other(std::initializer_list<CLI::Option*> options)
{
    for (auto first = options.begin(); first != options.end(); ++first)
    {
        std::for_each(first + 1, options.end(), [&](CLI::Option* other) { (*first)->excludes(other); });
    }
}

TypedOptions typed_options(const CLI::App& command)
{
    TypedOptions typed;
    for (const CLI::Option* option : command.get_options())
    {
        if (option->count() > 0)
        {
            typed.insert(option->get_name());
        }
    }
    return typed;
}

} // namespace ringside
