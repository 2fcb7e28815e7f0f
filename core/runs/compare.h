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

// What of a step no part of the prediction is.
inline constexpr const char* kUnexplained = "unexplained";

// In the order in which time that two of them share is counted.
enum class MeasuredPart : std::uint8_t
{
    products,
    attention,
    optimizer,
    memory,  // bound by bytes: element-wise kernels, norms, casts
    unknown, // computing whose kernel's name says nothing
    tensor,  // exposed communication, by axis
    context,
    expert,
    pipeline,
    data,
    copies,
    launch, // the host had launched nothing
    idle
};

// A part of the step [s].
struct ComparedPart
{
    std::string name;
    double predicted = 0;
    std::optional<double> measured = {}; // nothing: the files do not tell it apart
    std::string place = {};              // the view that explains it

    double change() const { return measured ? *measured - predicted : 0; }
};

struct RunComparison
{
    std::vector<ComparedMetric> metrics;
    std::vector<ComparedPart> parts; // with the predicted where nothing was measured they add up to the step
    std::string says;                // empty: nothing could be compared

    double unexplained() const; // of the measured step, a share of it
};

// A step of a trace with what the GPU did for it; the whole recording where it marks no steps.
struct GpuStep
{
    std::string name;
    GpuTimeline gpu;
    std::vector<GpuEvent> events; // by start
};
std::vector<GpuStep> steps_of(const GpuTrace& trace);

// The measured step [s], the mean of the steps of a trace; 0: the files do not say.
double measured_step_seconds(const RunReading& run);
// What each event is, by its kernel's name or its group; `step` says which axis a group without a name is.
std::vector<MeasuredPart> parts_of_events(const GpuTrace& trace, std::span<const GpuEvent> events,
                                          const StepTime& step);
std::vector<ComparedPart> parts_of_step(const RunReading& run, const StepTime& step, double seconds);
RunComparison compare_run(const RunReading& run, const Scenario& scenario, const Report& report);
nlohmann::json to_json(const RunComparison& comparison);

// The scenario by launch files beside the run, or by what its log and traces state; nothing where they state
// nothing. What nobody states is guessed and marked so.
std::optional<Result<LaunchReading>> scenario_of_run(const RunReading& run, std::vector<LaunchText> launches,
                                                     const Presets& presets);
// Those of a run's files that are launch files, from what was passed over.
std::vector<LaunchText> launches_of(const RunReading& run, const std::vector<RunFile>& files);
// Whether enough is stated for a comparison: the model and the number of GPUs.
bool is_stated(const LaunchReading& reading);

} // namespace ringside
