// What an optimizer step needs beside gradients: the learning rate of the step, clipping, and the loss scale
// that keeps fp16 gradients in range.
#pragma once

#include "core/engine/loss_scale.h"
#include "core/lab/config.h"
#include "core/trainer/operations.h"

namespace ringside::trainer
{

// Of step `step`, counted from 0: warmup_steps up, then half a cosine down to final_share at decay_steps.
double learning_rate(const Recipe& recipe, std::int64_t step);

using ringside::LossScale;
// The rule by which it changes.
LossScaleRule loss_scale_rule(const Recipe& recipe);

// What gradients are multiplied by so that their norm is at most Recipe::clip (Pascanu et al., arXiv
// 1211.5063, algorithm 1).
double clipping(const Recipe& recipe, double gradient_norm);

// The optimizer's numbers of the `updates`-th update, counted from 1; gradients are multiplied by `scale`.
Update update_of(const TrainerConfig& config, std::int64_t updates, double learning_rate, double scale);

} // namespace ringside::trainer
