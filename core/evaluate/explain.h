// Explains, term by term, what report.h computed; the numbers are its own. Memory: memory/explain_memory.h.
#pragma once

#include "core/base/text/term.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside
{

struct Report;
struct Scenario;

// The bubble in the step's seconds (step.bubble_of_total): what the status line, JSON and comparisons say.
Term explain_step_bubble(const Report& report);
// The bubble of the schedule as it is drawn, in the units of stage_times (pipeline.bubble_*): closed form
// where it is exact, from the simulated times where stages wait for transfers.
Term explain_bubble_over_ideal(const Scenario& scenario, const Report& report);
Term explain_bubble_of_total(const Scenario& scenario, const Report& report);

// What the slowest stage makes of the step: (m + p - 1) max t is its length when all stages are as slow, so
// an upper bound when only one is, as long as transfers cost nothing. In the unit of the times.
Term explain_slowest_stage(const Scenario& scenario);

// The gradients' ring all-reduce: T = 2(N−1)α + 2(N−1)/N × S/B, and what each rank sends.
Term explain_all_reduce(const Scenario& scenario, const Report& report);
Term explain_sent_per_rank(const Scenario& scenario, const Report& report);

// What is right and looks wrong, in a sentence each: a step that waits for the network, a utilization beyond
// the peak, ZeRO-3's gathered layers, a pipeline whose fullest stage is not its first.
std::vector<std::string> remarks(const Scenario& scenario, const Report& report);

// Bytes of weights, gradients and optimizer state on one GPU of a pipeline stage under ZeRO stage 0 to 3, the
// paper's way: the scenario's bytes per parameter, each share divided by the replicas; P are the parameters
// that GPU would hold without ZeRO. With LoRA a frozen base has weights alone, P_4bit in 4 bits where it is
// quantized, and the adapters A all three. Adafactor's and Muon's second moments, which are not per
// parameter, are left out; what is offloaded is not.
Term explain_zero(const Scenario& scenario, std::int64_t zero_stage, std::size_t stage);

} // namespace ringside
