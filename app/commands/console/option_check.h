// Numbers of the command line, checked as they were typed. The parser alone reads -1 as 2^64 - 1, what is
// beyond 64 bits as the last number there is, 010 as 8, and takes nan for a temperature.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace ringside
{

inline constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMostSeeds = 1'000'000;         // draws of every family by `check`
inline constexpr std::int64_t kMostSteps = 1'000'000'000'000; // beyond anybody's patience
inline constexpr std::int64_t kMostDrawn = 1'000'000;         // characters drawn from a model
inline constexpr double kMostTemperature = 100;               // by then every character is as likely
inline constexpr std::int64_t kMostThreads = 1024;

// Empty, or "-1 is out of range (use 1 to 96)"; the caller names the option. A text that passes is rewritten
// as plain decimal digits.
std::string fault_of_whole(std::string& text, std::int64_t least, std::int64_t most);
std::string fault_of_real(std::string& text, double least, double most);
// The first of them as CLI11 takes it.
CLI::Validator in_range(std::int64_t least, std::int64_t most);

} // namespace ringside
