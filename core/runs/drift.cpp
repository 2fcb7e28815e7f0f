#include "core/runs/drift.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

double median_of(std::span<const StepSummary::Timed> times)
{
    std::vector<double> seconds;
    for (const StepSummary::Timed& each : times)
    {
        seconds.push_back(each.seconds);
    }
    const auto middle = seconds.begin() + std::ssize(seconds) / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    return seconds.empty() ? 0 : *middle;
}

} // namespace

RunDrift drift_of(const StepSummary& summary, double predicted_s, const Band& band)
{
    RunDrift drift;
    const std::span<const StepSummary::Timed> all = summary.times;
    const auto warm_up = std::min(all.size(), static_cast<std::size_t>(summary.warm_up));
    const auto counted_times = all.subspan(warm_up);
    const std::size_t recent = std::min(counted_times.size(), kRecentSteps);
    drift.step = all.empty() ? 0 : all.back().step;
    drift.recent = median_of(counted_times.last(recent));
    drift.before = counted_times.size() >= 2 * kRecentSteps
                       ? median_of(counted_times.first(counted_times.size() - recent))
                       : 0;
    drift.outside = drift.recent > 0 && predicted_s > 0 && !band.holds(drift.recent / predicted_s);
    drift.slower = drift.before > 0 && drift.recent > (1 + kDriftShare) * drift.before;
    return drift;
}

std::string drift_words(const RunDrift& drift, double predicted_s)
{
    const auto words = [](double seconds) { return format_seconds(Seconds{seconds}); };
    if (drift.recent <= 0)
    {
        return "No step after the warm-up yet.";
    }
    const double off = drift.recent / predicted_s - 1;
    std::string text = fmt::format("Step {}: {} a step, predicted {} ({}{}), {} its band.", drift.step,
                                   words(drift.recent), words(predicted_s), off < 0 ? "-" : "+",
                                   format_percent(std::abs(off)), drift.outside ? "outside" : "inside");
    if (drift.slower)
    {
        text += fmt::format(" It was {} before: look for a late rank, heat, or the data loader.",
                            words(drift.before));
    }
    return text;
}

} // namespace ringside
