#include "ui/views/training/optimizer/state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

RateSchedule schedule_of(const OptimizerState& state, const Scenario& s)
{
    RateSchedule schedule = state.rate;
    schedule.end = run_steps(s);
    schedule.warmup = std::clamp<std::int64_t>(state.rate.warmup, 0, schedule.end);
    return schedule;
}

// The clock counts hundredths of the run, so that any run plays in the same time.
std::int64_t rate_step_at(const OptimizerState&, const Frame& frame)
{
    const auto last = static_cast<double>(run_steps(frame.now.scenario));
    return std::llround(last * std::clamp(frame.playback.t / 100, 0.0, 1.0));
}

std::size_t descent_step_at(const OptimizerState& state, const Frame& frame)
{
    return static_cast<std::size_t>(
        std::clamp(frame.playback.t + 1e-9, 0.0, static_cast<double>(state.descent.steps)));
}

} // namespace ringside
