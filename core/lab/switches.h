// Switches of the live lab: each changes one thing of a run while it goes on, by one key, and the same key
// puts it back. What the engine says of it stands before it, what was measured after it.
//
// Predicted are memory (model state and activations, to the byte) and the ratio of two predicted step times,
// which is multiplied by the time measured before. What a loss will do is not predicted.
#pragma once

#include "core/lab/prediction.h"
#include "core/lab/snapshot.h"

#include <span>

namespace ringside
{

struct LabSwitch
{
    std::string_view id;
    std::string_view key; // "A"
    std::string_view title;
    std::string_view predict; // what to say before it is pressed
    std::string_view because; // what it comes from
    bool loss = false;        // whether the loss shows it, which is not predicted
    bool zeros = false;       // whether it shows in the gradients' numbers
    bool marks = false;       // marks the step, to be gone back to
    bool goes_on = false;     // every press goes one further; there is nothing to put back
    void (*turn)(TrainerConfig& config) = nullptr;
    void (*put_back)(const TrainerConfig& before, TrainerConfig& config) = nullptr;
    std::string (*says)(const TrainerConfig& config) = nullptr;    // how it stands: "off"
    std::string (*refuses)(const TrainerConfig& config) = nullptr; // in a sentence; empty: it applies
};

std::span<const LabSwitch> lab_switches();
inline constexpr std::string_view kBatchSwitch = "batch";
inline constexpr std::string_view kHalfSwitch = "half";
inline constexpr std::int64_t kMostSwitchedBatch = 64;

// What was measured over the last steps of a run.
struct LabFigures
{
    std::int64_t steps = 0;  // that it is of; 0: none yet
    std::int64_t memory = 0; // [B] of model state and activations, each at its own peak, in the last step
    std::int64_t peak = 0;   // [B] with buffers, all together
    double seconds = 0;      // of a step, the median; 0: too few steps
    double loss = 0;         // mean of the last ten, not finite where one was not
    std::int64_t skipped = 0;
    std::optional<double> zeros = {}; // share of the gradients of activations below fp16's smallest number
};
// Figures of the steps after `since`. The two after it are not timed, since they make room; numbers by size
// are there once a step after it has been looked at.
LabFigures figures_of(const TrainingSnapshot& run, std::int64_t since);
// The last step at which a run was changed; 0: never.
std::int64_t last_change(const TrainingSnapshot& run);

struct SwitchForecast
{
    std::int64_t memory = 0;          // [B] of model state and activations
    std::int64_t memory_now = 0;      // [B] as it stands
    std::int64_t peak = 0;            // [B] with buffers, at most
    std::int64_t peak_now = 0;        // [B]
    double seconds = 0;               // [s] of a step; 0: the device has not been measured
    double seconds_now = 0;           // [s]
    std::optional<double> zeros = {}; // share of the gradients; empty: not known
    bool overflows = false;           // the largest gradient is beyond fp16
    std::int64_t halvings = 0;        // of the loss scale until it no longer is; where the scale adapts
    double ratio() const { return seconds_now > 0 ? seconds / seconds_now : 0; }
};
// Figures of a run that goes from `now` to `next`, with what was predicted of both. The gradients' numbers
// are those counted in the run so far, moved by the ratio of the loss scales (Micikevicius et al., arXiv
// 1710.03740, section 3.2): below 2^-25 they round to zero, from 2^16 on they are infinite.
SwitchForecast forecast_of(const LabPrediction& now, const LabPrediction& next,
                           const TrainingSnapshot* run = nullptr);

// A switch that was pressed, with what was known then.
struct LabTrial
{
    std::size_t which = 0; // in lab_switches()
    std::string from;      // "on"
    std::string to;        // "off"
    std::int64_t step = 0; // steps made before
    LabFigures before;
    SwitchForecast forecast;
};

// Since the run took it, which is a moment after it was pressed.
LabFigures figures_after(const LabTrial& trial, const TrainingSnapshot& run);

// Steps with one micro-batch size, measured.
struct BatchPoint
{
    std::int64_t batch = 0;
    double seconds = 0; // of a step, the median
};
// The last steps in which nothing but the batch and what takes no time was changed.
std::vector<BatchPoint> batch_points(const TrainingSnapshot& run);

// What the engine predicts for micro-batches of 1 to 64.
struct BatchForecast
{
    struct Point
    {
        std::int64_t batch = 0;
        double flops = 0;   // of a step, the model's
        double seconds = 0; // of a step
        double fixed = 0;   // [s] of them that do not depend on the batch: launches and the optimizer
    };
    std::vector<Point> points; // empty: the device has not been measured
};
BatchForecast batch_forecast(const TrainerConfig& config, const std::optional<Gpu>& device);

} // namespace ringside
