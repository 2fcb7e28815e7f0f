#include "core/performance/step_time.h"

#include "core/base/units.h"
#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/performance/step_model/layer_profile.h"
#include "core/performance/step_model/rank_load.h"
#include "core/performance/step_model/step_model.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr double kMostSimulated = 20'000; // operations

// Times of every virtual stage, in seconds, with the wait for its weights.
Costs costs_of(const Scenario& s, const StepProfile& profile)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    Costs costs;
    costs.stages.resize(static_cast<std::size_t>(virtual_stages(kind, shape)));
    const WeightFetch fetch = weight_fetch(s);
    std::int64_t layer = 0;
    for (std::size_t k = 0; k < costs.stages.size(); ++k)
    {
        const std::int64_t count =
            layers_of_stage(s.model, s.parallel, static_cast<std::int64_t>(costs.stages.size()),
                            static_cast<std::int64_t>(k));
        StageCost cost{0, 0, 0};
        double fetched = 0;
        const auto add = [&](Unit which)
        {
            const StageCost unit = stage_cost(profile.of(which));
            cost.forward += unit.forward;
            cost.backward_input += unit.backward_input;
            cost.backward_weight += unit.backward_weight;
            fetched += fetch.of(profile.of(which));
        };
        for (const std::int64_t end = layer + count; layer < end; ++layer)
        {
            add(has_experts(s.model, layer) ? Unit::experts : Unit::dense);
        }
        if (k == 0)
        {
            add(Unit::embedding);
        }
        if (k + 1 == costs.stages.size())
        {
            add(Unit::head);
        }
        costs.stages[k] = with_wait(cost, fetched, kind);
    }
    return costs;
}

bool has_closed_form(const ScheduleInfo& kind)
{
    return kind.idle && !kind.splits_backward;
}

// The shortest of the order made for these times and of some made for others: a search for an order misses
// ones that it finds for times nearby, and a GPU must not get slower by being faster.
double makespan(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs)
{
    constexpr std::array kRatios{std::array{1.0, 1.0}, std::array{1.25, 0.75}, std::array{2.0, 1.0}};
    double least = std::numeric_limits<double>::infinity();
    const auto play = [&](const Costs& made_for)
    {
        const auto timeline = simulate(*order_of(kind, shape, made_for), costs);
        least = timeline ? std::min(least, timeline->makespan) : least;
    };
    play(costs);
    const bool searched = kind->splits_backward && kind->check == nullptr;
    for (std::size_t i = 0; searched && i < kRatios.size(); ++i)
    {
        StageTimes times;
        times.backward_input = kRatios[i][0];
        times.backward_weight = kRatios[i][1];
        play(equal_costs(kind, shape, times));
    }
    return least;
}

// Idle time of the slowest rank by simulation; negative where there is nothing to simulate. Beyond so many
// operations it goes on as the last micro-batches did.
double simulated_idle(const Scenario& s, const StepProfile& profile)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    if (shape.stages <= 1 || has_closed_form(*kind))
    {
        return -1;
    }
    const Costs costs = costs_of(s, profile);
    const double slowest = pipeline_load(profile, s).slowest_seconds;
    const auto idle = [&](std::int64_t micro_batches)
    {
        return makespan(kind, {shape.stages, micro_batches, shape.chunks}, costs) -
               slowest * real(micro_batches);
    };
    // Every schedule takes a multiple of twice the stages.
    const std::int64_t round = 2 * shape.stages;
    // V-min's order repeats after three micro-batches.
    const std::int64_t rounds = 3 * round;
    const double each = operations_of(kind, {shape.stages, 1, shape.chunks});
    const auto most =
        std::max<std::int64_t>(4, static_cast<std::int64_t>(kMostSimulated / each) / round) * round;
    if (shape.micro_batches <= most)
    {
        return std::max(0.0, idle(shape.micro_batches));
    }
    const double last = idle(most);
    const double more = (last - idle(most - rounds)) / static_cast<double>(rounds);
    return std::max(0.0, last + more * static_cast<double>(shape.micro_batches - most));
}

} // namespace

double utilization(const StepTime& step, Numerator numerator, PeakKind peak)
{
    const std::array<double, 4> flops{step.parameter_flops, step.model_flops, step.causal_flops,
                                      step.hardware_flops};
    const double rate = step.peak_flops * (peak == PeakKind::sparse ? 2 : 1);
    return flops[static_cast<std::size_t>(numerator)] / rate / step.total();
}

double StepTime::mfu() const
{
    return utilization(*this, Numerator::full, PeakKind::dense);
}

double StepTime::hfu() const
{
    return utilization(*this, Numerator::hardware, PeakKind::dense);
}

StepTime step_time(const Scenario& scenario)
{
    const StepProfile profile = step_profile(scenario);
    const StepModel model(scenario);
    return model.estimate(scenario, profile, simulated_idle(scenario, profile));
}

} // namespace ringside
