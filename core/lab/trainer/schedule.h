// What a step needs beside gradients: what the losses count, the learning rate, clipping, and the loss scale
// that keeps fp16 gradients in range; and what experts' tallies come to.
#pragma once

#include "core/lab/snapshot.h"
#include "core/lab/trainer/operations.h"
#include "core/training/loss_scale.h"

namespace ringside::trainer
{

// The learning rate of step `step`, counted from 0: warmup_steps up, then half a cosine down to final_share
// at decay_steps.
double learning_rate(const Recipe& recipe, std::int64_t step);

using ringside::LossScale;
// The rule by which it changes.
LossScaleRule loss_scale_rule(const Recipe& recipe);

// What gradients are multiplied by so that their norm is at most Recipe::clip (Pascanu et al., arXiv
// 1211.5063, algorithm 1).
double clipping(const Recipe& recipe, double gradient_norm);

// The optimizer's numbers of the `updates`-th update, counted from 1; gradients are multiplied by `scale`.
Update update_of(const TrainerConfig& config, std::int64_t updates, double learning_rate, double scale);

// What a gradient is of: the losses of all targets, each times `target`, and the balance losses of all
// sequences in every layer with experts, each times `balance`.
struct LossWeights
{
    float target = 1;
    float balance = 0;
    bool operator==(const LossWeights&) const = default;
};

// `asked`: targets of the whole step.
LossWeights loss_weights(const TrainerConfig& config, double loss_scale, std::int64_t asked);
// From the tallies of all layers, summed over the sequences of a whole step.
std::vector<LayerRouting> routing_of(const TrainerConfig& config, const std::vector<double>& tallies);

} // namespace ringside::trainer
