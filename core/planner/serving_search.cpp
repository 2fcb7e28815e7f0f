#include "core/planner/serving_search.h"

#include "core/base/ranges.h"
#include "core/scenario/validate.h"
#include "core/serving/serving.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 8> kAttentionReplicas{1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<std::int64_t, 4> kStages{1, 2, 4, 8};
constexpr std::int64_t kMostRequestsOfEngine = 2000;
constexpr double kFirstRate = 0.01; // [1/s] of one replica: a request alone
constexpr double kMostRate = 1e6;
constexpr double kRateStep = 1.03;

Scenario laid_out(const Scenario& scenario, const ServingLayout& layout)
{
    Serving s = *scenario.serving;
    s.layout = layout;
    Scenario changed = scenario;
    changed.serving = std::make_shared<const Serving>(std::move(s));
    return changed;
}

ServingFigures at_rate(const Scenario& scenario, double rate)
{
    Serving s = *scenario.serving;
    const double replicas = real(s.layout.replicas * s.layout.pipeline);
    // A queue that grows is seen only in a run much longer than the objective.
    constexpr double kObjectives = 8;
    const double wanted =
        std::clamp(kObjectives * s.objective.ttft_s * rate / replicas, 200.0, real(kMostRequestsOfEngine));
    s.traffic.rate = rate;
    s.traffic.concurrency = 0;
    s.traffic.burst = false;
    s.traffic.trace.clear();
    s.traffic.requests = static_cast<std::int64_t>(std::ceil(wanted * replicas));
    Scenario changed = scenario;
    changed.serving = std::make_shared<const Serving>(std::move(s));
    return serving_figures(changed);
}

bool attains(const Scenario& scenario, const ServingFigures& f)
{
    return f.fits && f.attained * 100 >= scenario.serving->objective.percentile;
}

} // namespace

std::vector<ServingLayout> serving_layouts(const Scenario& scenario)
{
    const Serving& s = *scenario.serving;
    const std::int64_t apart = s.disaggregated ? s.prefill.gpus() * s.prefill.replicas : 0;
    const std::int64_t gpus = scenario.cluster.gpus - apart;
    std::vector<ServingLayout> all;
    for (const std::int64_t stages : kStages)
    {
        for (const std::int64_t tensor : serving_gpus(scenario.model))
        {
            for (const std::int64_t data : kAttentionReplicas)
            {
                const bool experts = scenario.model.experts > 0;
                ServingLayout layout{tensor, stages, data, experts ? tensor * data : 1, 1};
                layout.replicas = gpus / layout.gpus();
                const bool power = (tensor & (tensor - 1)) == 0;
                const bool dealt = data == 1 || (experts && tensor * data <= scenario.model.experts);
                if (power && dealt && layout.replicas > 0 &&
                    errors_of(validate(laid_out(scenario, layout))).empty())
                {
                    all.push_back(layout);
                }
            }
        }
        if (std::ranges::any_of(all, [&](const ServingLayout& l)
                                { return EngineClock(scenario, s, l).room() > 0; }))
        {
            break; // more stages only where nothing smaller holds the model
        }
    }
    return all;
}

double serving_goodput(const Scenario& scenario)
{
    double low = kFirstRate * real(scenario.serving->layout.replicas);
    if (!attains(scenario, at_rate(scenario, low)))
    {
        return 0;
    }
    double high = low;
    do
    {
        low = high;
        high *= 2;
    } while (high < kMostRate && attains(scenario, at_rate(scenario, high)));
    while (high / low > kRateStep)
    {
        const double middle = std::sqrt(low * high);
        (attains(scenario, at_rate(scenario, middle)) ? low : high) = middle;
    }
    return low;
}

ServingSearch search_serving(const Scenario& scenario)
{
    ServingSearch search;
    for (const ServingLayout& layout : serving_layouts(scenario))
    {
        search.tried += 1;
        const Scenario own = laid_out(scenario, layout);
        ServingCandidate c;
        c.layout = layout;
        c.goodput = serving_goodput(own);
        c.figures = at_rate(own, c.goodput > 0 ? c.goodput : kFirstRate * real(layout.replicas));
        c.figures.run = {};
        if (c.figures.fits)
        {
            search.fit += 1;
            search.best.push_back(std::move(c));
        }
    }
    std::ranges::stable_sort(search.best, std::greater<>(), &ServingCandidate::goodput);
    return search;
}

} // namespace ringside
