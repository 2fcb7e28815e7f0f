// What is wrong with a command line, in words that say what would work.
#pragma once

#include <CLI/CLI.hpp>

#include "core/base/result.h"

#include <optional>

namespace ringside
{

// Reads the command line: `--set A=1 B=2` takes both, and an empty value is refused wherever it stands, since
// it comes of a variable that was not set. The status where the program ends here: help that was asked for,
// or faults, which are printed.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

} // namespace ringside
