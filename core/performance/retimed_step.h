// The life of a step with the step model's own times. step_life()'s links are those of the data sheet and its
// traffic costs compute nothing; the model's links are calibrated and hiding traffic costs compute
// (gather_slowdown, overlap_slowdown). What the model finds exposed of an axis beyond the life's is time in
// which compute stands still where such traffic runs beside it; of what it finds less, the traffic is faster.
#pragma once

#include "core/performance/step_life.h"
#include "core/performance/step_time.h"

#include <array>
#include <vector>

namespace ringside
{

class RetimedStep
{
public:
    // Between two moments at which a task begins or ends.
    struct Span
    {
        std::int32_t computes = -1;              // index of a task; -1: none
        std::array<std::int32_t, kAxes> sends{}; // tasks under way, by Axis
        double from = 0;                         // [s]
        double computes_to = 0;
        double to = 0;
    };

    // The life outlives it, and its step is unpiped. Compute, optimizer and exposed traffic by axis take what
    // the step model says.
    RetimedStep(const StepLife& life, const StepTime& step);

    const std::vector<Span>& spans() const { return spans_; }
    double total() const { return spans_.empty() ? 0 : spans_.back().to; }
    // When what begins or ends at `time` of the life does so here.
    double at(double time) const;

private:
    struct Rates
    {
        std::array<double, kAxes + 1> sent;   // of a second in which nothing is computed; last: nobody sends
        std::array<double, kAxes + 1> stands; // after a second of compute beside traffic
        double passes = 1;
        double optimizer = 1;
    };

    std::size_t place(double time) const;
    double length(std::size_t span) const { return bounds_[span + 1] - bounds_[span]; }
    bool is_optimizer(const Span& span) const;
    void find_spans();
    Rates rates(const StepTime& step) const;

    const StepLife& life_;
    std::vector<double> bounds_; // [s] of the life, ascending
    std::vector<Span> spans_;
};

} // namespace ringside
