// A measured run beside the engine's prediction, and the scenario as far as the run's files say it.
#pragma once

#include "core/evaluate/report.h"
#include "core/launch_files/launch_files.h"
#include "core/runs/run.h"

namespace ringside
{

struct ComparedMetric
{
    std::string metric; // of find_metric(): "step.time_s"
    double predicted = 0;
    double measured = 0;

    double error() const { return measured > 0 ? (predicted - measured) / measured : 0; }
};

// A part of the step [s]; where the files do not tell parts apart, what is left is "unexplained".
struct ComparedPart
{
    std::string name;
    double predicted = 0;
    double measured = 0;
};

struct RunComparison
{
    std::vector<ComparedMetric> metrics;
    std::vector<ComparedPart> parts; // their measured values add up to the measured step
    std::string says;                // empty: nothing could be compared

    double unexplained() const; // of the measured step, a share of it
};

// The measured step [s] and its parts, the mean of the steps of a trace; 0: the files do not say.
double measured_step_seconds(const RunReading& run);
RunComparison compare_run(const RunReading& run, const Scenario& scenario, const Report& report);
nlohmann::json to_json(const RunComparison& comparison);

// The scenario by launch files beside the run, or by what its log and traces state; nothing where they state
// nothing. What nobody states is guessed and marked so.
std::optional<Result<LaunchReading>> scenario_of_run(const RunReading& run, std::vector<LaunchText> launches,
                                                     const Presets& presets);
// Whether enough is stated for a comparison: the model and the number of GPUs.
bool is_stated(const LaunchReading& reading);

} // namespace ringside
