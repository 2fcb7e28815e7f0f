// What each rank of the pipeline works on: which one works longest, and which holds most.
//
// Offloaded weights come up for every forward and again for every backward, a layer ahead of the one at work
// (Rajbhandari et al., ZeRO-Infinity, arXiv 2104.07857, section 4). The gradient of a layer's input is made
// of its weights, that of its weights is not; so a weight gradient that runs together with the input gradient
// hides weights of the next layer, and one that runs later, as in a split backward, hides none.
#pragma once

#include "core/performance/step_model/profile.h"
#include "core/pipeline/schedule.h"

namespace ringside
{

// [s] that a parameter on one GPU takes on its way up; zero where weights stay on the GPU.
struct WeightFetch
{
    double dense = 0;
    double expert = 0;

    double of(const UnitProfile& unit) const { return dense * unit.dense + expert * unit.expert; }
};
WeightFetch weight_fetch(const Scenario& scenario);

// [s] of one micro-batch on one stage that never waits.
StageCost stage_cost(const UnitProfile& unit);
// `cost` with the wait for weights that take `fetch` seconds for each pass.
StageCost with_wait(StageCost cost, double fetch, ScheduleKind kind);

// What one rank of the pipeline works on.
struct RankLoad
{
    std::array<double, kUnits> units{}; // by Unit; 0.5 where half the micro-batches pass here
    double dense = 0;                   // parameters on one GPU
    double expert = 0;
    double fetch = 0;          // [s] of the weights of one pass of a micro-batch
    StageCost alone{0, 0, 0};  // [s] of one micro-batch, without the wait for weights
    StageCost passes{0, 0, 0}; // [s] with it
};

struct PipelineLoad
{
    RankLoad slowest;
    double slowest_seconds = 0; // of one micro-batch, forward and backward, with the wait for weights
    double all_seconds = 0;     // of all ranks together
    double dense = 0;           // parameters of the rank that holds most
    double expert = 0;
    double layers = 0; // of the rank that has most
};

// Layers with experts among `count` from `first`.
std::int64_t layers_with_experts(const Model& model, std::int64_t first, std::int64_t count);

PipelineLoad pipeline_load(const StepProfile& profile, const Scenario& scenario);

} // namespace ringside
