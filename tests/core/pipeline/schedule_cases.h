// Shared by the tests of schedules: one schedule run, and shapes and times drawn at random, the same ones
// every time.
#pragma once

#include "core/pipeline/simulate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ringside::test
{

// Order and timeline of a legal shape.
struct Ran
{
    Order order;
    Timeline timeline;
};

inline Ran run(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs)
{
    auto order = make_order(kind, shape, costs);
    REQUIRE(order);
    auto timeline = simulate(*order, costs);
    INFO(kind->id << (timeline ? "" : ": " + to_line(timeline.issues().front())));
    REQUIRE(timeline);
    return {std::move(*order), std::move(*timeline)};
}

inline Timeline run(std::string_view id, const ScheduleShape& shape, const StageTimes& times = {})
{
    const ScheduleKind kind = find_schedule(id);
    REQUIRE(kind != nullptr);
    return run(kind, shape, equal_costs(kind, shape, times)).timeline;
}

struct Case
{
    ScheduleKind kind = nullptr;
    ScheduleShape shape;
    StageTimes times; // of equal stages
    Costs costs;      // uneven

    std::string text() const
    {
        return std::string(kind->id) + " p " + std::to_string(shape.stages) + " m " +
               std::to_string(shape.micro_batches) + " v " + std::to_string(shape.chunks);
    }
};

class CaseSource
{
public:
    explicit CaseSource(std::uint32_t seed) : random_(seed) {}

    // Written out, because the standard leaves its distributions to the library.
    std::int64_t pick(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(most - least + 1));
    }
    bool chance() { return pick(0, 1) == 1; }
    // Quarters, so that sums are exact.
    double quarters(std::int64_t least, std::int64_t most)
    {
        return static_cast<double>(pick(least, most)) / 4;
    }

    // A legal shape of this schedule, times and uneven costs.
    Case of(ScheduleKind kind)
    {
        Case c;
        c.kind = kind;
        c.shape.chunks = pick(kind->least_chunks, std::min<std::int64_t>(kind->most_chunks, 4));
        do
        {
            c.shape.stages = pick(1, 12);
            if (c.shape.stages == 1 && kind->placement == Placement::loop && chance())
            {
                c.shape.chunks = 1;
            }
            c.shape.micro_batches =
                nearest_micro_batches(kind, {c.shape.stages, pick(1, 40), c.shape.chunks});
        } while (c.shape.micro_batches == 0);
        c.times = {quarters(1, 12), quarters(0, 12), quarters(0, 12), quarters(0, 3), 0, 1, chance()};
        if (chance())
        {
            c.times.transfer = 0;
        }
        if (chance())
        {
            c.times.pair = quarters(2, 4);
        }
        c.costs = equal_costs(kind, c.shape, c.times);
        for (StageCost& cost : c.costs.stages)
        {
            cost = {quarters(1, 9), quarters(0, 9), quarters(0, 9)};
        }
        return c;
    }

    // Of every schedule in turn.
    Case next() { return of(schedules()[turn_++ % schedules().size()]); }

private:
    std::mt19937 random_;
    std::size_t turn_ = 0;
};

} // namespace ringside::test
