// The scenario's pipeline: what its stages cost, what it keeps, how long it idles, and what other schedules
// would make of the same stages.
#pragma once

#include "core/pipeline/simulate.h"
#include "core/scenario/scenario.h"

#include <memory>
#include <optional>

namespace ringside
{

// Times of every virtual stage: those of an even stage by its share of the layers, the embedding and the head
// added as layers to the first and the last.
Costs stage_costs(const Scenario& scenario);
// Costs of any schedule of the same stages and micro-batches; layers are cut evenly where the number of
// virtual stages is not that of parallel.stage_layers.
Costs stage_costs(const Scenario& scenario, ScheduleKind kind, std::int64_t chunks);

// An order made lately, or made now; the shape must be legal.
std::shared_ptr<const Order> order_of(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs);

// The rank that works longest on one micro-batch, all its chunks together.
struct SlowestStage
{
    std::size_t rank = 0;
    double time = 0;      // of its forward and backward, in the unit of the times
    double over_mean = 1; // against the mean of all ranks
};
SlowestStage slowest_stage(const Scenario& scenario);

// [rank][chunk] micro-batches kept at the moment a rank keeps most.
std::vector<std::vector<std::int64_t>> kept_at_peak(const Scenario& scenario);

struct Bubble
{
    double over_ideal = 0; // idle time over working time
    double of_total = 0;   // idle time over all time
};
// By the closed form; nothing where the schedule has none or it does not hold: uneven stages, transfers.
std::optional<Bubble> closed_bubble(const Scenario& scenario);

struct PipelineReport
{
    ScheduleShape shape;
    Timeline timeline; // in the units of scenario.stage_times
};

// Refused where there are too many operations to simulate or the shape does not suit the schedule.
Result<PipelineReport> pipeline_report(const Scenario& scenario);

// Another schedule of the scenario's stages.
struct Alternative
{
    ScheduleKind kind;
    ScheduleShape shape;
    Costs costs;
    Timeline timeline;
};
// The scenario's own where kind is its own. Chunks are the scenario's where the schedule takes them, else the
// fewest it does.
Result<Alternative> alternative(const Scenario& scenario, ScheduleKind kind);

// Forward, input gradient, weight gradient and what is computed again, in units of an even stage's forward,
// from the model's FLOPs: products cost a forward g, their gradients g each; attention a, its gradient 2 a,
// all of it in the input gradient. The head is given in layers.
PipelineTimes times_of_model(const Scenario& scenario);

} // namespace ringside
