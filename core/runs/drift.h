// Where a run that goes on stands: its last steps against the prediction's band, and against its own before.
#pragma once

#include "core/evaluate/report.h"
#include "core/runs/log.h"

namespace ringside
{

inline constexpr std::size_t kRecentSteps = 10;
inline constexpr double kDriftShare = 0.1; // slower than its own median before, from which on it is told

struct RunDrift
{
    std::int64_t step = 0; // the newest
    double recent = 0;     // [s] median of the last steps; 0: there are none after the warm-up
    double before = 0;     // [s] median of those before; 0: too few
    bool outside = false;  // the prediction's band
    bool slower = false;   // than it was itself
};
RunDrift drift_of(const StepSummary& summary, double predicted_s, const Band& band);
// A sentence; which of two are told apart by it, so that it is said once.
std::string drift_words(const RunDrift& drift, double predicted_s);

} // namespace ringside
