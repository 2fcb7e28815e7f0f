// What a search may also move because the user frees it: the number of GPUs, the global batch, the sequence
// length, how many layers of a stage are recomputed. All else about a scenario's work stays.
//
// GPUs, batch and length go through today's value times powers of two. A length that is freed alone keeps the
// tokens of a step, so the batch follows it. Steps of different tokens, and different GPUs, are compared by
// the time of a million tokens; with more GPUs that is nearly always shorter, so that who frees them ranks by
// cost: GPU-seconds of a million tokens.
#pragma once

#include "core/scenario/scenario.h"

#include <vector>

namespace ringside
{

struct FreeRange
{
    std::int64_t least = 0;
    std::int64_t most = 0; // 0: not freed

    bool on() const { return most > 0; }
    bool operator==(const FreeRange&) const = default;
};
// A quarter of today's value to four times that.
FreeRange range_around(std::int64_t today);
// Today's value times powers of two inside the range, ascending; none: today's.
std::vector<std::int64_t> values_in(const FreeRange& range, std::int64_t today);

struct Freed
{
    FreeRange global_batch;
    FreeRange sequence_length;
    bool recompute_layers = false; // with full recomputation, the fewest layers that make it fit
    FreeRange gpus = {};

    bool tokens() const { return global_batch.on() || sequence_length.on(); } // of a step may differ
    bool work() const { return tokens() || gpus.on(); } // compared by the time of a million tokens
    bool any() const { return work() || recompute_layers; }
    bool operator==(const Freed&) const = default;
};

// What one step trains on.
struct StepWork
{
    std::int64_t global_batch = 1;
    std::int64_t sequence_length = 1;

    bool operator==(const StepWork&) const = default;
};
// All that the ranges allow and the model takes, shortest sequences and smallest batches first; never none.
std::vector<StepWork> works_of(const Scenario& scenario, const Freed& freed);
void apply(const StepWork& work, Scenario& scenario);
// Numbers of GPUs that the range allows and the scenario takes, ascending; today's where none are freed.
std::vector<std::int64_t> gpus_of(const Scenario& scenario, const Freed& freed);
// Times of steps are compared per so much work: 1 step, or where that is free a million tokens.
double work_units(const Scenario& scenario, const Freed& freed);

} // namespace ringside
