#include "core/performance/retimed_step.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Whose traffic a moment counts as, in the order of the parts of a step; kAxes: nobody's.
std::size_t sender(const RetimedStep::Span& span)
{
    const auto first = std::ranges::find_if(span.sends, [](std::int32_t tasks) { return tasks > 0; });
    return static_cast<std::size_t>(first - span.sends.begin());
}

} // namespace

RetimedStep::RetimedStep(const StepLife& life, const StepTime& step) : life_(life)
{
    for (const StepTask& task : life.tasks)
    {
        bounds_.insert(bounds_.end(), {task.start, task.end});
    }
    std::ranges::sort(bounds_);
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
    find_spans();
    const Rates rate = rates(step);
    double now = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i)
    {
        Span& span = spans_[i];
        const std::size_t axis = sender(span);
        span.from = span.computes_to = now;
        if (span.computes < 0)
        {
            now += length(i) * rate.sent.at(axis);
        }
        else
        {
            span.computes_to += length(i) * (is_optimizer(span) ? rate.optimizer : rate.passes);
            now = span.computes_to + length(i) * rate.stands.at(axis);
        }
        span.to = now;
    }
}

double RetimedStep::at(double time) const
{
    const std::size_t i = place(time);
    return i < spans_.size() ? spans_[i].from : total();
}

std::size_t RetimedStep::place(double time) const
{
    return static_cast<std::size_t>(std::ranges::lower_bound(bounds_, time) - bounds_.begin());
}

bool RetimedStep::is_optimizer(const Span& span) const
{
    return life_.tasks[static_cast<std::size_t>(span.computes)].kind == StepKind::optimizer;
}

void RetimedStep::find_spans()
{
    spans_.resize(bounds_.empty() ? 0 : bounds_.size() - 1);
    for (std::size_t t = 0; t < life_.tasks.size(); ++t)
    {
        const StepTask& task = life_.tasks[t];
        const std::size_t end = place(task.end);
        for (std::size_t i = place(task.start); i < end; ++i)
        {
            if (task.lane == StepLane::compute)
            {
                spans_[i].computes = static_cast<std::int32_t>(t);
            }
            else
            {
                ++spans_[i].sends[index(task.axis)];
            }
        }
    }
}

RetimedStep::Rates RetimedStep::rates(const StepTime& step) const
{
    std::array<double, kAxes + 1> exposed{};
    std::array<double, kAxes + 1> beside{};
    double computes = 0;
    double optimizes = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i)
    {
        const Span& span = spans_[i];
        (span.computes < 0 ? exposed : beside)[sender(span)] += length(i);
        if (span.computes >= 0)
        {
            (is_optimizer(span) ? optimizes : computes) += length(i);
        }
    }
    Rates rates;
    rates.sent.fill(1);
    rates.stands.fill(0);
    rates.passes = computes > 0 ? step.compute / computes : 1;
    rates.optimizer = optimizes > 0 ? step.optimizer / optimizes : 1;
    const std::array<double, kAxes> model{step.tensor_comm, step.context_comm, step.expert_comm,
                                          step.data_exposed, step.pipeline_comm};
    for (std::size_t a = 0; a < kAxes; ++a)
    {
        const double more = model.at(a) - exposed.at(a);
        if (more > 0 && beside.at(a) > 0)
        {
            rates.stands.at(a) = more / beside.at(a);
        }
        else if (exposed.at(a) > 0)
        {
            rates.sent.at(a) = model.at(a) / exposed.at(a);
        }
    }
    return rates;
}

} // namespace ringside
