#include "core/lab/trainer/schedule.h"

#include "core/training/learning_rate.h"

#include <cmath>

namespace ringside::trainer
{

double learning_rate(const Recipe& recipe, std::int64_t step)
{
    RateSchedule schedule;
    schedule.peak = recipe.learning_rate;
    schedule.final_share = recipe.final_share;
    schedule.warmup = recipe.warmup_steps;
    schedule.end = recipe.decay_steps;
    schedule.decay = Decay::cosine;
    return ringside::learning_rate(schedule, step);
}

LossScaleRule loss_scale_rule(const Recipe& recipe)
{
    LossScaleRule rule;
    rule.dynamic = recipe.dynamic_scale;
    rule.growth_interval = recipe.growth_interval;
    return rule;
}

double clipping(const Recipe& recipe, double gradient_norm)
{
    return clip_factor(gradient_norm, recipe.clip);
}

Update update_of(const TrainerConfig& config, std::int64_t updates, double learning_rate, double scale)
{
    const Recipe& r = config.recipe;
    const bool adamw = config.training.optimizer == Optimizer::adamw;
    Update update;
    update.rule = adamw ? UpdateRule::adamw : UpdateRule::sgd;
    update.learning_rate = static_cast<float>(learning_rate);
    update.beta1 = static_cast<float>(adamw ? r.beta1 : r.momentum);
    update.beta2 = static_cast<float>(r.beta2);
    update.epsilon = static_cast<float>(r.epsilon);
    update.weight_decay = static_cast<float>(r.weight_decay);
    update.correction1 = static_cast<float>(1 - std::pow(r.beta1, static_cast<double>(updates)));
    update.correction2 = static_cast<float>(1 - std::pow(r.beta2, static_cast<double>(updates)));
    update.gradient_scale = static_cast<float>(scale);
    return update;
}

LossWeights loss_weights(const TrainerConfig& config, double loss_scale, std::int64_t asked)
{
    const auto sequences = static_cast<double>(config.training.global_batch);
    return {static_cast<float>(loss_scale / static_cast<double>(asked)),
            static_cast<float>(loss_scale * config.recipe.balance_loss / sequences)};
}

std::vector<LayerRouting> routing_of(const TrainerConfig& config, const std::vector<double>& tallies)
{
    const auto experts = static_cast<std::size_t>(config.model.experts);
    const auto width = static_cast<std::size_t>(Route::tally_width(config.model.experts));
    const auto sequences = static_cast<double>(config.training.global_batch);
    const double pairs =
        sequences * static_cast<double>(config.training.sequence_length * config.model.experts_per_token);
    std::vector<LayerRouting> layers;
    for (std::size_t first = 0; first + width <= tallies.size(); first += width)
    {
        LayerRouting& layer = layers.emplace_back();
        for (std::size_t i = 0; i < experts; ++i)
        {
            layer.wanted.push_back(static_cast<float>(tallies[first + i] / pairs));
            layer.taken.push_back(static_cast<float>(tallies[first + experts + i] / pairs));
        }
        layer.balance = tallies[first + 2 * experts] / sequences;
    }
    return layers;
}

} // namespace ringside::trainer
