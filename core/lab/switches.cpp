#include "core/lab/switches.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside
{

namespace
{

constexpr std::int64_t kSplit = 4; // micro-batches in place of one
constexpr double kTooHigh = 30;    // times the learning rate
constexpr double kTooLarge = 0x1p24;
constexpr std::int64_t kUntimed = 2; // steps that make room

std::string on_or_off(bool on)
{
    return on ? "on" : "off";
}
std::string applies(const TrainerConfig& /*config*/)
{
    return {};
}
bool is_half(const TrainerConfig& c)
{
    return c.training.precision == Precision::fp16;
}
std::string needs_half(const TrainerConfig& c)
{
    return is_half(c) ? "" : "Only in fp16: press N first";
}

void turn_flash(TrainerConfig& c)
{
    c.training.flash_attention = !c.training.flash_attention;
}
void put_flash(const TrainerConfig& before, TrainerConfig& c)
{
    c.training.flash_attention = before.training.flash_attention;
}
std::string say_flash(const TrainerConfig& c)
{
    return on_or_off(c.training.flash_attention);
}

void turn_recompute(TrainerConfig& c)
{
    c.training.recompute = c.training.recompute == Recompute::full ? Recompute::none : Recompute::full;
}
void put_recompute(const TrainerConfig& before, TrainerConfig& c)
{
    c.training.recompute = before.training.recompute;
}
std::string say_recompute(const TrainerConfig& c)
{
    return std::string(name_of(c.training.recompute));
}

void put_batch(const TrainerConfig& before, TrainerConfig& c)
{
    c.training.micro_batch = before.training.micro_batch;
    c.training.global_batch = before.training.global_batch;
}
void turn_batch(TrainerConfig& c)
{
    const std::int64_t accumulation = c.accumulation();
    const std::int64_t twice = 2 * c.training.micro_batch;
    c.training.micro_batch = twice > kMostSwitchedBatch ? 1 : twice;
    c.training.global_batch = c.training.micro_batch * accumulation;
}
void turn_accumulation(TrainerConfig& c)
{
    c.training.micro_batch /= kSplit;
}
std::string say_batch(const TrainerConfig& c)
{
    return std::to_string(c.training.micro_batch);
}
std::string say_accumulation(const TrainerConfig& c)
{
    return fmt::format("{} \u00d7 {}", c.training.micro_batch, c.accumulation());
}
std::string needs_four(const TrainerConfig& c)
{
    return c.training.micro_batch % kSplit == 0 ? "" : "Needs a multiple of 4 sequences";
}

void turn_half(TrainerConfig& c)
{
    c.training.precision = Precision::fp16;
}
void put_half(const TrainerConfig& before, TrainerConfig& c)
{
    c.training.precision = before.training.precision;
}
std::string say_half(const TrainerConfig& c)
{
    return std::string(name_of(c.training.precision));
}
std::string needs_other(const TrainerConfig& c)
{
    return is_half(c)                 ? "The run is in fp16 already"
           : !c.recipe.master_weights ? "Needs fp32 weights to go on from"
                                      : "";
}

void turn_unscaled(TrainerConfig& c)
{
    c.recipe.dynamic_scale = false;
    c.recipe.loss_scale = 1;
}
void turn_overflow(TrainerConfig& c)
{
    c.recipe.dynamic_scale = false;
    c.recipe.loss_scale = kTooLarge;
}
void put_scale(const TrainerConfig& before, TrainerConfig& c)
{
    c.recipe.dynamic_scale = before.recipe.dynamic_scale;
    c.recipe.loss_scale = before.recipe.loss_scale;
}
std::string say_scaling(const TrainerConfig& c)
{
    return c.recipe.dynamic_scale ? "on" : c.recipe.loss_scale == 1 ? "off" : "fixed";
}
std::string say_overflow(const TrainerConfig& c)
{
    return on_or_off(!c.recipe.dynamic_scale && c.recipe.loss_scale == kTooLarge);
}

void turn_fused(TrainerConfig& c)
{
    c.recipe.fused = !c.recipe.fused;
}
void put_fused(const TrainerConfig& before, TrainerConfig& c)
{
    c.recipe.fused = before.recipe.fused;
}
std::string say_fused(const TrainerConfig& c)
{
    return on_or_off(c.recipe.fused);
}

void turn_rate(TrainerConfig& c)
{
    c.recipe.learning_rate *= kTooHigh;
}
void put_rate(const TrainerConfig& before, TrainerConfig& c)
{
    c.recipe.learning_rate = before.recipe.learning_rate;
}
std::string say_rate(const TrainerConfig& c)
{
    return fmt::format("{:.2g}", c.recipe.learning_rate);
}
std::string needs_lower(const TrainerConfig& c)
{
    return c.recipe.learning_rate * kTooHigh <= 100 ? "" : "The learning rate is too high already";
}

constexpr std::array kSwitches{
    LabSwitch{.id = "flash",
              .key = "A",
              .title = "Flash attention",
              .predict = "Which grows, memory or time, and by how much?",
              .because =
                  "Without it the T \u00d7 T probabilities of every head are kept for the backward pass.",
              .turn = turn_flash,
              .put_back = put_flash,
              .says = say_flash,
              .refuses = applies},
    LabSwitch{.id = "recompute",
              .key = "C",
              .title = "Recomputation",
              .predict = "How much memory for how much time?",
              .because = "Only each layer\u2019s input is kept; the backward pass runs the forward pass "
                         "again. The losses stay the same to the last bit.",
              .turn = turn_recompute,
              .put_back = put_recompute,
              .says = say_recompute,
              .refuses = applies},
    LabSwitch{.id = kBatchSwitch,
              .key = "D",
              .title = "Micro-batch \u00d7 2",
              .predict = "Will a step take twice as long?",
              .because = "Launches and the update take the same time for any batch, products twice as long.",
              .goes_on = true,
              .turn = turn_batch,
              .put_back = put_batch,
              .says = say_batch,
              .refuses = applies},
    LabSwitch{.id = "accumulation",
              .key = "E",
              .title = "Accumulation",
              .predict = "What happens to memory, time and loss?",
              .because = "The same batch in four parts: activations of one part, four times the launches. "
                         "Losses differ by rounding only.",
              .turn = turn_accumulation,
              .put_back = put_batch,
              .says = say_accumulation,
              .refuses = needs_four},
    LabSwitch{.id = kHalfSwitch,
              .key = "N",
              .title = "Number format",
              .predict = "What halves, and what grows?",
              .because = "Weights and activations take 2 bytes per number; the fp32 master copy is added.",
              .loss = true,
              .zeros = true,
              .turn = turn_half,
              .put_back = put_half,
              .says = say_half,
              .refuses = needs_other},
    LabSwitch{.id = "unscaled",
              .key = "O",
              .title = "Loss scaling",
              .predict = "What fraction of the gradients becomes zero?",
              .because =
                  "fp16 ends at 2\u207b\u00b2\u2074; smaller gradients round to zero and teach nothing.",
              .loss = true,
              .zeros = true,
              .marks = true,
              .turn = turn_unscaled,
              .put_back = put_scale,
              .says = say_scaling,
              .refuses = needs_half},
    LabSwitch{.id = "overflow",
              .key = "V",
              .title = "Loss scale 2\u00b2\u2074",
              .predict = "How many of the next steps are skipped?",
              .because = "fp16 ends at 65 504; a larger gradient is infinite, and the step is skipped.",
              .loss = true,
              .zeros = true,
              .marks = true,
              .turn = turn_overflow,
              .put_back = put_scale,
              .says = say_overflow,
              .refuses = needs_half},
    LabSwitch{.id = "fused",
              .key = "K",
              .title = "Fused kernels",
              .predict = "What do more kernels cost?",
              .because = "The residual is added by a kernel of its own, and each tensor has its own update: "
                         "more launches, more bytes, the same numbers up to rounding.",
              .turn = turn_fused,
              .put_back = put_fused,
              .says = say_fused,
              .refuses = applies},
    LabSwitch{.id = "rate",
              .key = "J",
              .title = "LR spike \u00d730",
              .predict = "Will the loss come back once the rate is restored?",
              .because = "Steps far beyond the curvature\u2019s limit raise the loss. The key restores the "
                         "rate, not the weights: R rewinds to the mark before it.",
              .loss = true,
              .marks = true,
              .turn = turn_rate,
              .put_back = put_rate,
              .says = say_rate,
              .refuses = needs_lower},
};

// [s] of the steps after `first` up to `last`, the median; 0 where none was kept.
double median_seconds(const TrainingSnapshot& run, std::int64_t first, std::int64_t last)
{
    constexpr std::int64_t kMost = 64; // the last ones
    std::vector<float> all;
    for (std::int64_t i = std::ssize(run.seconds) - 1; i >= 0 && std::ssize(all) < kMost; --i)
    {
        const std::int64_t step = 1 + i * run.loss_stride;
        if (step > first && step <= last)
        {
            all.push_back(run.seconds[static_cast<std::size_t>(i)]);
        }
    }
    if (all.empty())
    {
        return 0;
    }
    const auto middle = all.begin() + std::ssize(all) / 2;
    std::nth_element(all.begin(), middle, all.end());
    return static_cast<double>(*middle);
}

// Share of numbers whose power of two is below `power`, zeros included; none where nothing was counted.
std::optional<double> share_below(const ExponentHistogram& h, int power)
{
    const auto all = sum_over<std::int64_t>(h.counts);
    const auto bins = static_cast<std::size_t>(std::clamp(power + 127, 1, 255));
    return all == 0
               ? std::nullopt
               : std::optional(static_cast<double>(sum_over<std::int64_t>(std::span(h.counts).first(bins))) /
                               static_cast<double>(all));
}

// The exponent of the largest finite number.
std::optional<int> largest_power(const ExponentHistogram& h)
{
    for (int bin = 254; bin > 0; --bin)
    {
        if (h.counts.at(static_cast<std::size_t>(bin)) > 0)
        {
            return bin - 127;
        }
    }
    return {};
}

// Knobs that change no step's time.
bool takes_no_time(const std::string& knob)
{
    return knob == "micro-batch" || knob == "learning rate" || knob == "clip" || knob == "weight decay" ||
           knob == "final share" || knob == "warmup steps" || knob == "decay steps";
}

} // namespace

std::span<const LabSwitch> lab_switches()
{
    return kSwitches;
}

std::int64_t last_change(const TrainingSnapshot& run)
{
    return run.changes.empty() ? 0 : run.changes.back().step;
}

LabFigures figures_of(const TrainingSnapshot& run, std::int64_t since)
{
    LabFigures f;
    f.steps = std::max<std::int64_t>(0, run.step - since);
    f.skipped = run.skipped;
    if (f.steps == 0)
    {
        return f;
    }
    f.memory = run.highest.state() + run.highest.of(Component::activations);
    f.peak = run.peak.total();
    f.seconds = median_seconds(run, since + kUntimed, run.step);
    const auto shown = static_cast<std::size_t>(std::clamp<std::int64_t>(
        f.steps / run.loss_stride, 1, std::min<std::int64_t>(10, std::ssize(run.losses))));
    const auto last = std::span(run.losses).last(std::min(shown, run.losses.size()));
    f.loss = sum_over(last, [](float loss) { return static_cast<double>(loss); }) /
             static_cast<double>(std::max<std::size_t>(1, last.size()));
    if (run.counted_step > since)
    {
        f.zeros = share_below(run.activation_gradients, -24);
    }
    return f;
}

LabFigures figures_after(const LabTrial& trial, const TrainingSnapshot& run)
{
    return last_change(run) >= trial.step && !run.changes.empty() ? figures_of(run, last_change(run))
                                                                  : LabFigures{.skipped = run.skipped};
}

SwitchForecast forecast_of(const LabPrediction& now, const LabPrediction& next, const TrainingSnapshot* run)
{
    const auto kept = [](const MemoryUse& use) { return use.state() + use.of(Component::activations); };
    SwitchForecast f{.memory = kept(next.memory),
                     .memory_now = kept(now.memory),
                     .peak = next.memory.total(),
                     .peak_now = now.memory.total(),
                     .seconds = next.step_seconds,
                     .seconds_now = now.step_seconds};
    if (run == nullptr || !next.of || !is_half(*next.of))
    {
        return f;
    }
    const ExponentHistogram& counted = run->activation_gradients;
    if (counted.counts.back() > 0)
    {
        return f; // what has overflowed tells nothing of the rest
    }
    const double ratio = next.of->recipe.loss_scale / run->counted_scale;
    const auto moved = static_cast<int>(std::lround(std::log2(ratio)));
    f.zeros = share_below(counted, -25 - moved);
    const auto largest = largest_power(counted);
    f.overflows = largest && *largest + moved > 15;
    f.halvings = f.overflows ? *largest + moved - 15 : 0;
    return f;
}

std::vector<BatchPoint> batch_points(const TrainingSnapshot& run)
{
    std::map<std::int64_t, double> found;
    std::int64_t batch = run.config.training.micro_batch;
    std::int64_t last = run.step;
    const auto note = [&](std::int64_t since)
    {
        const double seconds = median_seconds(run, since + kUntimed, last);
        if (seconds > 0)
        {
            found.emplace(batch, seconds); // the newest of equal ones
        }
        last = since;
    };
    for (auto change = run.changes.rbegin(); change != run.changes.rend(); ++change)
    {
        note(change->step);
        if (!takes_no_time(change->knob))
        {
            last = 0;
            break;
        }
        batch = change->knob == "micro-batch" ? std::stoll(change->from) : batch;
    }
    if (last > 0)
    {
        note(0);
    }
    std::vector<BatchPoint> points;
    for (const auto& [size, seconds] : found)
    {
        points.push_back({size, seconds});
    }
    return points;
}

BatchForecast batch_forecast(const TrainerConfig& config, const std::optional<Gpu>& device)
{
    BatchForecast f;
    TrainerConfig at = config;
    for (std::int64_t batch = 1; device && batch <= kMostSwitchedBatch; batch *= 2)
    {
        at.training.micro_batch = batch;
        at.training.global_batch = batch * config.accumulation();
        const LabPrediction p = prediction_of(at, device);
        f.points.push_back({batch, p.flops, p.step_seconds, p.fixed_seconds});
    }
    return f;
}

} // namespace ringside
