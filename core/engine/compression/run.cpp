#include "core/engine/compression/run.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kRate = 0.5F; // learning rate, the same for all

void fold_in(Values& sum, const Values& plus, const Values& less)
{
    for (std::size_t i = 0; i < sum.size(); ++i)
    {
        sum[i] += plus[i] - less[i];
    }
}

// The mean of the last epoch's entries.
double recent(const std::vector<double>& losses)
{
    const std::size_t count = std::min(losses.size(), static_cast<std::size_t>(SmallTask::kEpoch));
    double sum = 0;
    for (std::size_t i = losses.size() - count; i < losses.size(); ++i)
    {
        sum += losses[i];
    }
    return sum / static_cast<double>(count);
}

} // namespace

CompressionRun run_compression(const CompressionOptions& options)
{
    static const SmallTask task;
    CompressedGroup group(options, SmallTask::kInputs, SmallTask::kHidden, SmallTask::kRanks);
    Values weights = task.start();
    std::vector<Values> gradients(SmallTask::kRanks, Values(weights.size()));
    Values missing(weights.size());
    std::vector<double> losses;
    CompressionRun run;
    run.options = options;
    for (std::size_t step = 0; step < kCompressionSteps; ++step)
    {
        double loss = 0;
        for (std::size_t r = 0; r < SmallTask::kRanks; ++r)
        {
            loss += task.gradient(r, static_cast<std::int64_t>(step), weights, gradients[r]);
        }
        losses.push_back(loss / static_cast<double>(SmallTask::kRanks));
        CompressionMoment moment{gradients[0], Values(weights.size()), {}, {}};
        if (feeds_back(options))
        {
            moment.carried = group.left(0);
        }
        group.send(gradients);
        moment.sent = group.sent(0);
        moment.left = group.left(0);
        fold_in(missing, moment.gradient, moment.sent);
        run.moments.push_back(std::move(moment));
        run.steps.push_back({recent(losses), norm(gradients[0]), norm(missing)});
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            weights[i] -= kRate * group.result()[i];
        }
    }
    return run;
}

std::vector<double> gradient_errors(const CompressionOptions& options, const CompressionRun& of)
{
    CompressedGroup group(options, SmallTask::kInputs, SmallTask::kHidden, 1);
    std::vector<double> errors;
    for (const CompressionMoment& m : of.moments)
    {
        group.forget();
        group.send({&m.gradient, 1});
        const double size = norm(m.gradient);
        errors.push_back(size > 0 ? distance(m.gradient, group.sent(0)) / size : 0);
    }
    return errors;
}

} // namespace ringside
