// How much of a list of faults is shown, wherever it is: on a terminal, as JSON, in a notice.
#pragma once

#include "core/base/result.h"

#include <cstddef>

namespace ringside
{

inline constexpr std::size_t kMostFaultsShown = 50;

// The first of them; a last one says how many more there are.
inline Issues shown_faults(Issues issues, std::size_t most = kMostFaultsShown)
{
    if (issues.size() > most)
    {
        const std::size_t more = issues.size() - most;
        const Severity severity = has_errors(issues) ? Severity::error : Severity::warning;
        issues.resize(most);
        issues.push_back({"", "and " + std::to_string(more) + " more", "", severity});
    }
    return issues;
}

} // namespace ringside
