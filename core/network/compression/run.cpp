#include "core/network/compression/run.h"

#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr auto kIn = static_cast<std::size_t>(SmallTask::kInputs);
constexpr auto kMid = static_cast<std::size_t>(SmallTask::kHidden);
constexpr auto kOut = static_cast<std::size_t>(SmallTask::kClasses);

using Hidden = std::array<float, kMid>;
using Logits = std::array<float, kOut>;

Values drawn(SplitMix& rng, std::size_t count, double scale)
{
    Values values(count);
    for (float& v : values)
    {
        v = static_cast<float>(scale * rng.normal());
    }
    return values;
}

// x (kIn) w (kIn, kMid), through a ReLU.
Hidden hidden_of(const float* x, const Values& w)
{
    Hidden h{};
    for (std::size_t i = 0; i < kIn; ++i)
    {
        for (std::size_t j = 0; j < kMid; ++j)
        {
            h[j] += x[i] * w[i * kMid + j];
        }
    }
    for (float& v : h)
    {
        v = std::max(v, 0.0F);
    }
    return h;
}

Logits logits_of(const Hidden& h, const Values& readout)
{
    Logits z{};
    for (std::size_t j = 0; j < kMid; ++j)
    {
        for (std::size_t c = 0; c < kOut; ++c)
        {
            z[c] += h[j] * readout[j * kOut + c];
        }
    }
    return z;
}

// -log softmax(z)[label]; z becomes its gradient, softmax(z) - onehot(label).
double cross_entropy(Logits& z, std::int64_t label)
{
    const float most = *std::ranges::max_element(z);
    const auto at = static_cast<std::size_t>(label);
    const auto right = static_cast<double>(z[at] - most);
    double sum = 0;
    for (float& v : z)
    {
        v = std::exp(v - most);
        sum += static_cast<double>(v);
    }
    for (float& v : z)
    {
        v = static_cast<float>(static_cast<double>(v) / sum);
    }
    z[at] -= 1;
    return std::log(sum) - right;
}

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

// Inputs are loud to quiet, as features of real data are: the i-th has the size i^-1/2. A teacher of the same
// shape labels them.
SmallTask::SmallTask()
{
    SplitMix rng(20);
    const Values teacher = drawn(rng, kIn * kMid, 1);
    const Values teacher_readout = drawn(rng, kMid * kOut, 1);
    start_ = drawn(rng, kIn * kMid, 0.3);
    readout_ = drawn(rng, kMid * kOut, 0.5);
    for (std::size_t r = 0; r < kRanks; ++r)
    {
        inputs_.push_back(drawn(rng, static_cast<std::size_t>(kExamples) * kIn, 1));
        for (std::size_t e = 0; e < static_cast<std::size_t>(kExamples); ++e)
        {
            float* x = &inputs_.back()[e * kIn];
            for (std::size_t i = 0; i < kIn; ++i)
            {
                x[i] /= std::sqrt(static_cast<float>(i + 1));
            }
            const Logits z = logits_of(hidden_of(x, teacher), teacher_readout);
            labels_.push_back(std::ranges::max_element(z) - z.begin());
        }
    }
}

double SmallTask::gradient(std::size_t rank, std::int64_t step, const Values& weights, Values& out) const
{
    std::ranges::fill(out, 0.0F);
    double loss = 0;
    const std::int64_t first = step % kEpoch * kBatch;
    for (std::int64_t e = first; e < first + kBatch; ++e)
    {
        const float* x = &inputs_[rank][static_cast<std::size_t>(e) * kIn];
        const Hidden h = hidden_of(x, weights);
        Logits z = logits_of(h, readout_);
        loss += cross_entropy(
            z, labels_[rank * static_cast<std::size_t>(kExamples) + static_cast<std::size_t>(e)]);
        Hidden dh{};
        for (std::size_t j = 0; j < kMid; ++j)
        {
            const float sum =
                sum_over<float>(kOut, [&](std::size_t c) { return z[c] * readout_[j * kOut + c]; });
            dh[j] = h[j] > 0 ? sum / static_cast<float>(kBatch) : 0;
        }
        for (std::size_t i = 0; i < kIn; ++i)
        {
            for (std::size_t j = 0; j < kMid; ++j)
            {
                out[i * kMid + j] += x[i] * dh[j];
            }
        }
    }
    return loss / static_cast<double>(kBatch);
}

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

CompressionWork::CompressionWork(const Request& request)
    : request_(request), training_(request.options), error_(request.options)
{
}

bool CompressionWork::advance(std::size_t steps)
{
    for (std::size_t i = 0; i < steps && !training_.done(); ++i)
    {
        errors_.push_back(error_.of(request_.uncompressed->moments[errors_.size()].gradient));
        training_.step();
    }
    return !training_.done();
}

CompressionSummary CompressionWork::result() const
{
    return {request_.options, training_.run().steps, errors_};
}

} // namespace ringside
