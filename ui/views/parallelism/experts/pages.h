// The pages of the view of experts and what a user has set in them.
#pragma once

#include "core/base/derived.h"
#include "core/parallelism/experts/dispatch.h"
#include "core/parallelism/experts/overlap.h"
#include "core/parallelism/experts/replicas.h"
#include "ui/shell/paged_view.h"
#include "ui/views/parallelism/experts/runs.h"

namespace ringside
{

struct ExpertsState
{
    RouterChoice choice;
    Derived<Scenario, RoutedExperts> routed;
    Derived<std::int64_t, std::shared_ptr<const TokenPool>> pool; // by experts

    const RoutedExperts& routed_of(const Frame& frame) const
    {
        return routed.of(frame.now.scenario, routed_experts);
    }
    ExpertRuns runs(const Frame& frame) const;

    // What the page of one token's packets changes.
    std::optional<std::int64_t> nodes, limit; // as the scenario has it
    bool eight_bit = true;
    std::uint64_t token = 1;
    // What the page of replicas changes.
    std::optional<std::int64_t> gpus; // as the scenario has it
    std::int64_t redundant = 1;       // for each GPU
    bool by_node = false;
    // What the page of two batches changes.
    MoeTimes overlap;
};
using ExpertsRoom = PageRoom<ExpertsState>;

extern const Page<ExpertsState> kExpertLoad, kExpertNodes, kExpertReplicas, kExpertOverlap;

// Steps of the router as a clock.
Motion router_motion(const Frame& frame, ExpertsState& state);
std::size_t router_step(const Frame& frame);
// "DeepSeek-V3: 256 experts, 8 per token, 1 shared"
std::string experts_words(const ExpertPlan& plan);

} // namespace ringside
