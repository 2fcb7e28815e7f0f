#include "app/commands/options.h"

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

void add_seed(CLI::App& app, std::uint64_t& seed)
{
    whole(app.add_option("--seed", seed, "that its numbers come from"), 0, kMostSeed)->capture_default_str();
}

CLI::Option* whole(CLI::Option* option, std::int64_t least, std::int64_t most)
{
    return option->transform(
        CLI::Validator([least, most](std::string& text) { return fault_of_whole(text, least, most); }, ""));
}

CLI::Option* real(CLI::Option* option, double least, double most)
{
    return option->transform(
        CLI::Validator([least, most](std::string& text) { return fault_of_real(text, least, most); }, ""));
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
