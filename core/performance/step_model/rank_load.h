// Which rank of the pipeline works longest, and which holds most.
#pragma once

#include "core/performance/step_model/step_model.h"

namespace ringside
{

struct PipelineLoad
{
    RankLoad slowest;
    double slowest_seconds = 0; // of one micro-batch, forward and backward
    double all_seconds = 0;     // of all ranks together
    double dense = 0;           // parameters of the rank that holds most
    double expert = 0;
};

// Layers with experts among `count` from `first`.
std::int64_t layers_with_experts(const Model& model, std::int64_t first, std::int64_t count);

PipelineLoad pipeline_load(const StepProfile& profile, const Scenario& scenario);

} // namespace ringside
