#include "core/network/compression/task.h"

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

} // namespace ringside
