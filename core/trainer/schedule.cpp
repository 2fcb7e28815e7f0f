#include "core/trainer/schedule.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer
{

double learning_rate(const Recipe& recipe, std::int64_t step)
{
    if (step < recipe.warmup_steps)
    {
        return recipe.learning_rate * static_cast<double>(step + 1) /
               static_cast<double>(recipe.warmup_steps);
    }
    if (recipe.decay_steps <= recipe.warmup_steps)
    {
        return recipe.learning_rate;
    }
    const double way = std::min(1.0, static_cast<double>(step - recipe.warmup_steps) /
                                         static_cast<double>(recipe.decay_steps - recipe.warmup_steps));
    const double share = (1 + std::cos(3.141592653589793 * way)) / 2;
    return recipe.learning_rate * (recipe.final_share + (1 - recipe.final_share) * share);
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
    return recipe.clip > 0 && gradient_norm > recipe.clip ? recipe.clip / gradient_norm : 1;
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

} // namespace ringside::trainer
