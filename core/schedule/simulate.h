// Gives an order times: the event simulator, its timeline, and what is happening at any moment of it.
#pragma once

#include "core/schedule/schedule.h"

#include <optional>

namespace ringside
{

// Times of one micro-batch on one virtual stage, in any unit.
struct StageCost
{
    double forward = 1;
    double backward_input = 1;
    double backward_weight = 1;

    double backward() const { return backward_input + backward_weight; }
};

struct Costs
{
    std::vector<StageCost> stages; // one per virtual stage
    double transfer = 0;           // between neighbouring ranks, overlapped with computing
};

// Equal stages; each chunk has a share 1/v of a stage's time.
Costs equal_costs(const ScheduleShape& shape, const StageTimes& times);

struct Event
{
    Operation operation;
    std::int32_t rank = 0;
    double start = 0;
    double end = 0;
    double ready = 0; // when its input had arrived
    std::int32_t waited_for =
        -1; // the event (index into Timeline::events) whose output it needed last; -1: none
};

struct Timeline
{
    std::vector<Event> events;      // rank by rank, each in order
    std::vector<std::size_t> first; // index of each rank's first event, and the end
    double makespan = 0;
    std::vector<double> busy;                 // [rank]
    std::vector<std::int64_t> peak_in_flight; // [rank] micro-batches (of a chunk) kept at most

    std::span<const Event> rank(std::size_t r) const
    {
        return {events.data() + first[r], first[r + 1] - first[r]};
    }
    std::size_t ranks() const { return busy.size(); }
    // Idle time over the time an ideal pipeline would take: (p-1)/m for equal stages (arXiv 2104.04473,
    // section 2.2.1).
    double bubble_over_ideal() const;
    // Idle time over all time: (p-1)/(m+p-1) for equal stages (arXiv 1811.06965, section 2.3).
    double bubble_of_total() const;
};

// A schedule with more operations than this is not simulated: it would no longer answer at once.
inline constexpr std::int64_t kMostOperations = 4'000'000;

// Runs the order. An order whose operations wait for each other in a circle is refused.
Result<Timeline> simulate(const Order& order, const Costs& costs);

// What a rank is doing at time t.
struct RankState
{
    std::optional<std::size_t> running; // index into Timeline::events
    std::int64_t in_flight = 0;         // micro-batches (of a chunk) kept
};
std::vector<RankState> state_at(const Timeline& timeline, double t);

// Micro-batches (of a chunk) a rank keeps, from `t` to the next step's: one more when a forward starts, one
// less when its backward ends. What is freed at a moment is freed before anything is taken; steps closer than
// 1e-9 are one.
struct StashStep
{
    double t = 0;
    double held = 0;
};
// From 0 to the makespan.
std::vector<StashStep> stash_over_time(const Timeline& timeline, std::size_t rank);

} // namespace ringside
