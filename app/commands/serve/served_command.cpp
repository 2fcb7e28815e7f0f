#include "app/commands/serve/served_command.h"

#include "app/commands/console/misuse.h"
#include "app/commands/console/options.h"
#include "core/base/caught.h"

#include <algorithm>

namespace ringside
{

namespace
{

CLI::App* command_below(CLI::App& parent, const std::string& name)
{
    const auto below = parent.get_subcommands([&](const CLI::App* app) { return app->get_name() == name; });
    return below.empty() ? nullptr : below.front();
}

// The last of the commands that the words begin with; null where the first names none.
CLI::App* named_command(CLI::App& root, const std::vector<std::string>& words)
{
    CLI::App* found = nullptr;
    for (const std::string& word : words)
    {
        CLI::App* below = command_below(found == nullptr ? root : *found, word);
        if (below == nullptr)
        {
            break;
        }
        found = below;
    }
    return found;
}

// One command is declared in a fraction of the time of all, which only an unknown name needs, for its hint.
void declare(CLI::App& app, Program& program, const std::vector<std::string>& words)
{
    const auto named = std::ranges::find_if(program.commands, [&](const CliCommand* command)
                                            { return !words.empty() && words.front() == command->name; });
    for (const CliCommand* command : program.commands)
    {
        if (named == program.commands.end() || command == *named)
        {
            command->add(*command, app, program);
        }
    }
    app.require_subcommand(1);
}

bool is_given(const std::vector<std::string>& words, const CLI::Option& option)
{
    const std::string name = option.get_name();
    return std::ranges::any_of(words, [&](const std::string& word)
                               { return word == name || word.starts_with(name + "="); });
}

// A form of the answer: none of what excludes it is asked for.
void add_form(std::vector<std::string>& words, const CLI::App* command)
{
    const CLI::Option* form = command == nullptr ? nullptr : command->get_option_no_throw("--json");
    const auto given = [&](const CLI::Option* option) { return is_given(words, *option); };
    if (form != nullptr && std::ranges::all_of(form->get_needs(), given) && !given(form) &&
        std::ranges::none_of(form->get_excludes(), given))
    {
        const auto end = std::ranges::find(words, "--"); // behind it no word is an option
        words.insert(end, "--json");
    }
}

int run_line(const Program& of, std::vector<std::string> words, bool json)
{
    CLI::App app{"", "ringside"};
    Program program = of;
    declare(app, program, words);
    if (json)
    {
        add_form(words, named_command(app, words));
    }
    std::vector<const char*> line{"ringside"};
    std::ranges::transform(words, std::back_inserter(line), &std::string::c_str);
    const auto ended = parse(app, static_cast<int>(line.size()), line.data());
    return ended.value_or(program.status);
}

} // namespace

ServedAnswer run_served(const Program& program, std::vector<std::string> words, const std::string& input,
                        bool json)
{
    Capture capture(input);
    int status = kBadInput;
    if (const auto thrown = caught([&] { status = run_line(program, std::move(words), json); }))
    {
        print_thrown(thrown);
    }
    return {status, std::move(capture.out), std::move(capture.errors)};
}

bool with_command(const Program& of, const std::vector<std::string>& words,
                  const std::function<void(CLI::App&)>& look)
{
    CLI::App app{"", "ringside"};
    Program program = of;
    declare(app, program, words);
    CLI::App* command = named_command(app, words);
    if (command != nullptr)
    {
        look(*command);
    }
    return command != nullptr;
}

std::string on_one_line(std::string_view document)
{
    std::string line;
    line.reserve(document.size());
    while (!document.empty())
    {
        const std::size_t end = std::min(document.find('\n'), document.size());
        line += document.substr(0, end);
        document.remove_prefix(std::min(document.find_first_not_of("\n ", end), document.size()));
    }
    return line;
}

std::string dumped(const nlohmann::json& document)
{
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ringside
