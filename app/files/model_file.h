// A model's file wherever a scenario names a preset.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace ringside
{

// Puts the shape that a file holds in the place of its name, `"model": "my/config.json"` or
// `"model": {"preset": "my.json", ...}`; names that do not end in .json are presets and stay. A name is
// looked for in the scenario's folder, then where the program was started. Notes say what the shape leaves
// out.
Issues take_model_file(nlohmann::json& scenario, const std::filesystem::path& folder, Issues& notes);

} // namespace ringside
