// Reading what a command or the window was given, and printing what is wrong with it.
#pragma once

#include <fmt/format.h>

#include "app/commands.h"
#include "core/base/printable.h"
#include "core/scenario/presets.h"

#include <cstdio>
#include <utility>

namespace ringside
{

struct Opened
{
    std::filesystem::path assets;
    Presets presets;
};

// The presets of --assets; faulty preset files are named on stderr but stop nothing else.
Result<Opened> open_presets(const CommonOptions& options);
// A scenario file, checked and valid, or every fault with the file's name before it.
Result<Scenario> read_scenario(const std::string& file, const Presets& presets);
// The same with `--set PATH=VALUE ...` applied first; paths without the file's name, and what somebody should
// know goes to `warnings`.
Result<Scenario> read_scenario(const std::string& file, const std::vector<std::string>& sets,
                               const Presets& presets, Issues& warnings);

// Faults of what a file holds, with the file's name before each that does not begin with it.
Issues of_file(Issues issues, const std::string& file);

// Each on one line of stderr as `path: message (hint)`, of this file; returns the status for bad input.
int print_faults(const Issues& issues, const std::string& file = {});

// Prints for people: names and texts of files reach the terminal as text, never as its commands.
template <class... Args>
void say(fmt::format_string<Args...> form, Args&&... args)
{
    fmt::print("{}", printable(fmt::format(form, std::forward<Args>(args)...)));
}

// Issues of the core as faults of a command's options: "micro_batches" becomes "--micro-batches". Places in a
// text
// ("rank 3", "line 2") stay.
Issues as_options(Issues issues);

} // namespace ringside
