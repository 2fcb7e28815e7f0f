#include "app/commands/console/misuse.h"

#include <fmt/format.h>

#include "app/commands/console/option_check.h"
#include "app/files/streams.h"
#include "core/base/text/text.h"
#include "core/scenario/link/link.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace ringside
{

namespace
{

// The command that was asked for, as far as its names could be read.
const CLI::App& last_command(const CLI::App& app)
{
    const auto below = app.get_subcommands();
    return below.empty() ? app : last_command(*below.back());
}

std::string full_name(const CLI::App& command)
{
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    {
        names.push_back(command->get_name());
    }
    return names;
}

// Without their two dashes, so that these do not count as letters that agree.
std::vector<std::string> options_of(const CLI::App& command)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
    {
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
    return names;
}

bool is_option(std::string_view word)
{
    return word.size() > 1 && word.front() == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

Issue unknown_command(const CLI::App& command, const std::string& word)
{
    const auto names = commands_of(command);
    const std::string near = nearest_word(word, names);
    return {word, fmt::format("{} has no such command", full_name(command)),
            near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                         : "did you mean " + near + "?"};
}

Issue unknown_option(const CLI::App& root, const CLI::App& command, const std::string& typed)
{
    const std::string word = typed.substr(0, typed.find('='));
    const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const std::string says = fmt::format("{} has no such option", full_name(command));
    const auto own = options_of(command);
    if (&root != &command && word.starts_with("--") && std::ranges::find(own, bare) != own.end())
    {
        return {word, "ringside itself has no such option",
                fmt::format("give it after the command, as in {} {}", full_name(command), word)};
    }
    const auto above = options_of(root);
    if (&root != &command && word.starts_with("--") && std::ranges::find(above, bare) != above.end())
    {
        return {
            word, says,
            fmt::format("give it before the command, as in ringside {} ... {}", word, command.get_name())};
    }
    const std::string near = nearest_word(bare, own);
    return {word, says,
            near.empty() ? fmt::format("{} --help lists those there are", full_name(command))
                         : "did you mean --" + near + "?"};
}

// Words behind an unknown option may be its values, and those behind an unknown command are that command's.
Issues unexpected(const CLI::App& root)
{
    const CLI::App& command = last_command(root);
    const bool names_command = !commands_of(command).empty();
    Issues issues;
    bool of_option = false;
    for (const std::string& word : root.remaining(true))
    {
        if (is_option(word))
        {
            issues.push_back(unknown_option(root, command, word));
            of_option = word.find('=') == std::string::npos;
        }
        else if (names_command && !of_option)
        {
            issues.push_back(unknown_command(command, word));
            break;
        }
        else if (!of_option)
        {
            issues.push_back({word, fmt::format("is one argument more than {} takes", full_name(command)),
                              fmt::format("{} --help says which it takes", full_name(command))});
        }
    }
    return issues;
}

// "1GB" as well as what people type for numbers elsewhere: "1G", "70B", "1e3".
std::optional<double> meant(std::string text)
{
    if (const auto number = parse_number(text))
    {
        return number;
    }
    if (text.size() > 2 && text.back() == 'B')
    {
        text.pop_back();
        return parse_number(text);
    }
    return std::nullopt;
}

// A value that is not of its option's type.
Issue wrong_type(const CLI::Option& option, const std::string& value, bool whole)
{
    const std::string kind = whole ? "a whole number" : "a number";
    const auto number = meant(value);
    const bool fits = number && (!whole || (*number == std::floor(*number) && std::abs(*number) < 1e15));
    std::string hint = fmt::format("give {}", kind);
    if (option.get_items_expected_max() > 1)
    {
        hint = fmt::format("give {} for each, with commas between", kind);
    }
    else if (fits)
    {
        hint +=
            whole ? fmt::format(": {}", static_cast<std::int64_t>(*number)) : fmt::format(": {}", *number);
    }
    return {option.get_name(), fmt::format("\u201c{}\u201d is not {}", value, kind), hint};
}

Issues wrong_types(const CLI::App& command)
{
    Issues issues;
    for (const CLI::Option* option : command.get_options())
    {
        const std::string type = option->get_type_name();
        const bool whole = type.find("INT") != std::string::npos;
        if (!whole && type.find("FLOAT") == std::string::npos)
        {
            continue;
        }
        for (std::string value : option->results())
        {
            const std::string typed = value;
            using Whole = std::numeric_limits<std::int64_t>;
            using Real = std::numeric_limits<double>;
            const std::string fault = whole ? fault_of_whole(value, Whole::min(), Whole::max())
                                            : fault_of_real(value, Real::lowest(), Real::max());
            if (!fault.empty())
            {
                issues.push_back(wrong_type(*option, typed, whole));
            }
        }
    }
    return issues;
}

// The option that a fault is about: CLI11 begins its message with the option's name.
const CLI::Option* subject_of(const CLI::App& app, std::string_view message)
{
    for (const CLI::Option* option : app.get_options())
    {
        const std::string name = option->get_name();
        if (message.starts_with(name) && message.find_first_of(": ") == name.size())
        {
            return option;
        }
    }
    const auto below = app.get_subcommands();
    return below.empty() ? nullptr : subject_of(*below.back(), message);
}

// The first of the options that is on the line, or that is not; empty: there is none.
std::string first_name(const std::set<CLI::Option*>& options, bool given)
{
    const auto found = std::ranges::find_if(options, [given](const CLI::Option* option)
                                            { return (option->count() > 0) == given; });
    return found == options.end() ? std::string() : (*found)->get_name();
}

// The fault in our own words, by its kind.
Issue reworded(const CLI::App& app, const CLI::ParseError& fault)
{
    const std::string message = fault.what();
    const std::string help = fmt::format("{} --help has all options", full_name(last_command(app)));
    const CLI::Option* option = subject_of(app, message);
    if (option == nullptr)
    {
        return {"", message, help};
    }
    const std::string name = option->get_name();
    switch (static_cast<CLI::ExitCodes>(fault.get_exit_code()))
    {
    case CLI::ExitCodes::RequiredError:
        return {name, "is missing", help};
    case CLI::ExitCodes::ExcludesError:
        return {name,
                fmt::format("cannot be given together with {}", first_name(option->get_excludes(), true)),
                "leave one of them out"};
    case CLI::ExitCodes::RequiresError:
    {
        const std::string other = first_name(option->get_needs(), false);
        return {name, fmt::format("needs {}", other), fmt::format("give {} as well", other)};
    }
    case CLI::ExitCodes::ArgumentMismatch:
        if (static_cast<int>(option->count()) > option->get_items_expected_max())
        {
            return {name, "is given more than once", "give it once"};
        }
        return {name, "has no value", fmt::format("give one after it; {}", help)};
    case CLI::ExitCodes::ValidationError: // in the words of our own checks, which end with what would work
        return {"", message, ""};
    default:
        return {"", message, help};
    }
}

// The faults behind a line that could not be parsed: words that nobody expected, in the order they were
// typed, with those that were meant, and values of another type.
Issues misuse_of(const CLI::App& app, const CLI::ParseError& fault)
{
    const CLI::App& command = last_command(app);
    Issues issues;
    if (dynamic_cast<const CLI::ConversionError*>(&fault) != nullptr)
    {
        issues = wrong_types(command);
    }
    else if (dynamic_cast<const CLI::ExtrasError*>(&fault) != nullptr)
    {
        issues = unexpected(app);
    }
    // A command of commands, such as `question`, of which none was named or none that there is.
    else if (dynamic_cast<const CLI::RequiredError*>(&fault) != nullptr && !commands_of(command).empty())
    {
        issues = unexpected(app);
        add_if(issues, issues.empty(),
               {full_name(command), "needs a command",
                fmt::format("use one of {}", fmt::join(commands_of(command), ", "))});
    }
    return issues.empty() ? Issues{reworded(app, fault)} : issues;
}

constexpr const char* kEmpty = "is empty";
constexpr const char* kGiveOne = "give a value, or leave it out";

// Before whatever else is asked of a value.
void refuse_empty(CLI::App& app)
{
    for (CLI::Option* option : app.get_options())
    {
        if (option->get_items_expected_max() > 0)
        {
            option->transform(CLI::Validator(
                [](std::string& text)
                { return text.empty() ? fmt::format("{} ({})", kEmpty, kGiveOne) : std::string(); },
                ""));
        }
    }
    for (CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    {
        refuse_empty(*below);
    }
}

bool assigns(std::string_view word)
{
    const std::size_t name = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789.");
    return name != 0 && name != std::string_view::npos && word[name] == '=';
}

// The words of a line, each assignment behind `--set` with a --set of its own, and a link that it begins with
// behind --link.
std::vector<std::string> spread(int argc, const char* const* argv, Issues& issues)
{
    std::vector<std::string> words;
    bool setting = false;
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        const bool again = setting && words.back() != "--set" && assigns(word);
        words.insert(words.end(), again ? 1 : 0, "--set");
        words.insert(words.end(), i == 1 && is_link(word) ? 1 : 0, "--link");
        words.push_back(word);
        setting = word == "--set" || word.starts_with("--set=") || (setting && assigns(word));
        add_if(issues, word.starts_with("--") && word.size() > 3 && word.find('=') + 1 == word.size(),
               {word.substr(0, word.size() - 1), kEmpty, kGiveOne});
    }
    return words;
}

} // namespace

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv)
{
    refuse_empty(app);
    Issues issues;
    std::vector<std::string> words = spread(argc, argv, issues);
    if (!issues.empty())
    {
        return print_faults(issues);
    }
    std::ranges::reverse(words); // as CLI11 takes them
    try
    {
        app.parse(std::move(words));
        return std::nullopt;
    }
    catch (const CLI::Success& asked)
    {
        std::ostringstream text;
        const int status = app.exit(asked, text, text); // help, or the version
        put_raw(text.str());
        return status;
    }
    catch (const CLI::ParseError& fault)
    {
        return print_faults(misuse_of(app, fault));
    }
}

} // namespace ringside
