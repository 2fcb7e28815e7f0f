// Ringside: one executable, the window and the commands.
#include "app/commands/console/misuse.h"
#include "app/commands/console/options.h"
#include "app/window/window.h"

#include <array>

namespace
{

using namespace ringside;

constexpr std::array kCommands{
    &evaluate_command, &validate_command,   &calibrate_command,    &check_command,  &question_command,
    &schedule_command, &collective_command, &scaling_command,      &search_command, &rent_command,
    &import_command,   &export_command,     &lesson_command,       &train_command,  &picture_command,
    &animate_command,  &guide_command,      &gallery_command,      &link_command,   &bench_command,
    &measure_command,  &progress_command,   &check_launch_command, &replay_command, &assignment_command,
    &mock_command,     &serve_command,      &explain_command,      &mcp_command,    &describe_command};

int run(int argc, char** argv)
{
    CLI::App app{"A ringside seat at large-scale LLM training", "ringside"};
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
    Program program{.commands = kCommands, .version = RINGSIDE_VERSION};
    WindowOptions window;
    app.add_option("--assets", program.assets,
                   "folder with models/, gpus/, clusters/, frameworks/ and scenarios/");
    for (const CliCommand* command : kCommands)
    {
        command->add(*command, app, program);
    }
    add_window_options(app, window);
    app.require_subcommand(0, 1);
    if (const auto status = parse(app, argc, argv))
    {
        return *status;
    }
    window.assets = program.assets;
    return app.get_subcommands().empty() ? or_faults([&] { return run_window(window); }) : program.status;
}

} // namespace

int main(int argc, char** argv)
{
    ringside::keep_streams();
    int status = ringside::kBadInput;
    const auto thrown = ringside::caught([&] { status = run(argc, argv); });
    if (thrown && std::ferror(stdout) == 0) // else that is the fault
    {
        ringside::print_thrown(thrown);
    }
    return ringside::flushed(status);
}
