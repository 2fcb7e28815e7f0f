#include "ui/views/serving/serving/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kSlots = 6;
constexpr std::int64_t kRequests = 24;
constexpr std::int64_t kMeanAnswer = 20; // decoding steps, of the drawn requests
constexpr double kStepsOfCurve = 60;

std::vector<std::int64_t> batches(const ServingReport& r)
{
    const double most = std::clamp(2.0 * static_cast<double>(std::max(r.most, r.setup.batch)), 256.0, 8192.0);
    std::vector<std::int64_t> all;
    for (double k = 0; k <= kStepsOfCurve; ++k)
    {
        const auto batch = static_cast<std::int64_t>(std::llround(std::pow(most, k / kStepsOfCurve)));
        if (all.empty() || batch > all.back())
        {
            all.push_back(batch);
        }
    }
    return all;
}

} // namespace

void ServingDesk::update(const Scenario& scenario) const
{
    if (made_for_ == wish && scenario_ == scenario)
    {
        return;
    }
    made_for_ = wish;
    scenario_ = scenario;
    ServingSetup setup = serving_setup(scenario);
    setup.batch = wish.batch;
    setup.prompt = wish.prompt.value_or(setup.prompt);
    setup.output = wish.output.value_or(setup.output);
    setup.weight_bits = wish.weight_bits;
    setup.cache_bits = wish.cache_bits;
    setup.paged = wish.paged;
    report_ = serving_report(scenario, setup);
    curve_ = serving_curve(scenario, setup, batches(report_));
    if (held_.stays.empty())
    {
        const auto lengths = drawn_lengths(kRequests, kMeanAnswer, 5);
        held_ = static_batching(lengths, kSlots);
        free_ = continuous_batching(lengths, kSlots);
    }
}

} // namespace ringside
