// Launch files as commands are given them: files, folders and standard input.
#pragma once

#include "app/commands/console/options.h"
#include "core/launch_files/launch_files.h"

namespace ringside
{

struct LaunchOptions : CommonOptions
{
    std::vector<std::string> files; // launch files, and what they refer to
    std::vector<std::string> arguments;
    std::string command;
    std::string kind; // empty: by content
    std::string gpu;
    std::int64_t gpus = 0;
    std::string output; // scenario file to write; empty: none
};

void add_launch_options(CLI::App& app, LaunchOptions& options);
// What the files say, or the end of the command.
LaunchReading read_launch(const LaunchOptions& options, const Presets& presets);
// `import FILE...`
int run_import_launch(const LaunchOptions& options);

} // namespace ringside
