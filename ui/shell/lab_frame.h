// What the live lab's view is given: the newest of what the runs published, and what the engine had
// predicted. Plain values, made by the app's desk; looking never waits for a step.
#pragma once

#include "core/lab/demos.h"
#include "core/lab/snapshot.h"

#include <memory>
#include <optional>

namespace ringside
{

// What the engine says of a configuration on this device, before any of it has been run.
struct LabPrediction
{
    std::optional<TrainerConfig> of; // empty: nothing was predicted yet
    MemoryUse memory;                // at the peak
    std::int64_t parameters = 0;
    double step_seconds = 0; // 0: the device has not been measured yet
    double tokens_per_second = 0;
    double flops = 0;           // of a step, the model's
    double parameter_flops = 0; // of them 6 N a token
};

struct LabRate
{
    double product_flops = 0; // [FLOP/s] of a large matrix product, measured
    double copy_bytes = 0;    // [B/s] read and written, measured
    double nominal_flops = 0; // [FLOP/s] of the data sheet, dense; 0: not known
    std::string nominal_name; // "H200 SXM 141 GB"
};

struct LabSample
{
    std::int64_t step = 0;
    std::string text;
};

struct LabRun
{
    std::string name;                                 // "this run"
    std::shared_ptr<const TrainingSnapshot> snapshot; // null: not begun
    TrainerConfig config;                             // with knobs that are on their way
    LabPrediction predicted;
    std::vector<LabSample> samples; // the newest last
};

// A demonstration: asked, running, or over.
struct LabDemoFrame
{
    std::size_t demo = 0; // in lab_demos()
    std::optional<std::size_t> answer;
    std::optional<DemoFinding> finding; // once it is over
    double progress = 0;                // 0 to 1
};

struct LabFrame
{
    std::string device;     // one line; empty: not opened yet
    bool measuring = false; // the device, for some seconds
    std::string fault;      // of the device, or of knobs that cannot be trained; empty: none
    double capacity = 0;    // [B] of the device; 0: not known
    std::optional<LabRate> rate;
    LabRun a;
    std::optional<LabRun> b;
    bool running = false;             // one of them
    std::optional<std::int64_t> look; // the step that is looked at; empty: the newest
    std::optional<LabDemoFrame> demo;
    bool saved = false; // there is a checkpoint to load

    bool started() const { return a.snapshot != nullptr; }
};

} // namespace ringside
