#include "core/performance/step_time.h"

#include "core/model/weights.h"
#include "core/performance/step_model/layer_profile.h"
#include "core/performance/step_model/rank_load.h"
#include "core/performance/step_model/step_model.h"
#include "core/pipeline/simulate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kMostSimulated = 20'000; // operations

// Times of every virtual stage, in seconds.
Costs costs_of(const Scenario& s, const StepProfile& profile)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    Costs costs;
    costs.stages.resize(static_cast<std::size_t>(virtual_stages(kind, shape)));
    costs.pair = s.stage_times.pair;
    std::int64_t layer = 0;
    for (std::size_t k = 0; k < costs.stages.size(); ++k)
    {
        const std::int64_t count = s.parallel.stage_layers.empty()
                                       ? s.model.layers / static_cast<std::int64_t>(costs.stages.size())
                                       : s.parallel.stage_layers[k];
        StageCost cost{0, 0, 0};
        const auto add = [&](Unit which)
        {
            const UnitProfile& unit = profile.of(which);
            cost.forward += unit.forward.total();
            cost.backward_input += unit.again.total() + unit.input.total();
            cost.backward_weight += unit.weight.total();
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
        costs.stages[k] = cost;
    }
    return costs;
}

bool has_closed_form(const ScheduleInfo& kind)
{
    return kind.idle && !kind.splits_backward;
}

// Idle time of the slowest rank by simulation; negative where there is nothing to simulate or too much.
double simulated_idle(const Scenario& s, const StepProfile& profile)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    const bool closed =
        has_closed_form(*kind) && (s.parallel.chunks == 1 || shape.micro_batches >= shape.stages);
    if (s.parallel.pipeline <= 1 || closed || operations_of(kind, shape) > kMostSimulated)
    {
        return -1;
    }
    const Costs costs = costs_of(s, profile);
    const auto order = make_order(kind, shape, costs);
    if (!order)
    {
        return -1;
    }
    const auto timeline = simulate(*order, costs);
    if (!timeline)
    {
        return -1;
    }
    const double busy = pipeline_load(profile, s).slowest_seconds * static_cast<double>(shape.micro_batches);
    return std::max(0.0, timeline->makespan - busy);
}

} // namespace

double utilization(const StepTime& step, Numerator numerator, PeakKind peak)
{
    const std::array<double, 4> flops{step.parameter_flops, step.model_flops, step.causal_flops,
                                      step.hardware_flops};
    const double rate = step.peak_flops * (peak == PeakKind::sparse ? 2 : 1);
    return flops[static_cast<std::size_t>(numerator)] / rate / step.total();
}

StepTime step_time(const Scenario& scenario)
{
    const StepProfile profile = step_profile(scenario);
    const StepModel model(scenario);
    return model.estimate(scenario, profile, simulated_idle(scenario, profile));
}

} // namespace ringside
