// The functions that expressions of question families may call: ordinary ones, and the engine's. Each asks
// the engine; none has a formula of its own.
#pragma once

#include "core/base/result.h"

#include <span>
#include <string_view>

namespace ringside
{

struct StudyFunction
{
    std::string_view name;      // "ring_all_reduce_s"
    std::string_view arguments; // "n, S, a, B"; "..." for any number of at least one
    std::string_view says;      // what it gives, with its unit
    // The arguments are as many as named. An Issue where they are out of range; its path is empty.
    Result<double> (*call)(std::span<const double> arguments);
    bool simulates = false; // takes milliseconds, not microseconds

    // How many it takes; 0 for any number.
    std::size_t count() const;
};

// Sorted by what they are about. To add one, add a row to the table at the bottom of its topic's file in
// core/study/questions/functions.
std::span<const StudyFunction> study_functions();
const StudyFunction* find_function(std::string_view name);

} // namespace ringside
