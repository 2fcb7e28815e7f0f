#include "core/performance/scaling_curve.h"

#include "core/memory/memory.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kEach = 2000; // what a size costs beside its operations

// 1, 2, 4 ... and, for strong scaling, the sizes between them that divide the batch: 3, 6, 12 ...
std::vector<std::int64_t> sizes(std::int64_t most, std::int64_t own, bool thirds)
{
    std::vector<std::int64_t> found;
    for (std::int64_t power = 1; power <= most; power *= 2)
    {
        found.push_back(power);
        if (thirds && power > 1 && power / 2 * 3 <= most)
        {
            found.push_back(power / 2 * 3);
        }
    }
    found.push_back(own);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace

Scenario scaled(Scenario s, Scaling scaling, std::int64_t data)
{
    const std::int64_t now = data_parallel(s);
    if (scaling == Scaling::weak)
    {
        s.training.global_batch = s.training.global_batch / now * data;
    }
    s.cluster.gpus = s.cluster.gpus / now * data;
    return s;
}

ScalingSweep::ScalingSweep(Scenario scenario)
    : scenario_(std::move(scenario)), replica_(scenario_.cluster.gpus / data_parallel(scenario_))
{
    const std::int64_t own = data_parallel(scenario_);
    const std::int64_t most = std::max(own, kMostGpus / replica_);
    for (const Scaling scaling : {Scaling::strong, Scaling::weak})
    {
        for (const std::int64_t data : sizes(most, own, scaling == Scaling::strong))
        {
            if (scaling == Scaling::weak || scenario_.training.global_batch % data == 0)
            {
                wanted_.push_back({scaling, data});
            }
        }
    }
}

std::int64_t ScalingSweep::strong_end() const
{
    return scenario_.training.global_batch / scenario_.training.micro_batch * replica_;
}

bool ScalingSweep::advance(double budget)
{
    while (!done() && budget > 0)
    {
        const Scenario s = scaled(scenario_, wanted_[next_].scaling, wanted_[next_].data);
        budget -= std::min(20'000.0, operations_of(s.training.schedule, pipeline_shape(s))) + kEach;
        try_one(wanted_[next_]);
        ++next_;
    }
    return !done();
}

void ScalingSweep::try_one(const Wanted& wanted)
{
    ScalingPoint point{scaled(scenario_, wanted.scaling, wanted.data), {}, false};
    const Issues issues = validate(point.scenario);
    for (const Issue& issue : issues)
    {
        if (issue.severity == Severity::error)
        {
            if (wanted.scaling == Scaling::weak)
            {
                refused_.push_back({point.gpus(), issue.message});
            }
            return;
        }
    }
    point.step = step_time(point.scenario);
    point.fits = memory_report(point.scenario).fits();
    (wanted.scaling == Scaling::strong ? strong_ : weak_).push_back(std::move(point));
}

double efficiency(const std::vector<ScalingPoint>& points, std::size_t at)
{
    return points.empty() ? 1 : points.at(at).tokens_per_gpu() / points.front().tokens_per_gpu();
}

} // namespace ringside
