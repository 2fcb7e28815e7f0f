// Gives an order times: the event simulator, its timeline, and what is happening at any moment of it.
//
// A pair (DualPipe's F&B) starts when both inputs are there and hands on both results at its end. Its time
// is the sum by default; `pair` says what overlap saves.
#pragma once

#include "core/pipeline/schedule.h"

#include <optional>

namespace ringside
{

struct Event
{
    Operation operation;
    std::int32_t rank = 0;
    double start = 0;
    double end = 0;
    double ready = 0; // when its input had arrived
    std::int32_t waited_for =
        -1;                // the event (index into Timeline::events) whose output it needed last; -1: none
    std::int32_t held = 0; // micro-batches (of a chunk) its rank keeps while it runs
};

// Operations that run together share their stretch of time: the forward is drawn first, both results are
// there at the end.
struct Timeline
{
    std::vector<Event> events;      // rank by rank, each in order
    std::vector<std::size_t> first; // index of each rank's first event, and the end
    double makespan = 0;
    std::vector<double> busy;                 // [rank]
    std::vector<std::int64_t> peak_in_flight; // [rank] micro-batches (of a chunk) kept at most
    std::int64_t transfers = 0;               // messages from rank to rank

    std::span<const Event> rank(std::size_t r) const
    {
        return {events.data() + first[r], first[r + 1] - first[r]};
    }
    std::size_t ranks() const { return busy.size(); }
    // From a rank's first operation to its last: what it costs where the next step may begin before all ranks
    // have finished this one (arXiv 2401.10241, section 4).
    double span(std::size_t rank) const;
    double longest_span() const;
    // Idle time over the time an ideal pipeline would take: (p-1)/m for equal stages (arXiv 2104.04473,
    // section 2.2.1).
    double bubble_over_ideal() const;
    // Idle time over all time: (p-1)/(m+p-1) for equal stages (arXiv 1811.06965, section 2.3).
    double bubble_of_total() const;
    // Both over the longest span of a rank instead of the makespan.
    double span_bubble_over_ideal() const;
    double span_bubble_of_total() const;
};

// A schedule with more operations than this is not simulated: it would no longer answer at once.
inline constexpr std::int64_t kMostOperations = 4'000'000;

// Operations of a schedule: two a micro-batch and virtual stage, three where the backward is split.
double operations_of(ScheduleKind kind, const ScheduleShape& shape);

// Runs the order. Refused, with the rank and the operation: a stage that costs.stages does not have, an
// operation twice, one whose input never comes, operations that wait for each other in a circle.
Result<Timeline> simulate(const Order& order, const Costs& costs);

// What a rank is doing at time t.
struct RankState
{
    std::optional<std::size_t> running; // index into Timeline::events
    std::int64_t in_flight = 0;         // micro-batches (of a chunk) kept
};
std::vector<RankState> state_at(const Timeline& timeline, double t);

// The next moment after `t` at which an operation starts or ends; nothing at the end.
std::optional<double> next_moment(const Timeline& timeline, double t);

// Every operation of a micro-batch, in order of time: its whole path. Indices into Timeline::events.
std::vector<std::size_t> path_of(const Timeline& timeline, std::int32_t micro_batch);

// Micro-batches (of a chunk) a rank keeps, from `t` to the next step's: one more when a forward starts, one
// less when its weight gradient ends. What is freed at a moment is freed before anything is taken; steps
// closer than 1e-9 are one.
struct StashStep
{
    double t = 0;
    double held = 0;
};
// From 0 to the makespan. `weight` of each virtual stage, 1 for all where it is empty.
std::vector<StashStep> stash_over_time(const Timeline& timeline, std::size_t rank,
                                       std::span<const double> weight = {});

} // namespace ringside
