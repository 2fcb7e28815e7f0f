#include "core/reliability/resume.h"

#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kCheckpointParts> kPartSays{
    "Training restarts from random weights, with the moments of a model that is gone.",
    "The 32-bit weights come back from 16 bits: updates too small for them are lost, so the loss "
    "rises a little and comes back.",
    "The momentum is rebuilt within about ten steps. Easily overlooked.",
    "Without its second moment Adam divides by next to nothing: the first updates are far too large.",
    "Bias correction treats warm moments as cold and scales the next updates wrongly. Little to see, but "
    "no longer the same run.",
    "Warmup starts again, then the full learning rate, far too high this late.",
    "Other dropout masks: harmless, but the run is no longer reproducible bit for bit.",
    "The first batches again: the loss is too low, because the model has seen them.",
    "The scale starts at its first value: steps overflow and are skipped until it has decreased."};

constexpr std::size_t kInputs = 96;
constexpr std::size_t kBatch = 4;
constexpr double kNoise = 0.5;
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.99;
constexpr double kRate = 0.02;
constexpr std::int64_t kWarmup = 30;
constexpr double kDrop = 0.02;
constexpr double kFirstScale = 65536;
constexpr double kLargest = 65504; // of fp16

using Vector = std::array<double, kInputs>;

double scheduled(std::int64_t step)
{
    const double warm = std::min(1.0, static_cast<double>(step + 1) / kWarmup);
    const double share = std::clamp(static_cast<double>(step - kWarmup) / (kResumeSteps - kWarmup), 0.0, 1.0);
    return kRate * warm * (0.05 + 0.95 * (1 + std::cos(std::numbers::pi * share)) / 2);
}

// Rounded to the 8 bits of a bf16 significand.
double to_bf16(double value)
{
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, 8)), exponent - 8);
}

// All that a checkpoint may hold.
struct TrainingState
{
    Vector weights{};
    Vector momentum{};
    Vector variance{};
    std::int64_t step = 0;     // of bias correction
    std::int64_t schedule = 0; // of the learning rate
    std::uint64_t random = 7;
    std::int64_t data = 0;
    double scale = kFirstScale;
};

TrainingState without(TrainingState now, const std::array<bool, kCheckpointParts>& holds)
{
    const TrainingState fresh;
    const auto has = [&](CheckpointPart part) { return holds[static_cast<std::size_t>(part)]; };
    if (!has(CheckpointPart::master))
    {
        std::transform(now.weights.begin(), now.weights.end(), now.weights.begin(), to_bf16);
    }
    now.weights = has(CheckpointPart::weights) ? now.weights : fresh.weights;
    now.momentum = has(CheckpointPart::momentum) ? now.momentum : fresh.momentum;
    now.variance = has(CheckpointPart::variance) ? now.variance : fresh.variance;
    now.step = has(CheckpointPart::step) ? now.step : fresh.step;
    now.schedule = has(CheckpointPart::schedule) ? now.schedule : fresh.schedule;
    now.random = has(CheckpointPart::random) ? now.random : 4711;
    now.data = has(CheckpointPart::data) ? now.data : fresh.data;
    now.scale = has(CheckpointPart::loss_scale) ? now.scale : fresh.scale;
    return now;
}

Vector truth()
{
    SplitMix random(3);
    Vector w{};
    for (double& value : w)
    {
        value = 0.25 * random.normal();
    }
    return w;
}

class Replay
{
public:
    explicit Replay(TrainingState& state) : s_(state) {}

    // Loss of the batch; `skipped` when the scaled gradient overflows.
    double step(bool& skipped)
    {
        SplitMix data(1000 + static_cast<std::uint64_t>(s_.data));
        SplitMix masks(s_.random);
        s_.random = masks.next();
        Vector gradient{};
        const double loss =
            sum_over(kBatch, [&](std::size_t) { return sample(data, masks, gradient) / kBatch; });
        ++s_.data;
        const double most = largest_over(gradient, [&](double g) { return std::abs(g); });
        skipped = most * s_.scale > kLargest;
        if (skipped)
        {
            s_.scale /= 2;
        }
        else
        {
            update(gradient);
        }
        return loss;
    }

private:
    double sample(SplitMix& data, SplitMix& masks, Vector& gradient) const
    {
        Vector x{};
        double y = kNoise * data.normal();
        double guess = 0;
        for (std::size_t j = 0; j < kInputs; ++j)
        {
            const double value = data.normal();
            y += value * truth_[j];
            x[j] = masks.uniform() < kDrop ? 0 : value / (1 - kDrop);
            guess += s_.weights[j] * x[j];
        }
        const double error = guess - y;
        for (std::size_t j = 0; j < kInputs; ++j)
        {
            gradient[j] += error * x[j] / kBatch;
        }
        return error * error / 2;
    }

    // Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1).
    void update(const Vector& gradient)
    {
        ++s_.step;
        const double rate = scheduled(s_.schedule++);
        const double first = 1 - std::pow(kBeta1, static_cast<double>(s_.step));
        const double second = 1 - std::pow(kBeta2, static_cast<double>(s_.step));
        for (std::size_t j = 0; j < kInputs; ++j)
        {
            s_.momentum[j] = kBeta1 * s_.momentum[j] + (1 - kBeta1) * gradient[j];
            s_.variance[j] = kBeta2 * s_.variance[j] + (1 - kBeta2) * gradient[j] * gradient[j];
            s_.weights[j] -= rate * s_.momentum[j] / first / (std::sqrt(s_.variance[j] / second) + 1e-8);
        }
    }

    TrainingState& s_;
    Vector truth_ = truth();
};

} // namespace

std::string_view says_of(CheckpointPart part)
{
    return kPartSays.at(static_cast<std::size_t>(part));
}

ResumeRun resume_run(const std::array<bool, kCheckpointParts>& holds)
{
    ResumeRun run;
    TrainingState state;
    Replay training(state);
    double smooth = 0;
    for (std::int64_t i = 0; i < kResumeSteps; ++i)
    {
        if (i == kResumeAt)
        {
            state = without(state, holds);
        }
        run.rate.push_back(scheduled(state.schedule));
        bool skipped = false;
        const double loss = training.step(skipped);
        run.skipped += skipped && i >= kResumeAt ? 1 : 0;
        smooth = i == 0 ? loss : smooth + (loss - smooth) / 8;
        run.loss.push_back(loss);
        run.smooth.push_back(smooth);
    }
    return run;
}

} // namespace ringside
