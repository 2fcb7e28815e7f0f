// evaluate(): everything the windows and commands show of a scenario, in one pure call.
#pragma once

#include "core/base/result.h"
#include "core/memory/memory.h"
#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/performance/step_time.h"
#include "core/scenario/evidence.h"

#include <memory>
#include <optional>

namespace ringside
{

struct CollectiveReport; // core/network/collective/cost.h
struct PipelineReport;   // core/model/stages.h
struct ServingFigures;   // core/evaluate/serving_figures.h

struct Report
{
    ParameterCount parameters;
    MemoryReport memory;
    ComputeReport compute;
    std::shared_ptr<const PipelineReport> pipeline; // never null
    StepTime step;
    std::shared_ptr<const CollectiveReport> collective; // never null
    std::shared_ptr<const ServingFigures> serving;      // null: the scenario describes none
};

// The scenario's report, or every issue that kept it from being made. Warnings are in validate().
Result<Report> evaluate(const Scenario& scenario);
// evaluate() without validation, for a scenario that validate() has found no errors in.
Result<Report> evaluate_valid(const Scenario& scenario);

// The band of the report's step (core/scenario/evidence.h).
Band step_band(const Scenario& scenario, const Report& report);

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
// Those of a scenario that describes its serving, which has them in place of others of the same name.
std::span<const Metric> serving_metrics();
const Metric* find_metric(std::string_view name, const Report& report);

} // namespace ringside
