#include "ui/views/lab/lab/words.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

bool same_state_bytes(const MemoryUse& a, const MemoryUse& b)
{
    return std::ranges::all_of(kStateComponents, [&](Component c) { return a.of(c) == b.of(c); });
}

std::string bytes(std::int64_t amount)
{
    return format_bytes(Bytes(amount));
}

std::string memory_sentence(const LabRun& run)
{
    const TrainingSnapshot& s = *run.snapshot;
    const MemoryUse& p = run.predicted.memory;
    const std::string state = same_state_bytes(p, s.highest)
                                  ? "Model states match **to the byte**"
                                  : "Model states are off by " + off_by(p.state(), s.highest.state());
    const std::int64_t activations = s.highest.of(Component::activations);
    // The table has them at the moment when all together are most, which comes a little later.
    return fmt::format(
        "{}; activations {} at their own peak, {} when all together peak at **{}**, predicted **{}**.", state,
        p.of(Component::activations) == activations
            ? "match too"
            : "are off by " + off_by(p.of(Component::activations), activations),
        off_by(p.of(Component::activations), s.peak.of(Component::activations)), bytes(s.peak.total()),
        bytes(p.total()));
}

std::string utilization_formula(const LabFrame& lab)
{
    const TrainingSnapshot& s = *lab.a.snapshot;
    if (!lab.rate || s.flops_per_second <= 0)
    {
        return {};
    }
    const double seconds = lab.a.predicted.flops / s.flops_per_second;
    return fmt::format("MFU = {} FLOPs / {} / {} = {};  ", format_count(lab.a.predicted.flops),
                       format_seconds(Seconds(seconds)), format_flops(lab.rate->product_flops),
                       format_percent(s.flops_per_second / lab.rate->product_flops));
}

} // namespace

std::string format_flops(double per_second)
{
    constexpr std::array kNames{"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"};
    std::size_t unit = 0;
    while (per_second >= 999.5 && unit + 1 < kNames.size())
    {
        per_second /= 1000;
        ++unit;
    }
    return fmt::format("{} {}", three_digits(per_second), kNames.at(unit));
}

std::string format_rate(double per_second)
{
    return per_second >= 1e6   ? fmt::format("{} M", three_digits(per_second / 1e6))
           : per_second >= 1e4 ? fmt::format("{:.0f} k", per_second / 1e3)
           : per_second >= 1e3 ? fmt::format("{:.1f} k", per_second / 1e3)
                               : three_digits(per_second);
}

std::string off_by(std::int64_t predicted, std::int64_t measured)
{
    if (predicted == measured)
    {
        return "0 B";
    }
    if (predicted == 0)
    {
        return "+" + bytes(measured);
    }
    const double share = static_cast<double>(measured - predicted) / static_cast<double>(predicted);
    return fmt::format("{}{:.1f}%", share < 0 ? "\u2212" : "+", std::abs(100 * share));
}

std::string change_words(const TrainingSnapshot& run)
{
    std::string words;
    const KnobChange* before = nullptr;
    for (const KnobChange& change : run.changes)
    {
        const bool back = before != nullptr && before->knob == change.knob && before->from == change.to;
        words += words.empty() ? "" : ", ";
        words +=
            back ? fmt::format("back at step {}", change.step)
                 : fmt::format("{} {} to {} at step {}", change.knob, change.from, change.to, change.step);
        before = &change;
    }
    return words;
}

std::string noise_words(const TrainingSnapshot& run)
{
    const TrainerConfig& c = run.config;
    const auto batch = static_cast<double>(c.training.global_batch * c.training.sequence_length);
    const std::string now = fmt::format("A batch is {} tokens. ", format_count(batch));
    if (!run.noise_scale)
    {
        return now +
               (c.accumulation() > 1
                    ? "The noise scale is being measured: it takes some steps, and gradients that differ."
                    : "Accumulate two micro-batches or more, and the noise scale is measured.");
    }
    const std::string scale =
        fmt::format("{}The noise scale is about {} tokens: ", now, format_count(*run.noise_scale));
    // At half of it a step learns a third of what it could without noise, at twice it two thirds.
    return scale + (batch < *run.noise_scale / 2   ? "larger batches still save steps."
                    : batch > *run.noise_scale * 2 ? "a smaller one would learn nearly as much per step."
                                                   : "a larger batch gains little.");
}

