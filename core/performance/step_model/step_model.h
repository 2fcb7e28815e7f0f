// Puts a step together from profiles: the pipeline's slowest rank and its idle time, transfers between
// stages, gradients and weights on the wire and what hides of them, the optimizer. In closed form and without
// allocating, so that a search can ask millions of times.
//
// Rings are NCCL's, with its latencies, and use all network links of their members in a node. The bubble is
// the schedule's closed form with the mean of the other ranks as stage time; schedules whose form does not
// hold are simulated with the real times by step_time().
//
// Overlap: gradients with the backward as far as data_overlap says (0 for the A100 software of 2021),
// ZeRO-3's layers with the layer at work, keys and values with attention. overlap_tensor, overlap_expert and
// overlap_pipeline of the layout are off by default, as in the rows fitted; possible_overlaps() says which
// of them a layout has anything for.
#pragma once

#include "core/performance/step_model/profile.h"
#include "core/performance/step_model/wires.h"
#include "core/performance/step_time.h"

#include <map>
#include <tuple>

namespace ringside
{

// What does not change while a search tries layouts: the model, the GPU, its links, the recipe's types.
class StepModel
{
public:
    explicit StepModel(const Scenario& scenario) : wires_(scenario.cluster, scenario.software) {}

    // Kept from call to call. Every scenario must be that of the constructor but for parallel, the number of
    // GPUs, micro-batch, global batch, sequence length, recomputation, flash attention and schedule.
    const StepProfile& profile(const Scenario& scenario);
    StepTime estimate(const Scenario& scenario) { return estimate(scenario, profile(scenario)); }
    // Where a schedule has no closed form for these times, the nearest that has one stands in.
    StepTime estimate(const Scenario& scenario, const StepProfile& profile) const;
    // [s] No estimate is below it: the work of the mean rank, which the slowest one has at least.
    static double least_seconds(const Scenario& scenario, const StepProfile& profile);
    // The estimate with the idle time of a rank given, in seconds.
    StepTime estimate(const Scenario& scenario, const StepProfile& profile, double idle) const;
    // [s] of one micro-batch on a rank with the mean of the work that all but the slowest have; in a
    // pipeline.
    StageTimes stage_times(const Scenario& scenario, const StepProfile& profile) const;

private:
    Wires wires_;
    std::map<ProfileKey, StepProfile> profiles_;
    std::map<std::tuple<std::int64_t, Recompute, double, bool>, TokenFlops> tokens_;
};

} // namespace ringside
