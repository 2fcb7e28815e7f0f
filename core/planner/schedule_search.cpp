#include "core/planner/schedule_search.h"

#include "core/scenario/choices.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostChunks = 8;
constexpr std::int64_t kMostMicroBatch = 64;
constexpr double kMostSimulated = 400'000; // operations of one candidate

void scale(StageTimes& t, double factor)
{
    t.forward *= factor;
    t.backward_input *= factor;
    t.backward_weight *= factor;
    t.recompute *= factor;
    t.transfer *= factor;
}

std::vector<std::int64_t> divisors_up_to(std::int64_t whole, std::int64_t most)
{
    std::vector<std::int64_t> found;
    for (std::int64_t d = 1; d <= std::min(whole, most); ++d)
    {
        if (whole % d == 0)
        {
            found.push_back(d);
        }
    }
    return found;
}

} // namespace

ScheduleSearch::ScheduleSearch(Scenario scenario) : scenario_(std::move(scenario))
{
    const std::int64_t each =
        std::max<std::int64_t>(1, scenario_.training.global_batch / data_parallel(scenario_));
    for (const ScheduleKind kind : schedules())
    {
        for (std::int64_t chunks = kind->least_chunks; chunks <= std::min(kind->most_chunks, kMostChunks);
             ++chunks)
        {
            Scenario s = with_schedule(scenario_, kind);
            s.parallel.chunks = chunks;
            // An uneven split is tried with the chunks there are only.
            if (s.model.layers % virtual_stages(kind, pipeline_shape(s)) != 0 &&
                s.parallel.stage_layers.empty() &&
                chunks != std::max(kind->least_chunks, scenario_.parallel.chunks))
            {
                continue;
            }
            for (const std::int64_t b : divisors_up_to(each, kMostMicroBatch))
            {
                s.training.micro_batch = b;
                wanted_.push_back(s);
            }
        }
    }
}

bool ScheduleSearch::advance(double operations)
{
    while (next_ < wanted_.size() && operations > 0)
    {
        const Scenario& s = wanted_[next_];
        operations -= std::min(kMostSimulated, operations_of(s.training.schedule, pipeline_shape(s))) + 2000;
        try_one(s);
        ++next_;
        if (done())
        {
            mark_frontier();
        }
    }
    return !done();
}

double ScheduleSearch::progress() const
{
    return wanted_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(wanted_.size());
}

void ScheduleSearch::try_one(const Scenario& candidate)
{
    const bool small =
        operations_of(candidate.training.schedule, pipeline_shape(candidate)) <= kMostSimulated;
    if (!small || has_errors(validate(candidate)))
    {
        ++refused_;
        return;
    }
    Scenario timed = candidate;
    scale(timed.stage_times, static_cast<double>(candidate.training.micro_batch) /
                                 static_cast<double>(scenario_.training.micro_batch));
    const auto run = pipeline_report(timed);
    if (!run)
    {
        ++refused_;
        return;
    }
    ScheduleCandidate found{candidate, run->timeline.makespan, run->timeline.bubble_of_total(), {}, false};
    found.memory = memory_report(timed).worst().total();
    found_.push_back(std::move(found));
}

void ScheduleSearch::mark_frontier()
{
    std::vector<std::size_t> by_memory(found_.size());
    std::iota(by_memory.begin(), by_memory.end(), std::size_t{0});
    std::sort(by_memory.begin(), by_memory.end(),
              [&](std::size_t a, std::size_t b)
              {
                  return found_[a].memory != found_[b].memory ? found_[a].memory < found_[b].memory
                                                              : found_[a].makespan < found_[b].makespan;
              });
    double shortest = 1e300;
    for (const std::size_t i : by_memory)
    {
        found_[i].frontier = found_[i].makespan < shortest * (1 - 1e-9);
        shortest = std::min(shortest, found_[i].makespan);
    }
}

const ScheduleCandidate* ScheduleSearch::best(Bytes limit) const
{
    const ScheduleCandidate* best = nullptr;
    for (const ScheduleCandidate& c : found_)
    {
        if (c.memory > limit)
        {
            continue;
        }
        const bool shorter = best == nullptr || c.makespan < best->makespan * (1 - 1e-9);
        const bool leaner =
            best != nullptr && c.makespan <= best->makespan * (1 + 1e-9) && c.memory < best->memory;
        best = shorter || leaner ? &c : best;
    }
    return best;
}

} // namespace ringside
