// Collectives, pipeline schedules and ZeRO.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/conventions.h"
#include "core/performance/step_life.h"
#include "core/pipeline/simulate.h"
#include "core/study/questions/formula/functions/parts.h"

#include <algorithm>
#include <array>

namespace ringside::study_function
{

namespace
{

// Simulated at most: what still answers at once however often an expression asks.
constexpr double kMostSimulated = 20'000;

Result<std::int64_t> ranks(double n)
{
    return whole("the number of ranks", n, 1, 1e7);
}

bool any_below_zero(Arguments values)
{
    return std::ranges::any_of(values, [](double v) { return !(v >= 0); });
}

// n ranks, S bytes, a seconds, B bytes/s
Result<CollectiveCost> cost(CollectiveKind kind, std::string_view algorithm, Arguments v)
{
    const auto n = ranks(v[0]);
    if (!n)
    {
        return n.issues();
    }
    if (any_below_zero(v))
    {
        return Issue{"", "a size, latency or rate is below 0", "use sizes and rates from 0"};
    }
    const double rate = v.size() > 3 ? v[3] : 1;
    const Link link{Seconds(v.size() > 2 ? v[2] : 0.0), BytesPerSecond(rate)};
    return estimate(kind, *find_algorithm(algorithm), *n, Bytes(v[1]), {link, link, *n});
}

constexpr std::string_view kRing = "ring";
constexpr std::string_view kDirect = "naive"; // every rank sends every other its block
constexpr std::string_view kTree = "tree";
constexpr std::string_view kDoubleTree = "double-tree";

template <CollectiveKind kind, const std::string_view& algorithm = kRing>
Value call_seconds(Arguments v)
{
    const auto c = cost(kind, algorithm, v);
    return c ? Value(c->total().value) : Value(c.issues());
}

template <CollectiveKind kind, const std::string_view& algorithm = kRing>
Value call_bytes(Arguments v)
{
    const auto c = cost(kind, algorithm, v);
    return c ? Value(c->sent_per_rank.value) : Value(c.issues());
}

Value ring_steps(Arguments v)
{
    const std::array<double, 2> asked{v[0], 0};
    const auto c = cost(CollectiveKind::all_reduce, "ring", asked);
    return c ? Value(static_cast<double>(c->steps)) : Value(c.issues());
}

// One tensor-parallel all-reduce of 16-bit activations: b s h elements over t ranks at BW bytes/s.
Value tensor_all_reduce(Arguments v)
{
    const std::array<double, 4> asked{v[3], 2 * v[0] * v[1] * v[2], 0, v[4]};
    return call_seconds<CollectiveKind::all_reduce>(asked);
}

// p stages, m micro-batches, v chunks; F = 1 and B = 2, cut in two halves where the schedule splits it.
Result<Timeline> simulated(std::string_view id, Arguments v)
{
    const ScheduleKind kind = schedule(id);
    ScheduleShape shape;
    Issues issues;
    const auto take = [&](std::string_view what, double value, std::int64_t& target)
    {
        const auto n = whole(what, value, 1, kMostSimulated);
        target = n ? *n : 1;
        if (!n)
        {
            issues.push_back(n.issues().front());
        }
    };
    take("the number of stages", v[0], shape.stages);
    take("the number of micro-batches", v[1], shape.micro_batches);
    take("the number of chunks", v.size() > 2 ? v[2] : 1, shape.chunks);
    if (!issues.empty())
    {
        return issues;
    }
    if (operations_of(kind, shape) > kMostSimulated)
    {
        return Issue{
            "",
            fmt::format("{} operations are too many to simulate", three_digits(operations_of(kind, shape))),
            "use fewer stages or micro-batches"};
    }
    const Costs costs = equal_costs(kind, shape, {});
    const auto order = make_order(kind, shape, costs);
    return order ? simulate(*order, costs) : Result<Timeline>(order.issues());
}

constexpr std::string_view kGpipe = "gpipe";
constexpr std::string_view k1f1b = "1f1b";
constexpr std::string_view kInterleaved = "interleaved";
constexpr std::string_view kZbH1 = "zb-h1";

template <const std::string_view& id, double (Timeline::*bubble)() const>
Value idle(Arguments v)
{
    const auto t = simulated(id, v);
    return t ? Value(((*t).*bubble)()) : Value(t.issues());
}

template <const std::string_view& id>
Value in_flight(Arguments v)
{
    const auto stage = whole("the stage", v[2], 0, v[0] - 1);
    const auto t = stage ? simulated(id, v.first(2)) : Result<Timeline>(stage.issues());
    return t ? Value(static_cast<double>(t->peak_in_flight[static_cast<std::size_t>(*stage)]))
             : Value(t.issues());
}

Value zero_state(Arguments v)
{
    const auto n = ranks(v[1]);
    const auto stage = whole("the ZeRO stage", v[2], 0, 3);
    if (!n || !stage)
    {
        return n ? stage.issues() : n.issues();
    }
    return zero_paper_bytes(v[0], *n, *stage).value;
}

// Elements a rank sends in one step of k micro-batches: (N-1)/N of every pass over the parameters.
Value zero_traffic(Arguments v)
{
    const auto n = ranks(v[1]);
    const auto stage = whole("the ZeRO stage", v[2], 0, 3);
    const auto k = whole("the number of micro-batches", v[3], 1, 1e7);
    if (!n || !stage || !k)
    {
        return n ? (stage ? k.issues() : stage.issues()) : n.issues();
    }
    StepOptions options;
    options.strategy = static_cast<StepStrategy>(*stage);
    options.accumulation = *k;
    return step_passes(options).all() * v[0] * (v[1] - 1) / v[1];
}

constexpr std::array kParallelFunctions{
    StudyFunction{"ring_all_reduce_s", "n, S, a, B", "[s] 2(n-1)a + 2(n-1)/n S/B",
                  call_seconds<CollectiveKind::all_reduce>},
    StudyFunction{"tree_all_reduce_s", "n, S, a, B", "[s] double tree: 2 log2(n) a + 2 S/B",
                  call_seconds<CollectiveKind::all_reduce, kDoubleTree>},
    StudyFunction{"naive_all_reduce_s", "n, S, a, B", "[s] all to one rank and back: 2a + 2(n-1) S/B",
                  call_seconds<CollectiveKind::all_reduce, kDirect>},
    StudyFunction{"ring_all_reduce_bytes", "n, S", "[B] sent by each rank: 2(n-1)/n S",
                  call_bytes<CollectiveKind::all_reduce>},
    StudyFunction{"ring_all_reduce_steps", "n", "2(n-1)", ring_steps},
    StudyFunction{"tensor_all_reduce_s", "b, s, h, t, BW", "[s] ring, 2 bytes an element, no latency",
                  tensor_all_reduce},
    StudyFunction{"all_gather_s", "n, S, a, B", "[s] ring; S is what a rank ends with: (n-1)a + (n-1)/n S/B",
                  call_seconds<CollectiveKind::all_gather>},
    StudyFunction{"reduce_scatter_s", "n, S, a, B", "[s] ring; S is what a rank starts with",
                  call_seconds<CollectiveKind::reduce_scatter>},
    StudyFunction{"all_to_all_s", "n, S, a, B",
                  "[s] direct; S is what a rank has for all: (n-1)a + (n-1)/n S/B",
                  call_seconds<CollectiveKind::all_to_all, kDirect>},
    StudyFunction{"broadcast_s", "n, S, a, B", "[s] binary tree: log2(n) (a + S/B)",
                  call_seconds<CollectiveKind::broadcast, kTree>},
    StudyFunction{"all_gather_bytes", "n, S", "[B] sent by each rank: (n-1)/n S",
                  call_bytes<CollectiveKind::all_gather>},
    StudyFunction{"reduce_scatter_bytes", "n, S", "[B] sent by each rank: (n-1)/n S",
                  call_bytes<CollectiveKind::reduce_scatter>},
    StudyFunction{"all_to_all_bytes", "n, S", "[B] sent by each rank: (n-1)/n S",
                  call_bytes<CollectiveKind::all_to_all, kDirect>},
    StudyFunction{"bubble_of_total_gpipe", "p, m", "share of all time, simulated",
                  idle<kGpipe, &Timeline::bubble_of_total>, true},
    StudyFunction{"bubble_of_total_1f1b", "p, m", "share of all time, simulated",
                  idle<k1f1b, &Timeline::bubble_of_total>, true},
    StudyFunction{"bubble_of_total_interleaved", "p, m, v", "share of all time, simulated",
                  idle<kInterleaved, &Timeline::bubble_of_total>, true},
    StudyFunction{"bubble_of_total_zb_h1", "p, m", "share of all time, simulated with F = I = W",
                  idle<kZbH1, &Timeline::bubble_of_total>, true},
    StudyFunction{"bubble_over_ideal_gpipe", "p, m", "over the ideal time, simulated",
                  idle<kGpipe, &Timeline::bubble_over_ideal>, true},
    StudyFunction{"bubble_over_ideal_1f1b", "p, m", "over the ideal time, simulated",
                  idle<k1f1b, &Timeline::bubble_over_ideal>, true},
    StudyFunction{"bubble_over_ideal_interleaved", "p, m, v", "over the ideal time, simulated",
                  idle<kInterleaved, &Timeline::bubble_over_ideal>, true},
    StudyFunction{"in_flight_gpipe", "p, m, stage", "micro-batches a stage (from 0) keeps at most",
                  in_flight<kGpipe>, true},
    StudyFunction{"in_flight_1f1b", "p, m, stage", "micro-batches a stage (from 0) keeps at most",
                  in_flight<k1f1b>, true},
    StudyFunction{"zero_state_bytes", "P, N, stage", "[B] of a rank at 16 bytes per parameter", zero_state},
    StudyFunction{"zero_traffic_elements", "P, N, stage, k", "sent by a rank in a step of k micro-batches",
                  zero_traffic},
};

} // namespace

std::span<const StudyFunction> parallel_functions()
{
    return kParallelFunctions;
}

} // namespace ringside::study_function
