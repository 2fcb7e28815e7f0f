#include "ui/views/network/step/lives.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostMoments = 4000;

std::vector<double> moments_of(const StepLife& life)
{
    std::vector<double> all{0};
    for (const StepTask& task : life.tasks)
    {
        all.push_back(task.start);
        all.push_back(task.end);
    }
    std::sort(all.begin(), all.end());
    const double least = life.total * 1e-9;
    std::vector<double> apart;
    for (const double t : all)
    {
        if (apart.empty() || t > apart.back() + least)
        {
            apart.push_back(t);
        }
    }
    if (apart.size() > kMostMoments)
    {
        apart.resize(kMostMoments + 1);
        for (std::size_t i = 0; i <= kMostMoments; ++i)
        {
            apart[i] = life.total * static_cast<double>(i) / static_cast<double>(kMostMoments);
        }
    }
    return apart;
}

} // namespace

void StepLives::update(const Scenario& scenario, const StepOptions& options) const
{
    StepOptions before = options_;
    before.strategy = options.strategy;
    const bool fresh = stale_ || before != options || !(scenario_ == scenario);
    if (fresh)
    {
        scenario_ = scenario;
        StepOptions one = options;
        for (std::size_t i = 0; i < kStepStrategies; ++i)
        {
            one.strategy = static_cast<StepStrategy>(i);
            lives_[i] = step_life(scenario, one);
        }
    }
    if (fresh || options_.strategy != options.strategy)
    {
        options_ = options;
        moments_ = moments_of(shown());
    }
    stale_ = false;
}

double StepLives::longest() const
{
    double most = 0;
    for (const StepLife& life : lives_)
    {
        most = std::max(most, life.total);
    }
    return most;
}

} // namespace ringside
