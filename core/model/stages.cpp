#include "core/model/stages.h"

#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <memory>

namespace ringside
{

namespace
{

bool all_alike(const Scenario& s)
{
    return s.stage_times.embedding == 0 && s.stage_times.head == 0 &&
           even_stages(s.model, s.parallel, virtual_stages(s.training.schedule, pipeline_shape(s)));
}

// Orders made lately. A scenario's memory is asked for many times while its pipeline stays the same (levers,
// ZeRO stages, an A/B compare), and some orders take milliseconds to find.
class LatestOrders
{
public:
    std::shared_ptr<const Order> of(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs)
    {
        for (const Made& made : made_)
        {
            if (made.kind == kind && made.shape == shape && made.costs == costs)
            {
                return made.order;
            }
        }
        Made made{kind, shape, costs, std::make_shared<const Order>(kind->make(shape, costs))};
        auto order = made.order;
        if (operations_of(kind, shape) <= kMostKept)
        {
            made_.push_front(std::move(made));
            made_.resize(std::min(made_.size(), kKept));
        }
        return order;
    }

private:
    static constexpr std::size_t kKept = 16;
    static constexpr double kMostKept = 100'000; // operations of one order

    struct Made
    {
        ScheduleKind kind = nullptr;
        ScheduleShape shape;
        Costs costs;
        std::shared_ptr<const Order> order;
    };
    std::deque<Made> made_;
};

// Where the shape of a schedule is asked for that is not the scenario's own.
ScheduleShape shape_for(const Scenario& s, ScheduleKind kind)
{
    ScheduleShape shape = pipeline_shape(s);
    shape.chunks = std::clamp(shape.chunks, kind->least_chunks, kind->most_chunks);
    return shape;
}

} // namespace

// What is remembered never changes a result, only how soon it is there.
std::shared_ptr<const Order> order_of(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs)
{
    assert(check_shape(kind, shape).empty());
    thread_local LatestOrders latest;
    return latest.of(kind, shape, costs);
}

Costs stage_costs(const Scenario& s)
{
    return stage_costs(s, s.training.schedule, s.parallel.chunks);
}

Costs stage_costs(const Scenario& s, ScheduleKind kind, std::int64_t chunks)
{
    const PipelineTimes& t = s.stage_times;
    ScheduleShape shape = pipeline_shape(s);
    shape.chunks = chunks;
    Costs costs = equal_costs(kind, shape, t);
    const auto all = costs.stages.size();
    const auto layers = static_cast<double>(s.model.layers);
    const double even = layers / static_cast<double>(all);
    for (std::size_t k = 0; k < all; ++k)
    {
        auto held = static_cast<double>(layers_of_stage(s.model, s.parallel, static_cast<std::int64_t>(all),
                                                        static_cast<std::int64_t>(k)));
        held += k == 0 ? t.embedding : 0;
        held += k + 1 == all ? t.head : 0;
        // Even stages keep their exact times.
        if (held != even)
        {
            StageCost& cost = costs.stages[k];
            cost.forward *= held / even;
            cost.backward_input *= held / even;
            cost.backward_weight *= held / even;
        }
    }
    return costs;
}

SlowestStage slowest_stage(const Scenario& s)
{
    const Costs costs = stage_costs(s);
    const ScheduleKind kind = s.training.schedule;
    SlowestStage slowest;
    double sum = 0;
    for (std::int64_t rank = 0; rank < s.parallel.pipeline; ++rank)
    {
        const auto stages = stages_of(kind->placement, s.parallel.pipeline, s.parallel.chunks, rank);
        double time = 0;
        for (const std::int64_t stage : stages)
        {
            const StageCost& cost = costs.stages[static_cast<std::size_t>(stage)];
            time += cost.forward + cost.backward();
        }
        // Either of a rank's two stages sees half of the micro-batches.
        time /= static_cast<double>(weight_copies(kind));
        sum += time;
        if (time > slowest.time)
        {
            slowest = {static_cast<std::size_t>(rank), time, 1};
        }
    }
    slowest.over_mean = sum > 0 ? slowest.time * static_cast<double>(s.parallel.pipeline) / sum : 1;
    return slowest;
}

std::vector<std::vector<std::int64_t>> kept_at_peak(const Scenario& s)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    const auto parts = stage_parts(s.model, s.parallel, kind->placement);
    std::vector<std::vector<std::int64_t>> kept;
    const auto order = kind->kept == nullptr ? order_of(kind, shape, stage_costs(s)) : nullptr;
    for (std::int64_t rank = 0; rank < shape.stages; ++rank)
    {
        if (kind->kept != nullptr)
        {
            kept.push_back(kind->kept(shape, rank));
            continue;
        }
        const auto r = static_cast<std::size_t>(rank);
        std::vector<std::int64_t> stages;
        std::vector<double> layers;
        for (const LayerRange& range : parts[r].ranges)
        {
            stages.push_back(range.stage);
            layers.push_back(static_cast<double>(range.count));
        }
        kept.push_back(kept_at_peak((*order)[r], stages, layers));
    }
    return kept;
}

