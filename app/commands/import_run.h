// `ringside import run FILE...`: files of a real training run, and the engine's prediction beside them.
#pragma once

#include "app/commands/console/options.h"

#include <string>
#include <vector>

namespace ringside
{

struct RunOptions : CommonOptions
{
    std::vector<std::string> files; // and folders; launch files among them say the scenario
    std::string scenario;           // to compare with; empty: as the files say
    std::vector<std::string> sets;
    bool watch = false; // follows one log that a run still writes
    double idle = 0;    // [s] without a new line after which it ends; 0: never
};

void add_run_options(CLI::App& app, RunOptions& options);
int run_import_run(const RunOptions& options);
int run_watch(const RunOptions& options); // watch_run.cpp

} // namespace ringside
