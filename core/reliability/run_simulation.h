// Months of a run, event by event: failures drawn from a seed or struck by hand, what each costs, and what is
// kept. Its long-run shares are goodput.h's closed form.
#pragma once

#include "core/reliability/goodput.h"

#include <vector>

namespace ringside
{

// A stretch of the wall clock. Running stretches are cut at the last checkpoint that was safe when the job
// failed: before it everything is kept, after it everything is lost.
struct RunSpan
{
    double start = 0, end = 0; // [s]
    RunPart part = RunPart::useful;
    double saving = 0;         // [s] of a useful span that training stood still for checkpoints
    double working = 1;        // share of the GPUs at work, mean
    std::int64_t saves = 0;    // checkpoints in it
    std::int64_t failure = -1; // that ended it, or that it follows: index into `failures`; -1: none
};

struct RunFailure
{
    double at = 0;         // [s]
    bool hardware = false; // took a node away
    bool by_hand = false;
};

struct RunStory
{
    std::vector<RunSpan> spans; // one after the other, from 0 to `horizon`
    std::vector<RunFailure> failures;
    double horizon = 0;                      // [s]
    double cycle = 0;                        // [s] from one checkpoint to the next
    std::array<double, kRunParts> seconds{}; // of the horizon; they add up to it within rounding
    std::int64_t saves = 0;
    double longest_s = 0; // without a failure

    double of(RunPart part) const { return seconds[static_cast<std::size_t>(part)]; }
    double goodput() const { return horizon > 0 ? of(RunPart::useful) / horizon : 0; }
};

inline constexpr std::int64_t kMostFailures = 4000;

// The run over `horizon` seconds, shortened so that about kMostFailures are expected. `kills` are seconds at
// which a plug is pulled. The same seed gives the same failures, measured in mean times between them, so
// that a change of the plan can be compared.
RunStory simulate_run(const RunRates& rates, const RunPlan& plan, double horizon, std::uint64_t seed,
                      const std::vector<double>& kills = {});

// The span at a moment; spans.size() beyond the end.
std::size_t span_at(const RunStory& story, double seconds);
// Seconds of every part up to a moment.
std::array<double, kRunParts> parts_until(const RunStory& story, double seconds);

} // namespace ringside
