// evaluate(): everything the windows and commands show of a scenario, in one pure call.
#pragma once

#include "core/base/result.h"
#include "core/collective/cost.h"
#include "core/engine/compute.h"
#include "core/engine/memory.h"
#include "core/engine/pipeline.h"
#include "core/engine/step_time.h"
#include "core/engine/weights.h"

#include <optional>

namespace ringside
{

struct CollectiveReport
{
    std::int64_t ranks = 1;       // of the real group: gradients are reduced over dense_replicas
    std::int64_t drawn_ranks = 1; // 1 to 16
    Bytes message;
    Link link;
    bool crosses_nodes = false; // the group reaches beyond one node, so the network is the link
    Collective steps;           // of the drawn ring
    RingCost cost;              // of the real group
};

struct Report
{
    ParameterCount parameters;
    MemoryReport memory;
    ComputeReport compute;
    PipelineReport pipeline;
    StepTime step;
    CollectiveReport collective;
};

// The scenario's report, or every issue that kept it from being made. Warnings are in validate().
Result<Report> evaluate(const Scenario& scenario);

// A number that lessons, questions, cases and the command line can ask for.
struct Metric
{
    std::string_view name; // "memory.total_bytes"
    std::string_view unit; // "B", "FLOP", "" for counts and shares
    double (*value)(const Scenario&, const Report&);
};

// To add a metric, add a row to the table at the bottom of report.cpp.
std::span<const Metric> metrics();
const Metric* find_metric(std::string_view name);

} // namespace ringside
