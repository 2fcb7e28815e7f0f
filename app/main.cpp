// Ringside: one executable, the window and the commands.
#include "app/commands/misuse.h"
#include "app/commands/options.h"
#include "app/window/window.h"

#include <array>

namespace
{

using namespace ringside;

constexpr std::array kCommands{&evaluate_command, &validate_command, &calibrate_command,  &check_command,
                               &question_command, &schedule_command, &collective_command, &scaling_command,
                               &search_command,   &import_command,   &export_command,     &lesson_command,
                               &train_command,    &picture_command,  &animate_command,    &guide_command,
                               &bench_command};

int run(int argc, char** argv)
{
    CLI::App app{"A ringside seat at large-scale LLM training"};
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
    Program program;
    WindowOptions window;
    app.add_option("--assets", program.assets, "folder that holds models, gpus, clusters and scenarios");
    for (const CliCommand* command : kCommands)
    {
        command->add(*command, app, program);
    }
    add_window_options(app, window);
    app.require_subcommand(0, 1);
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& fault)
    {
        if (const Issues issues = misuse_of(app, fault); !issues.empty())
        {
            return print_faults(issues);
        }
        // CLI11 has its own exit codes; ours are 0 for help and 2 for anything misused.
        return app.exit(fault) == 0 ? kDone : kBadInput;
    }
    window.assets = program.assets;
    return app.get_subcommands().empty() ? or_faults([&] { return run_window(window); }) : program.status;
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        return run(argc, argv);
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "ringside: {}\n", printable(fault.what()));
        return ringside::kBadInput;
    }
}
