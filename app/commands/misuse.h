// What is wrong with a command line, in words that say what would work.
#pragma once

#include <CLI/CLI.hpp>

#include "core/base/result.h"

namespace ringside
{

// The faults behind a line that could not be parsed: words that nobody expected, in the order they were
// typed, with those that were meant, and values of another type. Nothing for any other fault, which CLI11
// words well enough itself.
Issues misuse_of(const CLI::App& app, const CLI::ParseError& fault);

} // namespace ringside
