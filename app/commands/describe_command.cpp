// `ringside describe`: the manual page and the completions of shells, written from the commands as they are
// declared.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/console/options.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ringside
{

namespace
{

struct DescribeOptions : CommonOptions
{
    std::string form;
    const Program* program = nullptr;
    const CLI::App* root = nullptr; // with every command
};

std::vector<const CLI::App*> commands_in(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_in(const CLI::App& app)
{
    return texts_of(commands_in(app), [](const CLI::App* below) { return below->get_name(); });
}

// "--set", "-o"; positionals have none.
std::vector<std::string> option_names(const CLI::Option& option)
{
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames())
    {
        names.push_back("--" + name);
    }
    for (const std::string& name : option.get_snames())
    {
        names.push_back("-" + name);
    }
    return names;
}

bool takes_value(const CLI::Option& option)
{
    return option.get_items_expected_max() > 0;
}

// Every command below, the ones it is in before it: " question show".
using Visit = std::function<void(const CLI::App& command, const std::string& path)>;
void each_command(const CLI::App& app, const std::string& path, const Visit& visit)
{
    visit(app, path);
    for (const CLI::App* below : commands_in(app))
    {
        each_command(*below, path + " " + below->get_name(), visit);
    }
}

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    {
        text.replace(at, what.size(), with);
    }
    return text;
}

// --- manual page, of man(7)

std::string roff(const std::string& text)
{
    return replaced(replaced(text, "\\", "\\e"), "-", "\\-");
}

std::string roff_option(const CLI::Option& option)
{
    const bool positional = !option.nonpositional();
    const auto names = positional ? std::vector<std::string>{option.get_name()} : option_names(option);
    const std::string value =
        positional || !takes_value(option) ? "" : fmt::format(" \\fI{}\\fP", roff(option.get_type_name()));
    const std::string usual = option.get_default_str();
    return fmt::format(".TP\n\\fB{}\\fP{}\n{}{}\n", roff(fmt::format("{}", fmt::join(names, ", "))), value,
                       roff(option.get_description()),
                       usual.empty() ? "" : roff(fmt::format(" (default {})", usual)));
}

std::string manual(const DescribeOptions& o)
{
    std::string page = fmt::format(".TH RINGSIDE 1 \"\" \"ringside {}\" \"User Commands\"\n.SH "
                                   "NAME\nringside \\- memory, communication, time and "
                                   "cost of training large language models\n.SH SYNOPSIS\n.B "
                                   "ringside\n[\\fIoptions\\fP]\n.br\n.B ringside\n"
                                   "\\fIcommand\\fP [\\fIoptions\\fP]\n.SH DESCRIPTION\nWithout a command "
                                   "ringside opens its window. The commands "
                                   "give the same engine's answers without one.\n",
                                   o.program->version);
    each_command(*o.root, "",
                 [&](const CLI::App& command, const std::string& path)
                 {
                     page += path.empty() ? ".SH OPTIONS\n"
                                          : fmt::format(".SS ringside{}\n{}.\n", roff(path),
                                                        roff(command.get_description()));
                     for (const CLI::Option* option : command.get_options())
                     {
                         page += option == command.get_help_ptr() ? "" : roff_option(*option);
                     }
                     page += path.empty() ? ".SH COMMANDS\n" : "";
                 });
    return page + ".SH EXAMPLES\n.nf\nringside evaluate scenario.json \\-\\-set training.micro_batch=4\n"
                  "ringside search scenario.json \\-\\-top 5 \\-\\-json\n"
                  "ringside rent scenario.json \\-\\-deadline\\-days 30\n"
                  "ringside picture \\-\\-view memory \\-o memory.svg\n.fi\n"
                  ".SH EXIT STATUS\n0: done. 1: the answer is no, for example it does not fit. 2: bad input, "
                  "with every fault on "
                  "standard error as path: message (hint).\n"
                  ".SH ENVIRONMENT\n.TP\n.B RINGSIDE_ASSETS\nFolder with models, gpus, clusters and the "
                  "other files that ship, "
                  "in place of the installed one.\n";
}

// --- shells

std::string quoted(const std::string& text)
{
    return "'" + replaced(text, "'", "'\\''") + "'";
}

// What may follow a command: commands and options, each with its help.
std::vector<std::pair<std::string, std::string>> choices_of(const CLI::App& command)
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const CLI::App* below : commands_in(command))
    {
        all.emplace_back(below->get_name(), below->get_description());
    }
    for (const CLI::Option* option : command.get_options())
    {
        for (const std::string& name : option_names(*option))
        {
            all.emplace_back(name, option->get_description());
        }
    }
    return all;
}

