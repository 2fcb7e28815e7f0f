// The parts of the view of a batch: the equation whose parts can each be solved for, and the grid of replicas
// and accumulation steps that plays one optimizer step.
#pragma once

#include "core/training/batch.h"
#include "core/training/critical_batch.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

#include <optional>

namespace ringside
{

struct BatchState
{
    BatchPart unknown = BatchPart::accumulation; // follows from the other three
    std::optional<BatchSplit> draft;             // typed, and not to be solved
    BatchSplit of;                               // the scenario's when the draft was typed
    double loss = kUsualLoss;                    // [nats per token] at which the critical batch is asked for
};

// One optimizer step on the view's clock: the rounds, then summing gradients, then the update.
struct BatchMoment
{
    double rounds = 0;   // of them that are done, with the part of the one at work
    double summed = 0;   // 0 to 1
    double updated = 0;  // 0 to 1
    double tail = 1;     // how long each of the last two takes, in rounds
    std::int64_t of = 1; // rounds of the step

    double duration() const { return static_cast<double>(of) + 2 * tail; }
};
BatchMoment batch_moment(std::int64_t accumulation, double t);

// Takes its room off the area.
void draw_equation(const Painter& painter, Rect& area, const Frame& frame, BatchState& state, Out& out);
void draw_batch_grid(const Painter& painter, Rect area, const Scenario& scenario, const BatchMoment& moment);
void draw_batch_panel(const Painter& painter, Rect area, const Frame& frame, BatchState& state, Out& out);
Caption batch_caption(const Frame& frame, const BatchState& state);

} // namespace ringside
