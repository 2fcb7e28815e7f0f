#include "core/lab/demos.h"

#include "core/lab/demo_findings.h"

namespace ringside
{

namespace
{

using Runs = std::vector<LabRunPlan>;

constexpr std::int64_t kShort = 60; // steps
constexpr std::int64_t kLong = 160;
constexpr std::int64_t kFaultAt = 80;

// Without a schedule, so that nothing but the demonstration's own change moves the curves.
TrainerConfig steady(TrainerConfig c)
{
    c.recipe.decay_steps = 0;
    return c;
}

TrainerConfig in_bf16(TrainerConfig c)
{
    c.training.precision = Precision::bf16;
    return c;
}

Runs no_master(const TrainerConfig& base)
{
    TrainerConfig with = in_bf16(steady(base));
    with.recipe.learning_rate = 1e-5;
    TrainerConfig without = with;
    without.recipe.master_weights = false;
    return {{"fp32 master copy", with, kLong}, {"bf16 alone", without, kLong}};
}

Runs overflow(const TrainerConfig& base)
{
    TrainerConfig scaled = steady(base);
    scaled.training.precision = Precision::fp16;
    scaled.recipe.loss_scale = 0x1p24;
    TrainerConfig fixed = scaled;
    fixed.recipe.dynamic_scale = false;
    return {{"scale adapts", scaled, kShort}, {"scale stays 2^24", fixed, kShort}};
}

Runs no_warmup(const TrainerConfig& base)
{
    TrainerConfig with = steady(base);
    with.recipe.learning_rate = 1e-2;
    with.recipe.warmup_steps = 60;
    TrainerConfig without = with;
    without.recipe.warmup_steps = 0;
    return {{"60 steps of warm-up", with, kLong}, {"none", without, kLong}};
}

Runs poisoned(const TrainerConfig& base)
{
    TrainerConfig clipped = steady(base);
    clipped.training.optimizer = Optimizer::sgd_momentum;
    clipped.recipe.learning_rate = 0.1;
    clipped.recipe.clip = 0.5;
    clipped.data.poisoned_step = kFaultAt;
    TrainerConfig open = clipped;
    open.recipe.clip = 0;
    return {{"clipped at 0.5", clipped, kLong}, {"not clipped", open, kLong}};
}

Runs nan_hunt(const TrainerConfig& base)
{
    const TrainerConfig c = steady(base);
    return {{"one bit flips", c, kFaultAt + 20, {{kFaultAt, Intervention::Kind::damage_weight, {}, 1}}}};
}

Runs no_optimizer_state(const TrainerConfig& base)
{
    const TrainerConfig c = steady(base);
    return {{"whole checkpoint", c, kLong},
            {"weights alone", c, kLong, {{kFaultAt, Intervention::Kind::forget_optimizer}}}};
}

Runs no_rng(const TrainerConfig& base)
{
    const TrainerConfig c = steady(base);
    TrainerConfig other = c;
    other.seed = c.seed + 1;
    return {{"whole checkpoint", c, kLong},
            {"other random numbers", c, kLong, {{kFaultAt, Intervention::Kind::turn_knobs, other}}}};
}

Runs out_of_memory(const TrainerConfig& base)
{
    TrainerConfig c = steady(base);
    c.memory_budget = 16'000'000;
    c.training.micro_batch = c.training.global_batch = 4;
    LabRunPlan run{"twice the batch every 15 steps", c, 150};
    for (std::int64_t step = 15; step < run.steps; step += 15)
    {
        c.training.micro_batch = c.training.global_batch = 2 * c.training.micro_batch;
        run.plan.push_back({step, Intervention::Kind::turn_knobs, c});
    }
    return {run};
}

constexpr std::array kDemos{
    LabDemo{"no-master",
            "F2",
            "bf16, no master copy",
            "160 steps in bf16 at a learning rate of 1e-5: with an fp32 copy of the weights, then without.",
            "What happens without the fp32 copy?",
            {"It learns as well", "Small updates are lost", "It diverges"},
            no_master,
            found<find_no_master>},
    LabDemo{"overflow",
            "F3",
            "fp16 overflow",
            "60 steps in fp16 with the loss multiplied by 2^24: the scale adapts, then stays.",
            "fp16 ends at 65 504. What will the first steps do?",
            {"Be skipped, then train", "Train from the start", "Never train"},
            overflow,
            found<find_overflow>},
    LabDemo{"no-warmup",
            "F4",
            "no warm-up",
            "160 steps at a high learning rate: reached over 60 steps, then from the first step.",
            "What will starting at the full rate do?",
            {"Train worse", "Train as well", "Make the loss NaN"},
            no_warmup,
            found<find_no_warmup>},
    LabDemo{"poison",
            "F6",
            "poisoned batch, no clip",
            "Step 80 gets a damaged batch, one symbol over and over: with clipping, then without.",
            "What will one bad batch do without clipping?",
            {"Set the run back", "Hardly anything", "Make the loss NaN"},
            poisoned,
            found<find_poisoned>},
    LabDemo{"nan",
            "F7",
            "NaN hunt",
            "After 80 steps one bit flips: an exponent in layer 2\u2019s first MLP matrix.",
            "Which tensor will be the first that is not finite?",
            {"In the MLP of layer 2", "After layer 2", "A gradient"},
            nan_hunt,
            found<find_nan, 1>},
    LabDemo{"no-optimizer",
            "F8",
            "resume, no optimizer",
            "160 steps, then the same with the moments lost at step 80, as by saving weights alone.",
            "What will the loss do after resuming?",
            {"Jump, then recover", "Continue unchanged", "Never recover"},
            no_optimizer_state,
            found<find_no_optimizer>},
    LabDemo{"no-rng",
            "F9",
            "resume, no RNG state",
            "160 steps, then the same with other random numbers from step 80 on: other batches.",
            "What will the losses do after resuming?",
            {"Differ, as good", "Be the same bits", "Be worse for good"},
            no_rng,
            found<find_no_rng>},
    LabDemo{"oom",
            "F10",
            "batch against memory",
            "A budget of 16 MB, and a micro-batch of 4 that doubles every 15 steps.",
            "At which micro-batch will memory run out?",
            {"16", "32", "64"},
            out_of_memory,
            found<find_out_of_memory, 1>},
};

} // namespace

std::span<const LabDemo> lab_demos()
{
    return kDemos;
}

} // namespace ringside
