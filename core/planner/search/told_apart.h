// Which layouts of a search computed times cannot tell from the best, the simplest of them, and which rows
// are one family.
//
// Simplest is what people run. In this order:
// 1. The fewest departures from practice: tensor parallelism beyond the links of a node, context parallelism
//    for sequences below kContextFrom tokens, a schedule other than 1F1B and interleaved 1F1B, gradients or
//    weights sharded inside a pipeline (ZeRO-2, ZeRO-3), experts sharded over several GPUs.
// 2. The fewest pipeline stages, then the fewest GPUs per replica: as little model parallelism as will do.
// 3. The fewest kinds of parallelism, then the better one.
// Sources: Megatron Core, "Parallelism Strategies Guide" (TP within a node, PP for depth, CP for long
// sequences) and its MoE guide (little model parallelism, much data parallelism; expert tensor parallelism
// rarely); NeMo Megatron-Bridge, "Parallelism strategies" (TP 4 to 8 with PP 2 to 8 for 10 to 175 B dense, no
// CP); Llama Team 2024, arXiv 2407.21783, section 3.3.2 and table 4 (TP 8 in the node; CP 1 at 8,192 tokens,
// CP 16 at 131,072); Hugging Face 2025, "The Ultra-Scale Playbook" (TP within a node, then PP or ZeRO-3, CP
// for long sequences alone).
#pragma once

#include "core/planner/search/layout_search.h"

#include <span>

namespace ringside
{

// Errors of two published runs of one model differ by this share in the median (spread_in_groups() over the
// measured sources, `ringside bench accuracy`): a smaller difference does not say which layout is faster.
inline constexpr double kToldApart = 0.08;

// [tokens] From this sequence length upward people run context parallelism: twice what Llama 3 ran without.
inline constexpr std::int64_t kContextFrom = 16384;

// Whether computed times cannot tell `candidate` from `best`. Memory is exact, and only its own layout equals
// the best. What is tight equals nothing that is not.
bool equals_best(const Candidate& candidate, const Candidate& best, Objective objective);

// Tensor, context, pipeline and expert parallelism, and sharding beyond the optimizer's states: how many of
// them a layout has.
int kinds_of_parallelism(const Layout& layout);
// How many of the settings listed at 1 above a layout of `scenario` has.
int departures(const Layout& layout, const Scenario& scenario);

// The simplest of those that equal the first; null of none. `scenario` is the one searched.
const Candidate* simplest_equal(std::span<const Candidate> best_first, Objective objective,
                                const Scenario& scenario);

// Whether both differ in context parallelism and micro-batch alone, in one ratio: a GPU then has the same
// tokens of as many micro-batches, and only the cut through the sequence differs.
bool one_family(const Layout& a, const Layout& b);
// The best of each family.
std::vector<Candidate> one_per_family(std::span<const Candidate> best_first);

} // namespace ringside
