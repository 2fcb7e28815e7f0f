// What a batch is made of: B = DP x accumulation x micro-batch, solved for any of the four, and what a user
// could take instead where it does not divide. Says nothing about memory or time.
//
// A replica is t x cp x p GPUs: solving for replicas changes the number of GPUs and keeps the layout of one
// replica.
#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <string_view>

namespace ringside
{

enum class BatchPart : std::uint8_t
{
    global,       // sequences of an optimizer step, B
    replicas,     // data-parallel copies of the model, DP
    accumulation, // micro-batches that each replica works through in a step
    micro         // sequences of a micro-batch
};
inline constexpr std::size_t kBatchParts = 4;
template <>
inline constexpr auto kNamesOf<BatchPart> = names<BatchPart>("global batch", "data parallel", "accumulation",
                                                             "micro-batch");
std::string_view symbol_of(BatchPart part); // "mb"

struct BatchSplit
{
    std::array<std::int64_t, kBatchParts> parts{1, 1, 1, 1}; // by BatchPart

    std::int64_t of(BatchPart part) const { return parts[static_cast<std::size_t>(part)]; }
    BatchSplit with(BatchPart part, std::int64_t value) const;
    bool operator==(const BatchSplit&) const = default;
};

// The other three as they are, `unknown` worked out. Refused where it is no whole number from 1 up; the
// issue's path is the part that can be changed, its hint the nearest values that work.
Result<BatchSplit> solve_batch(const BatchSplit& known, BatchPart unknown);
// Splits that can be solved, each with one of the known parts moved to its nearest value below or above that
// works; the batch first. Empty where `known` can be solved itself.
std::vector<BatchSplit> nearest_batches(const BatchSplit& known, BatchPart unknown);

BatchSplit batch_split(const Scenario& scenario);
// The scenario with this split: micro-batch, batch, and as many GPUs as its replicas need.
Scenario with_batch(Scenario scenario, const BatchSplit& split);

// Tokens of one optimizer step, B s.
double batch_tokens(const Scenario& scenario);
// Optimizer steps of the whole run, at least 1: its tokens over those of a step, rounded.
std::int64_t run_steps(const Scenario& scenario);

} // namespace ringside