std::optional<Bubble> closed_bubble(const Scenario& s)
{
    const ScheduleKind kind = s.training.schedule;
    const ScheduleShape shape = pipeline_shape(s);
    const PipelineTimes& t = s.stage_times;
    if (shape.stages == 1)
    {
        return Bubble{};
    }
    if (kind->idle == nullptr || !all_alike(s) || t.transfer > 0 || t.pair < 1)
    {
        return {};
    }
    const double idle = kind->idle(shape, t);
    const double work = static_cast<double>(shape.micro_batches) *
                        (t.forward + t.backward_input + t.recompute + t.backward_weight);
    if (!std::isfinite(idle) || idle < 0)
    {
        return {};
    }
    return Bubble{idle / work, idle / (idle + work)};
}

Result<PipelineReport> pipeline_report(const Scenario& s)
{
    PipelineReport r;
    r.shape = pipeline_shape(s);
    const double operations = operations_of(s.training.schedule, r.shape);
    if (operations > static_cast<double>(kMostOperations))
    {
        return Issue{"training.global_batch",
                     "the pipeline has " + std::to_string(static_cast<std::int64_t>(operations)) +
                         " operations",
                     "use fewer micro-batches or stages; 4 000 000 are simulated"};
    }
    const Costs costs = stage_costs(s);
    const Issues issues = check_shape(s.training.schedule, r.shape);
    if (!issues.empty())
    {
        return issues;
    }
    auto timeline = simulate(*order_of(s.training.schedule, r.shape, costs), costs);
    if (!timeline)
    {
        return timeline.issues();
    }
    r.timeline = std::move(*timeline);
    return r;
}

Result<Alternative> alternative(const Scenario& s, ScheduleKind kind)
{
    Alternative a;
    a.kind = kind;
    a.shape = shape_for(s, kind);
    const Issues issues = check_shape(kind, a.shape);
    if (!issues.empty())
    {
        return issues;
    }
    if (operations_of(kind, a.shape) > static_cast<double>(kMostOperations))
    {
        return Issue{"micro_batches", "too many operations to simulate", "use fewer micro-batches or stages"};
    }
    a.costs = stage_costs(s, kind, a.shape.chunks);
    auto timeline = simulate(*order_of(kind, a.shape, a.costs), a.costs);
    if (!timeline)
    {
        return timeline.issues();
    }
    a.timeline = std::move(*timeline);
    return a;
}

PipelineTimes times_of_model(const Scenario& s)
{
    const ComputeReport c = compute_report(s);
    const double products = c.products_token.value;
    const double attention = c.attention_token.value;
    const double forward = products + attention;
    PipelineTimes t = s.stage_times;
    t.forward = 1;
    t.backward_input = (products + 2 * attention) / forward;
    t.backward_weight = products / forward;
    t.recompute = c.again_token.value / forward;
    t.embedding = 0;
    t.head = c.head_token.value / forward * static_cast<double>(all_layers(s.model));
    return t;
}

} // namespace ringside
