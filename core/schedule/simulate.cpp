#include "core/schedule/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

class Simulator
{
public:
    Simulator(const Order& order, const Costs& costs)
        : order_(order), costs_(costs), stages_(static_cast<std::int64_t>(costs.stages.size()))
    {
        std::int64_t most = 0;
        for (const auto& ops : order)
        {
            for (const Operation& op : ops)
            {
                most = std::max<std::int64_t>(most, op.micro_batch + 1);
            }
        }
        micro_batches_ = most;
        done_.assign(static_cast<std::size_t>(2 * stages_ * micro_batches_), -1);
    }

    Result<Timeline> run()
    {
        const std::size_t ranks = order_.size();
        timeline_.first.assign(ranks + 1, 0);
        for (std::size_t r = 0; r < ranks; ++r)
        {
            timeline_.first[r + 1] = timeline_.first[r] + order_[r].size();
        }
        timeline_.events.resize(timeline_.first.back());
        timeline_.busy.assign(ranks, 0);
        timeline_.peak_in_flight.assign(ranks, 0);
        next_.assign(ranks, 0);
        to_try_.resize(ranks);
        std::iota(to_try_.begin(), to_try_.end(), std::size_t{0});
        while (!to_try_.empty())
        {
            const std::size_t r = to_try_.back();
            to_try_.pop_back();
            while (next_[r] < order_[r].size() && step(r))
            {
                wake_neighbours(order_[r][next_[r]].stage, r);
                ++next_[r];
            }
        }
        return finish();
    }

private:
    // A finished operation can only wake the ranks that hold the neighbouring virtual stages.
    void wake_neighbours(std::int64_t stage, std::size_t rank)
    {
        for (const std::int64_t neighbour : {stage - 1, stage + 1})
        {
            const auto other = static_cast<std::size_t>(neighbour) % order_.size();
            if (neighbour >= 0 && neighbour < stages_ && other != rank)
            {
                to_try_.push_back(other);
            }
        }
    }

    std::int32_t& done(Pass pass, std::int64_t stage, std::int64_t micro_batch)
    {
        return done_[static_cast<std::size_t>(
            ((pass == Pass::forward ? 0 : 1) * stages_ + stage) * micro_batches_ + micro_batch)];
    }

    // The operation whose result this one needs; false while that has not run. `event` is -1 where there is
    // none.
    bool needs(const Operation& op, std::int32_t& event)
    {
        event = -1;
        if (op.pass == Pass::forward)
        {
            if (op.stage == 0)
            {
                return true;
            }
            event = done(Pass::forward, op.stage - 1, op.micro_batch);
            return event >= 0;
        }
        event = op.stage + 1 < stages_ ? done(Pass::backward, op.stage + 1, op.micro_batch)
                                       : done(Pass::forward, op.stage, op.micro_batch);
        return event >= 0 && done(Pass::forward, op.stage, op.micro_batch) >= 0;
    }

    bool step(std::size_t r)
    {
        const Operation& op = order_[r][next_[r]];
        std::int32_t needed = -1;
        if (!needs(op, needed))
        {
            return false;
        }
        const std::size_t index = timeline_.first[r] + next_[r];
        Event& event = timeline_.events[index];
        event.operation = op;
        event.rank = static_cast<std::int32_t>(r);
        event.waited_for = needed;
        if (needed >= 0)
        {
            const Event& before = timeline_.events[static_cast<std::size_t>(needed)];
            event.ready = before.end + (before.rank == event.rank ? 0 : costs_.transfer);
        }
        const double free = next_[r] > 0 ? timeline_.events[index - 1].end : 0;
        const StageCost& cost = costs_.stages[static_cast<std::size_t>(op.stage)];
        event.start = std::max(free, event.ready);
        event.end = event.start + (op.pass == Pass::forward ? cost.forward : cost.backward());
        done(op.pass, op.stage, op.micro_batch) = static_cast<std::int32_t>(index);
        return true;
    }

