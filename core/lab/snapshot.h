// What a running training shows: plain values, published by the trainer, copied by readers.
#pragma once

#include "core/base/ranges.h"
#include "core/lab/change.h"
#include "core/lab/kernel_times.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

// What stays between steps.
inline constexpr std::array kStateComponents{Component::weights, Component::gradients,
                                             Component::master_weights, Component::momentum,
                                             Component::variance};

// Bytes the trainer has allocated, by component.
struct MemoryUse
{
    std::array<std::int64_t, kComponents> parts{}; // [B] by Component

    std::int64_t of(Component component) const { return parts[static_cast<std::size_t>(component)]; }
    std::int64_t& of(Component component) { return parts[static_cast<std::size_t>(component)]; }
    std::int64_t total() const { return sum_over<std::int64_t>(parts); }
    std::int64_t state() const
    {
        return sum_over<std::int64_t>(kStateComponents, [this](Component c) { return of(c); });
    }
    bool operator==(const MemoryUse&) const = default;
};

// A moment of one optimizer step at which memory is written down.
struct MemoryMoment
{
    enum class Where : std::uint8_t
    {
        start,
        embedding, // forward
        forward,   // of a layer
        head,      // norm, output projection and loss, forward and backward
        backward,  // of a layer
        update
    };
    Where where = Where::start;
    std::int64_t layer = 0; // of forward and backward
    std::int64_t micro_batch = 0;
    MemoryUse use;
};

// How often each exponent of a float occurs: bin 0 counts zeros and what is below 2^-126, bin e values from
// 2^(e-127) to its double, bin 255 what is not finite.
struct ExponentHistogram
{
    std::array<std::int64_t, 256> counts{};
};

// Where a layer's tokens went in a step. Shares are of all (token, choice) pairs, so wanted adds up to 1.
struct LayerRouting
{
    std::vector<float> wanted; // [expert] chose it
    std::vector<float> taken;  // [expert] of them, it had room for
    double balance = 1;        // E sum f_i P_i, mean over sequences: 1 when even

    double dropped() const
    {
        return std::max(0.0, std::accumulate(wanted.begin(), wanted.end(), 0.0) -
                                 std::accumulate(taken.begin(), taken.end(), 0.0));
    }
    // The busiest expert's share over the mean, less 1 (MaxVio: Wang et al., arXiv 2408.15664, equation 4).
    double violation() const
    {
        return wanted.empty() ? 0
                              : static_cast<double>(*std::ranges::max_element(wanted)) *
                                        static_cast<double>(wanted.size()) -
                                    1;
    }
    bool operator==(const LayerRouting&) const = default;
};

// What the routing of all layers of a step comes to.
struct WholeRouting
{
    double dropped = 0;   // share of (token, choice) pairs, mean over layers
    double violation = 0; // of the least even layer
};
inline WholeRouting whole_routing(const std::vector<LayerRouting>& layers)
{
    WholeRouting whole;
    for (const LayerRouting& layer : layers)
    {
        whole.dropped += layer.dropped() / static_cast<double>(layers.size());
        whole.violation = std::max(whole.violation, layer.violation());
    }
    return whole;
}

// Series with a value for every `stride` steps of a run; when there are too many, every second one goes.
template <class... Series>
void thin_out(std::int64_t& stride, Series&... series)
{
    constexpr std::size_t kMost = 4096;
    const auto halve = [](auto& points)
    {
        for (std::size_t i = 0; 2 * i < points.size(); ++i)
        {
            points[i] = points[2 * i];
        }
        points.resize((points.size() + 1) / 2);
    };
    if ((series.size() + ...) >= kMost * sizeof...(series))
    {
        (halve(series), ...);
        stride *= 2;
    }
}

enum class RunState : std::uint8_t
{
    running,
    paused,
    stopped,
    failed // the message says why
};

struct LabEvent
{
    std::int64_t step = 0;
    std::string text; // "the gradient overflowed: step skipped, loss scale 32 768"
};

struct TrainingSnapshot
{
    RunState state = RunState::paused;
    std::string message; // why it failed, or what the device is
    TrainerConfig config;
    std::string device; // "CPU, 2 threads, AVX2"
    bool on_gpu = false;

    std::int64_t step = 0;    // steps done, skipped ones included
    std::int64_t skipped = 0; // because of an overflow
    double loss = 0;          // nats per token, of the last step
    double smoothed_loss = 0; // mean with a memory of about 20 steps
    double gradient_norm = 0; // before clipping, loss scale taken out
    // [tokens] of the last hundred steps; empty: too few, or no two micro-batches in a step
    std::optional<double> noise_scale;
    double learning_rate = 0; // of the last step
    double loss_scale = 1;
    double step_seconds = 0;      // of the last step
    double tokens_per_second = 0; // smoothed
    double flops_per_second = 0;  // smoothed; the engine's model FLOPs over the step's seconds
    std::vector<float> losses;    // of every step so far, thinned out to a few thousand
    std::vector<float> norms;     // of the gradient, at the same steps
    std::vector<float> rates;     // of learning
    std::vector<float> seconds;   // of the steps
    std::int64_t loss_stride = 1; // steps between two of them

    std::vector<LayerRouting> experts; // of the last step, by layer; empty without experts
    KernelTimes kernels;               // of the step that was timed last

    MemoryUse memory;  // when the last step was over
    MemoryUse peak;    // at the moment of its largest total
    MemoryUse highest; // of each component, the most it ever was in the step
    std::vector<MemoryMoment> timeline;
    std::int64_t counted_step = 0; // the last that was looked at: what follows is of it, as stored
    double counted_scale = 1;      // its loss scale
    ExponentHistogram activations;
    ExponentHistogram activation_gradients;
    ExponentHistogram weight_gradients;

    std::string sample; // text drawn from the model
    std::int64_t sample_step = 0;
    std::vector<std::int64_t> marks; // steps that rewinding can go back to
    std::vector<LabEvent> events;    // the last few
    std::vector<KnobChange> changes; // of this run, in order
    std::string first_bad;           // where the first number that is not finite came from; empty: none was
    std::int64_t first_bad_step = 0;
};

} // namespace ringside
