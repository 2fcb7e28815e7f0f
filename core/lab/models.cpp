#include "core/lab/models.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array kModels{
    LabModel{"Tiny", 2, 64, 4, 64, 8, 4e-3},
    LabModel{"Small", 4, 128, 4, 64, 8, 3e-3},
    LabModel{"Small, 8 experts", 4, 128, 4, 64, 8, 3e-3, 8},
    LabModel{"Medium", 4, 256, 8, 128, 8, 1e-3},
    // Radford et al. (2019); with the lab's own symbols in place of 50,257 it has 86 M parameters, not 124 M.
    LabModel{"GPT-2 124M\u2019s blocks", 12, 768, 12, 1024, 1, 6e-4},
};

} // namespace

std::span<const LabModel> lab_models()
{
    return kModels;
}

TrainerConfig with_model(TrainerConfig config, const LabModel& model)
{
    config.model.layers = model.layers;
    config.model.hidden = model.hidden;
    config.model.heads = model.heads;
    config.model.head_dim = config.model.kv_heads = config.model.ffn = 0;
    config.model.experts = model.experts;
    config.model.experts_per_token = model.experts > 0 ? 2 : 0;
    config.model.expert_ffn = model.experts > 0 ? 2 * model.hidden : 0;
    config.training.sequence_length = model.context;
    config.training.micro_batch = config.training.global_batch = model.micro_batch;
    config.recipe.learning_rate = model.learning_rate;
    return config;
}

std::optional<std::size_t> model_of(const TrainerConfig& config)
{
    const auto found =
        std::ranges::find_if(kModels,
                             [&](const LabModel& m)
                             {
                                 return m.layers == config.model.layers && m.hidden == config.model.hidden &&
                                        m.experts == config.model.experts && m.heads == config.model.heads;
                             });
    if (found == kModels.end())
    {
        return {};
    }
    return static_cast<std::size_t>(found - kModels.begin());
}

} // namespace ringside