    Result<Timeline> finish()
    {
        for (std::size_t r = 0; r < order_.size(); ++r)
        {
            if (next_[r] < order_[r].size())
            {
                return Issue{fmt::format("rank {}", r),
                             to_text(order_[r][next_[r]]) + " waits for something that never runs",
                             "check the order of the operations"};
            }
            std::int64_t kept = 0;
            for (const Event& event : timeline_.rank(r))
            {
                timeline_.makespan = std::max(timeline_.makespan, event.end);
                timeline_.busy[r] += event.end - event.start;
                kept += event.operation.pass == Pass::forward ? 1 : -1;
                timeline_.peak_in_flight[r] = std::max(timeline_.peak_in_flight[r], kept);
            }
        }
        return std::move(timeline_);
    }

    const Order& order_;
    const Costs& costs_;
    std::int64_t stages_;
    std::int64_t micro_batches_ = 0;
    std::vector<std::int32_t> done_;
    std::vector<std::size_t> next_;
    std::vector<std::size_t> to_try_; // ranks whose next operation may be able to start
    Timeline timeline_;
};

} // namespace

Costs equal_costs(const ScheduleShape& shape, const StageTimes& times)
{
    const auto v = static_cast<double>(shape.chunks);
    Costs costs;
    costs.stages.assign(static_cast<std::size_t>(shape.stages * shape.chunks),
                        {times.forward / v, times.backward_input / v, times.backward_weight / v});
    costs.transfer = times.transfer;
    return costs;
}

double Timeline::bubble_over_ideal() const
{
    const double busiest = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
    return busiest > 0 ? (makespan - busiest) / busiest : 0;
}

double Timeline::bubble_of_total() const
{
    const double worked = std::accumulate(busy.begin(), busy.end(), 0.0);
    return makespan > 0 && !busy.empty() ? 1 - worked / (makespan * static_cast<double>(busy.size())) : 0;
}

Result<Timeline> simulate(const Order& order, const Costs& costs)
{
    Issues issues;
    for (std::size_t r = 0; r < order.size(); ++r)
    {
        for (const Operation& op : order[r])
        {
            if (op.stage < 0 || static_cast<std::size_t>(op.stage) >= costs.stages.size() ||
                op.micro_batch < 0)
            {
                issues.push_back({fmt::format("rank {}", r),
                                  to_text(op) + " names a stage that does not exist",
                                  fmt::format("stages are 0 to {}", costs.stages.size() - 1)});
                return issues;
            }
        }
    }
    return Simulator(order, costs).run();
}

std::vector<RankState> state_at(const Timeline& timeline, double t)
{
    std::vector<RankState> states(timeline.ranks());
    for (std::size_t r = 0; r < states.size(); ++r)
    {
        std::size_t index = timeline.first[r];
        for (const Event& event : timeline.rank(r))
        {
            // A forward is kept from its start, a backward frees at its end.
            if (event.operation.pass == Pass::forward && event.start <= t)
            {
                ++states[r].in_flight;
            }
            else if (event.operation.pass == Pass::backward && event.end <= t)
            {
                --states[r].in_flight;
            }
            if (event.start <= t && t < event.end)
            {
                states[r].running = index;
            }
            ++index;
        }
    }
    return states;
}

std::vector<StashStep> stash_over_time(const Timeline& timeline, std::size_t rank)
{
    constexpr double kSame = 1e-9;
    std::vector<std::pair<double, int>> changes;
    for (const Event& e : timeline.rank(rank))
    {
        const bool forward = e.operation.pass == Pass::forward;
        changes.emplace_back(forward ? e.start : e.end, forward ? 1 : -1);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<StashStep> steps{{0, 0}};
    for (const auto& [t, change] : changes)
    {
        const double held = steps.back().held + change;
        if (t - steps.back().t < kSame)
        {
            steps.back().held = held;
        }
        else
        {
            steps.push_back({t, held});
        }
    }
    steps.push_back({timeline.makespan, steps.back().held});
    return steps;
}

} // namespace ringside
