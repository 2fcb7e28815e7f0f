// What an optimizer step needs beside gradients: the learning rate of the step, clipping, and the loss scale
// that keeps fp16 gradients in range.
#pragma once

#include "core/lab/config.h"
#include "core/trainer/operations.h"

namespace ringside::trainer
{

// Of step `step`, counted from 0: a line up to learning_rate over warmup_steps, then half a cosine down to
// final_share of it at decay_steps (Loshchilov and Hutter, arXiv 1608.03983, equation 5, without restarts).
double learning_rate(const Recipe& recipe, std::int64_t step);

// Dynamic loss scaling (Micikevicius et al., arXiv 1710.03740, section 3.2): halved when a gradient is not
// finite, doubled after growth_interval good steps in a row; at least 1, at most 2^60.
struct LossScale
{
    double value = 1;
    std::int64_t good_steps = 0;

    // Returns whether the step may be made.
    bool after(bool finite, const Recipe& recipe);
    bool operator==(const LossScale&) const = default;
};

// What gradients are multiplied by so that their norm is at most Recipe::clip (Pascanu et al., arXiv
// 1211.5063, algorithm 1).
double clipping(const Recipe& recipe, double gradient_norm);

// The optimizer's numbers of the `updates`-th update, counted from 1; gradients are multiplied by `scale`.
Update update_of(const TrainerConfig& config, std::int64_t updates, double learning_rate, double scale);

} // namespace ringside::trainer
