#include "core/lab/demo_findings.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

// Mean of what is finite in steps first to last, counted from 1; not a number where nothing is.
double mean_loss(const TrainingSnapshot& run, std::int64_t first, std::int64_t last)
{
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t step = std::max<std::int64_t>(1, first); step <= std::min(last, run.step); ++step)
    {
        const auto place = static_cast<std::size_t>((step - 1) / run.loss_stride);
        if (place < run.losses.size() && std::isfinite(run.losses[place]))
        {
            sum += static_cast<double>(run.losses[place]);
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

// The mean loss of the last ten steps.
double final_loss(const TrainingSnapshot& run)
{
    return mean_loss(run, run.step - 9, run.step);
}

std::string bytes(std::int64_t amount)
{
    return format_bytes(Bytes(amount));
}

std::string loss(double value)
{
    return std::isfinite(value) ? fmt::format("{:.2f}", value) : "NaN";
}

std::string power_of_two(double value)
{
    return fmt::format("2^{}", std::lround(std::log2(value)));
}

} // namespace

bool all_ran(LabRuns runs, std::size_t wanted)
{
    return runs.size() == wanted && std::ranges::all_of(runs, [](const auto& run) { return run.step > 0; });
}

DemoFinding not_run(LabRuns runs)
{
    const auto failed =
        std::ranges::find_if(runs, [](const auto& run) { return run.state == RunState::failed; });
    return {0, failed == runs.end() ? "It was ended before there was anything to see."
                                    : "It could not be run: " + failed->message};
}

DemoFinding find_no_master(LabRuns runs)
{
    const double with = final_loss(runs[0]);
    const double without = final_loss(runs[1]);
    const bool diverged = !(without < 1.5 * with);
    return {diverged                ? 2U
            : without > with + 0.02 ? 1U
                                    : 0U,
            fmt::format("The loss ended at {} with the copy and at **{}** without. bf16 keeps 8 bits: an "
                        "update below 1/256 of its weight rounds away. The copy is {} here, 4 bytes per "
                        "parameter; without it the state takes {} instead of {}.",
                        loss(with), loss(without), bytes(runs[0].memory.of(Component::master_weights)),
                        bytes(runs[1].memory.total()), bytes(runs[0].memory.total()))};
}

DemoFinding find_overflow(LabRuns runs)
{
    const TrainingSnapshot& adapts = runs[0];
    const bool trains = adapts.skipped < adapts.step;
    return {
        !trains              ? 2U
        : adapts.skipped > 0 ? 0U
                             : 1U,
        fmt::format("**{} steps were skipped** while the scale halved from 2^24 to **{}**; then the loss "
                    "fell to {}. With the scale fixed at 2^24, {} of {} steps were skipped and it stands at "
                    "{}. Gradients beyond 65 504 are infinite in fp16, so the update has to be left out.",
                    adapts.skipped, power_of_two(adapts.loss_scale), loss(final_loss(adapts)),
                    runs[1].skipped, runs[1].step, loss(final_loss(runs[1])))};
}

DemoFinding find_no_warmup(LabRuns runs)
{
    const double with = final_loss(runs[0]);
    const double without = final_loss(runs[1]);
    return {!std::isfinite(without) ? 2U
            : without > 1.03 * with ? 0U
                                    : 1U,
            fmt::format("After {} steps the loss is {} with warm-up and **{}** without. AdamW\u2019s first "
                        "steps average a single gradient, so they move every weight by the full learning "
                        "rate, {:.2g}, whatever the gradient\u2019s size.",
                        runs[0].step, loss(with), loss(without), runs[1].config.recipe.learning_rate)};
}

DemoFinding find_poisoned(LabRuns runs)
{
    const std::int64_t at = runs[0].config.data.poisoned_step;
    const double before = mean_loss(runs[1], at - 10, at - 1);
    const double after = mean_loss(runs[1], at + 1, at + 10);
    const double clipped = mean_loss(runs[0], at + 1, at + 10);
    const auto place = static_cast<std::size_t>(at - 1);
    const double norm = place < runs[1].norms.size() ? static_cast<double>(runs[1].norms[place]) : 0;
    return {!std::isfinite(final_loss(runs[1])) ? 2U
            : after > clipped + 0.1             ? 0U
                                                : 1U,
            fmt::format(
                "The gradient\u2019s norm at step {} was **{}**. Without clipping the loss went from {} to "
                "**{}** in the ten steps after; clipped at {} it was {}. {} steps later it is {} against {}.",
                at, three_digits(norm), loss(before), loss(after), plain_number(runs[0].config.recipe.clip),
                loss(clipped), runs[1].step - at, loss(final_loss(runs[1])), loss(final_loss(runs[0])))};
}

DemoFinding find_nan(LabRuns runs)
{
    const TrainingSnapshot& run = runs[0];
    const std::string& first = run.first_bad;
    const bool gradient = first.find("gradient") != std::string::npos;
    const bool inside = first.starts_with("layer 2") && first.find("MLP") != std::string::npos;
    return {gradient ? 2U
            : inside ? 0U
                     : 1U,
            first.empty()
                ? "Every number stayed finite."
                : fmt::format("The first is **{}**, found by looking through every tensor of step {} in the "
                              "order they are made. The weight became some 1e36, which a float still holds, "
                              "and a norm behind it divides such rows away: the loss is {}, bad but finite. "
                              "{} steps were skipped since; rewinding restores the weight.",
                              first, run.first_bad_step, loss(final_loss(run)), run.skipped)};
}

DemoFinding find_no_optimizer(LabRuns runs)
{
    const std::int64_t at = runs[0].step / 2;
    double jump = 0;
    for (std::int64_t step = at + 1; step <= std::min(at + 20, runs[1].step); ++step)
    {
        jump = std::max(jump, mean_loss(runs[1], step, step) - mean_loss(runs[0], step, step));
    }
    const double apart = final_loss(runs[1]) - final_loss(runs[0]);
    return {
        jump < 0.02          ? 1U
        : apart < 0.5 * jump ? 0U
                             : 2U,
        fmt::format(
            "Within 20 steps the loss lay **up to {:.2f} above** the undisturbed run; at the end they are "
            "{:+.2f} apart. Without its second moment AdamW normalizes by the first new gradient alone, and "
            "moves every weight by the whole rate again. The moments are {} here, 8 bytes per parameter.",
            jump, apart,
            bytes(runs[0].memory.of(Component::momentum) + runs[0].memory.of(Component::variance)))};
}

DemoFinding find_no_rng(LabRuns runs)
{
    const std::int64_t at = runs[0].step / 2;
    const double before = std::abs(mean_loss(runs[0], at, at) - mean_loss(runs[1], at, at));
    double next = 0;
    for (std::int64_t step = at + 1; step <= at + 10; ++step)
    {
        next = std::max(next, std::abs(mean_loss(runs[0], step, step) - mean_loss(runs[1], step, step)));
    }
    const double apart = final_loss(runs[1]) - final_loss(runs[0]);
    return {next == 0               ? 1U
            : std::abs(apart) < 0.1 ? 0U
                                    : 2U,
            fmt::format(
                "At step {} the losses are {}; in the ten after it they are **up to {:.2f} apart**, since "
                "the batches are others. The last ten steps differ by {:+.2f}. As good a run, but no longer "
                "the same one: a fault cannot be reproduced, and data may be seen twice or never.",
                at, before == 0 ? "the same to the last bit" : "already apart", next, apart)};
}

DemoFinding find_out_of_memory(LabRuns runs)
{
    const TrainingSnapshot& run = runs[0];
    const std::int64_t batch = run.config.training.micro_batch;
    const std::int64_t budget = run.config.memory_budget;
    const auto predicted = static_cast<std::int64_t>(predicted_memory(run.config).total().value);
    if (run.state != RunState::failed)
    {
        return {2, fmt::format("It fitted: {} of {} at a micro-batch of {}.", bytes(run.peak.total()),
                               bytes(budget), batch)};
    }
    return {batch <= 16   ? 0U
            : batch <= 32 ? 1U
                          : 2U,
            fmt::format("**Micro-batch {}** ran out: predicted {} of a budget of {}. Half of it had taken "
                        "{}. Activations grow with the micro-batch, weights and optimizer do not; "
                        "accumulation gives the same batch in the memory of a small one.",
                        batch, bytes(predicted), bytes(budget), bytes(run.peak.total()))};
}

} // namespace ringside
