// What would make it fit: every single change of layout or recipe that frees memory on the fullest stage.
// Closed forms only, fast enough for every frame in which the scenario changed. Nothing is simulated.
#pragma once

#include "core/evaluate/report.h"
#include "core/memory/memory.h"

#include <string>
#include <vector>

namespace ringside
{

struct Lever
{
    // "micro_batch", "zero_1", "zero_2", "zero_3", "sequence_parallel", "tensor", "pipeline", "context",
    // "expert", "schedule_1f1b", "recompute_selective", "recompute_full", "flash", "offload_optimizer",
    // "adamw_8bit", "bf16_gradients", "fp8"
    std::string id;
    std::string name;    // "Micro-batch 2 to 1"
    std::string cost;    // one line with what it costs, "bubble 15.8% to 8.57% of total"
    Scenario after;      // valid
    MemoryReport memory; // of `after`
    Bytes saving;        // the fullest GPU now less the fullest of `after`; more than nothing
    Seconds extra;       // added to a step, by the step model; never below 0
    bool fits = false;
};

// Cheapest first (by `extra`, then the larger saving), at most `most`. The scenario must be valid.
// Tensor groups that reach beyond a node are offered only when nothing else is left.
std::vector<Lever> levers(const Scenario& scenario, const Report& report, std::size_t most = 12);

} // namespace ringside