std::string model_words(const LabRun& run)
{
    const TrainerConfig& c = run.config;
    const Training& t = c.training;
    const std::string accumulated = c.accumulation() > 1 ? fmt::format(" \u00d7 {}", c.accumulation()) : "";
    return fmt::format("{} layers of width {}, {} parameters, on {}: {}{} \u00d7 {} tokens per step, {}, {}.",
                       c.model.layers, c.model.hidden,
                       format_count(static_cast<double>(run.predicted.parameters)),
                       c.data.task == LabTask::text ? c.data.name : std::string(name_of(c.data.task)),
                       t.micro_batch, accumulated, t.sequence_length,
                       t.optimizer == Optimizer::adamw ? "AdamW" : "SGD with momentum", name_of(t.precision));
}

Caption lab_caption(const LabFrame& lab)
{
    if (!lab.started())
    {
        return {"Predict first: memory, time and loss stand next to what is measured as soon as it runs.",
                "state = weights + gradients + momentum + variance + master copy, to the byte", ""};
    }
    const TrainingSnapshot& s = *lab.a.snapshot;
    if (s.state == RunState::failed)
    {
        return {"!!It stopped!!: " + s.message, "", ""};
    }
    if (s.step == 0)
    {
        return {s.message.empty() ? model_words(lab.a) : s.message, "", ""};
    }
    const std::int64_t state = s.memory.state();
    const double each = static_cast<double>(state) /
                        static_cast<double>(std::max<std::int64_t>(1, lab.a.predicted.parameters));
    return {
        memory_sentence(lab.a),
        utilization_formula(lab) + fmt::format("state = {} B \u00d7 {} = {}", plain_number(each),
                                               format_count(static_cast<double>(lab.a.predicted.parameters)),
                                               bytes(state)),
        "FLOPs: Korthikanti et al., arXiv 2205.05198, equation 7. The peak is this device\u2019s rate on a "
        "large GEMM, measured when the lab was opened."};
}

std::vector<std::string> lab_facts(const LabFrame& lab, ByteUnit unit)
{
    std::vector<std::string> facts;
    if (!lab.fault.empty())
    {
        facts.push_back(lab.fault);
    }
    if (lab.measuring)
    {
        facts.emplace_back("measuring the device");
    }
    if (!lab.started())
    {
        facts.push_back(lab.device);
        return facts;
    }
    const TrainingSnapshot& s = *lab.a.snapshot;
    facts.push_back(s.device.substr(0, s.device.rfind(", ")));
    facts.push_back(fmt::format("step {}", grouped(s.step)));
    if (s.step_seconds > 0)
    {
        if (s.tokens_per_second > 0) // of the same smoothed steps as the cards
        {
            const auto& t = s.config.training;
            const auto tokens = static_cast<double>(t.global_batch * t.sequence_length);
            facts.push_back(
                fmt::format("{} per step", format_seconds(Seconds(tokens / s.tokens_per_second))));
        }
        facts.push_back(lab.capacity > 0 ? fmt::format("{} of {}", format_bytes(Bytes(s.peak.total()), unit),
                                                       format_bytes(Bytes(lab.capacity), unit))
                                         : format_bytes(Bytes(s.peak.total()), unit));
    }
    return facts;
}

std::optional<double> at_step(const TrainingSnapshot& run, std::span<const float> series, std::int64_t step)
{
    const std::int64_t place = (step - 1) / run.loss_stride;
    if (step < 1 || place >= std::ssize(series))
    {
        return {};
    }
    return static_cast<double>(series[static_cast<std::size_t>(place)]);
}

} // namespace ringside