// Lines of a `case` that follow the words of a line into `at`, and then offer what `line` makes of each
// command.
std::string cases(const CLI::App& root, std::string_view words,
                  const std::function<std::string(const CLI::App&)>& line)
{
    std::string follow;
    std::string offer;
    each_command(root, "",
                 [&](const CLI::App& command, const std::string& path)
                 {
                     follow += path.empty() ? "" : fmt::format("            {0}) at={0} ;;\n", quoted(path));
                     offer += fmt::format("        {}) {} ;;\n", quoted(path), line(command));
                 });
    return fmt::format(
        "    for word in {}; do\n        case \"$at $word\" in\n{}        esac\n    done\n    case $at in\n{}"
        "    esac\n",
        words, follow, offer);
}

std::string bash_completion(const DescribeOptions& o)
{
    const auto line = [](const CLI::App& command)
    {
        const auto words = texts_of(choices_of(command), [](const auto& choice) { return choice.first; });
        return "all=" + quoted(fmt::format("{}", fmt::join(words, " ")));
    };
    return "# Completions of ringside for bash.\n_ringside()\n{\n    local at= word all=\n" +
           cases(*o.root, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"", line) +
           "    mapfile -t COMPREPLY < <(compgen -W \"$all\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
           "complete -o default -F _ringside ringside\n";
}

std::string zsh_completion(const DescribeOptions& o)
{
    const auto line = [](const CLI::App& command)
    {
        const auto words =
            texts_of(choices_of(command), [](const auto& choice)
                     { return quoted(choice.first + ":" + replaced(choice.second, ":", "\\:")); });
        return fmt::format("all=({})", fmt::join(words, " "));
    };
    return "#compdef ringside\n_ringside()\n{\n    local at= word\n    local -a all\n" +
           cases(*o.root, "${words[2,CURRENT-1]}", line) +
           "    _describe ringside all\n    _files\n}\n_ringside \"$@\"\n";
}

std::string fish_completion(const DescribeOptions& o)
{
    std::string text = "# Completions of ringside for fish.\n";
    const auto add = [&](const std::string& when, const std::string& what, const std::string& help)
    { text += fmt::format("complete -c ringside -n {} {} -d {}\n", quoted(when), what, quoted(help)); };
    each_command(*o.root, "",
                 [&](const CLI::App& command, const std::string& path)
                 {
                     std::string when = path.empty() ? "__fish_use_subcommand" : "true";
                     for (const CLI::App* at = &command; at->get_parent() != nullptr; at = at->get_parent())
                     {
                         when += "; and __fish_seen_subcommand_from " + at->get_name();
                     }
                     for (const CLI::App* below : commands_in(command))
                     {
                         const std::string none = fmt::format("; and not __fish_seen_subcommand_from {}",
                                                              fmt::join(names_in(command), " "));
                         add(when + none, "-a " + below->get_name(), below->get_description());
                     }
                     for (const CLI::Option* option : command.get_options())
                     {
                         for (const std::string& name : option->get_lnames())
                         {
                             add(when, "-l " + name + (takes_value(*option) ? " -r" : ""),
                                 option->get_description());
                         }
                     }
                 });
    return text;
}

struct DescribeForm
{
    std::string_view name;
    std::string (*text)(const DescribeOptions&);
};

constexpr std::array kForms{DescribeForm{"man", manual}, DescribeForm{"bash", bash_completion},
                            DescribeForm{"zsh", zsh_completion}, DescribeForm{"fish", fish_completion}};

int run_describe(const DescribeOptions& o)
{
    put("{}", std::ranges::find(kForms, o.form, &DescribeForm::name)->text(o));
    return kDone;
}

void add_describe_options(CLI::App& app, DescribeOptions& o)
{
    one_of(
        app.add_option("FORM", o.form, "man for the manual page; bash, zsh or fish for a shell's completions")
            ->required(),
        texts_of(kForms, &DescribeForm::name));
}

} // namespace

const CliCommand describe_command = command<add_describe_options, run_describe>(
    "describe", "write the manual page, or completions for a shell, to standard output");

} // namespace ringside
