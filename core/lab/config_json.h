// What the lab trains as JSON, in and out, and one field changed by its path.
#pragma once

#include "core/base/json/json.h"
#include "core/lab/config.h"

namespace ringside
{

// {"scenario", "recipe", "data", "seed"}; the text itself is left out.
nlohmann::json to_json(const TrainerConfig& config);
// Every fault with its path. The text is not there: it must be put back.
Result<TrainerConfig> trainer_config_from_json(const nlohmann::json& json);

// "recipe.clip=0.5", "model.gated_mlp=true", "training.recompute=full".
Result<TrainerConfig> with_setting(const TrainerConfig& config, std::string_view assignment);

} // namespace ringside
