// Which values of a count suit the rest of a scenario: what sliders stop at.
#pragma once

#include "core/base/names.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <vector>

namespace ringside
{

enum class Knob
{
    gpus,
    tensor,
    context,
    pipeline,
    chunks,
    expert,
    micro_batch,
    micro_batches
};
template <>
inline constexpr auto kNamesOf<Knob> = names<Knob>("GPUs", "tensor", "context", "pipeline", "chunks",
                                                   "expert", "micro-batch", "micro-batches");

std::int64_t value_of(const Scenario& scenario, Knob knob);
// The scenario with one count changed. micro_batches changes the global batch; nothing else follows.
Scenario with(Scenario scenario, Knob knob, std::int64_t value);
// The scenario with 8, 4 or 2 of it, whichever is the most that leaves no error; unchanged where none does.
Scenario with_some(const Scenario& scenario, Knob knob);
// The scenario under another schedule, with chunks to suit it: 1, or the fewest that interleaving can use.
Scenario with_schedule(Scenario scenario, ScheduleKind kind);
// The values, ascending, for which the scenario has no error, all else equal. When another field is at fault
// and there are none: every candidate.
std::vector<std::int64_t> legal_values(const Scenario& scenario, Knob knob);

// All of them, ascending.
std::vector<std::int64_t> divisors(std::int64_t whole);

} // namespace ringside
