#include "core/network/compression/run.h"

#include "core/base/ranges.h"

#include <algorithm>

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

const SmallTask& task()
{
    static const SmallTask task;
    return task;
}

} // namespace

CompressionTraining::CompressionTraining(const CompressionOptions& options)
    : group_(options, SmallTask::kInputs, SmallTask::kHidden, SmallTask::kRanks), weights_(task().start()),
      gradients_(SmallTask::kRanks, Values(weights_.size())), missing_(weights_.size())
{
    run_.options = options;
}

void CompressionTraining::step()
{
    const double loss = sum_over(SmallTask::kRanks,
                                 [&](std::size_t r) {
                                     return task().gradient(r, static_cast<std::int64_t>(run_.steps.size()),
                                                            weights_, gradients_[r]);
                                 });
    losses_.push_back(loss / static_cast<double>(SmallTask::kRanks));
    CompressionMoment moment{gradients_[0], Values(weights_.size()), {}, {}};
    if (feeds_back(run_.options))
    {
        moment.carried = group_.left(0);
    }
    group_.send(gradients_);
    moment.sent = group_.sent(0);
    moment.left = group_.left(0);
    fold_in(missing_, moment.gradient, moment.sent);
    run_.moments.push_back(std::move(moment));
    run_.steps.push_back({recent(losses_), norm(gradients_[0]), norm(missing_)});
    for (std::size_t i = 0; i < weights_.size(); ++i)
    {
        weights_[i] -= kRate * group_.result()[i];
    }
}

CompressionRun run_compression(const CompressionOptions& options)
{
    CompressionTraining training(options);
    while (!training.done())
    {
        training.step();
    }
    return training.take();
}

GradientError::GradientError(const CompressionOptions& options)
    : group_(options, SmallTask::kInputs, SmallTask::kHidden, 1)
{
}

double GradientError::of(const Values& gradient)
{
    group_.forget();
    group_.send({&gradient, 1});
    const double size = norm(gradient);
    return size > 0 ? distance(gradient, group_.sent(0)) / size : 0;
}

std::vector<double> gradient_errors(const CompressionOptions& options, const CompressionRun& of)
{
    GradientError error(options);
    return list_of<double>(of.moments, [&](const CompressionMoment& m) { return error.of(m.gradient); });
}

} // namespace ringside
