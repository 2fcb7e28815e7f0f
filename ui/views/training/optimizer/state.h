// What a person has set in the view of the optimizer, and what follows from it and the scenario.
#pragma once

#include "core/training/batch.h"
#include "core/training/critical_batch.h"
#include "core/training/descent.h"
#include "core/training/learning_rate.h"
#include "ui/shell/frame.h"
#include "ui/widgets/controls.h"

namespace ringside
{

enum class OptimizerPage : std::uint8_t
{
    schedule,
    clip,
    descent,
    batch
};
inline constexpr std::array<std::string_view, 4> kOptimizerPages{"Rate", "Clip", "Valley", "Batch"};

struct OptimizerState
{
    OptimizerPage page = OptimizerPage::schedule;
    RateSchedule rate;         // its end follows the scenario's steps
    double gx = 2.4, gy = 1.8; // the gradient that is clipped
    double limit = 1;          // its largest norm
    Valley valley;
    DescentOptions descent{.rate = 0.05}; // a little below where SGD leaves the valley
    double loss = 2.2;                    // [nats per token] at which the critical batch is asked for
    bool root = false;                    // rates follow the root of the batch, else the batch
};

// The schedule on show: `end` where the run ends, the warmup within it.
RateSchedule schedule_of(const OptimizerState& state, const Scenario& scenario);
std::int64_t rate_step_at(const OptimizerState& state, const Frame& frame);
std::size_t descent_step_at(const OptimizerState& state, const Frame& frame);

} // namespace ringside
