// The simulator behind an incident: a loss that falls by a power law, an instability that grows where the
// learning rate exceeds what the model takes, knocks that heal and scars that do not, and the arithmetic of a
// loss scale. Deterministic: a step's noise depends on seed and batch alone, so a rewound run sees what it
// saw.
//
// The rules and their constants are ours, chosen to show what the sources in incident.cpp describe; no number
// of theirs is claimed to come out of them.
#pragma once

#include "core/base/names.h"
#include "core/reliability/incidents/incident.h"

#include <vector>

namespace ringside
{

// What a dashboard shows of a step. NaN: not finite.
struct IncidentStep
{
    double loss = 0;      // nats per token, of the training batch
    double held = 0;      // the same of held-out text
    double norm = 0;      // of the gradient, before clipping
    double rate = 0;      // learning rate, in the peak of a healthy run
    double scale = 0;     // loss scale; 0 in bf16
    double apart = 1;     // largest gradient norm of a rank over the median; NaN: a rank is not finite
    bool skipped = false; // the optimizer did not step
};

struct IncidentRun
{
    std::vector<IncidentStep> steps; // from step `from`
    std::int64_t from = 0;
    std::vector<std::int64_t> restarts; // steps before which the run was started again
};

// As it went, to the last step; what stands behind `noticed` is what would have come.
IncidentRun run_untreated(const Incident& incident);
// From a checkpoint (a multiple of kCheckpointEvery, at most `noticed`) with the remedy.
IncidentRun run_treated(const Incident& incident, Remedy remedy, std::int64_t checkpoint);
// The incident's batches in a run to which nothing happens.
IncidentRun run_healthy(const Incident& incident);

enum class Outcome : std::uint8_t
{
    cured,   // ends as if nothing had happened, within 0.1 nats
    helps,   // ends better than untreated by more than 0.1 nats
    nothing, // no better
    worse    // ends worse than untreated by more than 0.1 nats
};
template <>
inline constexpr auto kNamesOf<Outcome> = names<Outcome>("cured", "helps", "changes nothing",
                                                         "makes it worse");

struct Treatment
{
    IncidentRun run;
    Outcome outcome = Outcome::nothing;
    double end = 0;       // held-out loss at the end; NaN: not finite
    double untreated = 0; // the same without the remedy
    double healthy = 0;
    std::int64_t lost = 0; // steps between the checkpoint and where the run was stopped, made again
};
Treatment treat(const Incident& incident, Remedy remedy, std::int64_t checkpoint);

} // namespace ringside
