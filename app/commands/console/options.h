// Options that several commands have, declared once, and how a command is made of its options and its work.
#pragma once

#include <CLI/CLI.hpp>

#include "app/commands/console/input.h"
#include "app/commands/console/option_check.h"

#include <memory>
#include <set>

namespace ringside
{

CLI::Option* add_json(CLI::App& app, CommonOptions& options);
// FILE, a scenario that has to be given.
void add_scenario_file(CLI::App& app, std::string& file);
// --set PATH=VALUE ..., as often as one likes.
void add_sets(CLI::App& app, std::vector<std::string>& sets, const char* help);
// Adds --set for fields of a scenario, and --model FILE.
void add_scenario_sets(CLI::App& app, std::vector<std::string>& sets);
// --framework, whose layouts are searched, and what it names; none for "any".
void add_framework(CLI::App& app, std::string& framework);
Framework framework_named(const std::string& name, const Presets& presets, Issues& issues);
void add_seed(CLI::App& app, std::uint64_t& seed);

// Refused as typed, with what would work.
CLI::Option* whole(CLI::Option* option, std::int64_t least, std::int64_t most);
CLI::Option* real(CLI::Option* option, double least, double most);
CLI::Option* one_of(CLI::Option* option, std::vector<std::string> words);
// Read again and again, which standard input cannot be.
CLI::Validator watched_file();
// Two that fill the same standard output.
void exclude_each_other(std::initializer_list<CLI::Option*> options);

// The options that were given, whatever their values: "--stages".
using TypedOptions = std::set<std::string, std::less<>>;
TypedOptions typed_options(const CLI::App& command);

template <class Options>
CLI::App& add_command(const CliCommand& command, CLI::App& parent, Program& program,
                      void (*declare)(CLI::App&, Options&), int (*run)(const Options&))
{
    const auto options = std::make_shared<Options>();
    CLI::App& app = *parent.add_subcommand(command.name, command.help);
    declare(app, *options);
    app.callback(
        [&, run, options] // of app and program, which stay
        {
            options->assets = program.assets;
            if constexpr (requires { options->program; })
            {
                options->program = &program;
            }
            if constexpr (requires { options->root; })
            {
                options->root = app.get_parent();
            }
            if constexpr (requires { options->typed; })
            {
                options->typed = typed_options(app);
            }
            program.status = or_faults([&] { return run(*options); });
        });
    return app;
}

// A command whose options `Declare(app, options)` declares and that `Run(options)` carries out.
template <auto Declare, auto Run>
constexpr CliCommand command(const char* name, const char* help)
{
    return {name, help, [](const CliCommand& self, CLI::App& parent, Program& program) {
                add_command(self, parent, program, Declare, Run);
            }};
}

// A command of commands, one of which has to be named.
template <const CliCommand&... Below>
constexpr CliCommand group(const char* name, const char* help)
{
    return {name, help,
            [](const CliCommand& self, CLI::App& parent, Program& program)
            {
                CLI::App& app = *parent.add_subcommand(self.name, self.help);
                app.require_subcommand(1);
                (Below.add(Below, app, program), ...);
            }};
}

} // namespace ringside
