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

bool LossScale::after(bool finite, const Recipe& recipe)
{
    if (!recipe.dynamic_scale)
    {
        return finite;
    }
    if (!finite)
    {
        value = std::max(1.0, value / 2);
        good_steps = 0;
        return false;
    }
    if (++good_steps >= recipe.growth_interval)
    {
        value = std::min(0x1p60, value * 2);
        good_steps = 0;
    }
    return true;
}

} // namespace ringside::trainer
