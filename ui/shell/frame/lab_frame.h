// What the live lab's view is given: the newest of what the runs published, and what the engine had
// predicted. Plain values, made by the app's controller; reading never waits for a step.
#pragma once

#include "core/lab/demos.h"
#include "core/lab/machine.h"
#include "core/lab/prediction.h"
#include "core/lab/snapshot.h"
#include "core/lab/switches.h"

#include <memory>
#include <optional>

namespace ringside
{

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

// A switch as it stands for run A.
struct LabSwitchFrame
{
    bool on = false;     // its key puts it back
    std::string says;    // "on"
    std::string refusal; // why it cannot be pressed; empty: it can
    SwitchForecast forecast;
};

// A device that runs can be made on.
struct LabChoice
{
    std::string name;
    std::string says;
};

struct LabFrame
{
    std::string device;             // one line; empty: not opened yet
    std::vector<LabChoice> devices; // the one that is opened here first; empty: no choice
    std::size_t chosen = 0;         // of them
    bool measuring = false;         // the device, for some seconds
    std::string fault;              // of the device, or of knobs that cannot be trained; empty: none
    double capacity = 0;            // [B] of the device; 0: not known
    std::optional<LabRate> rate;
    LabRun a;
    std::optional<LabRun> b;
    bool running = false;             // one of them
    std::optional<std::int64_t> look; // the step that is looked at; empty: the newest
    std::optional<LabDemoFrame> demo;
    std::vector<LabSwitchFrame> switches;         // in the order of lab_switches()
    std::optional<LabTrial> trial;                // the switch that was pressed last, while run A has it
    std::shared_ptr<const BatchForecast> batches; // of run A; never null once there is a frame
    bool saved = false;                           // there is a checkpoint to load
    std::vector<Machine> machines;                // measured here or brought, the newest first
    bool measuring_machine = false;
    bool offers_page = false; // the same lab can be opened in a browser from here

    bool started() const { return a.snapshot != nullptr; }
};

} // namespace ringside
