// Scenarios as JSON (schema ringside.scenario/1), in and out, with every fault named by path.
#pragma once

#include "core/base/json/json_text.h"
#include "core/scenario/presets.h"

#include <string_view>

namespace ringside
{

// Reads a scenario and checks every field's type, name and range. Does not check that the fields agree: see
// validate().
Result<Scenario> scenario_from_json(const nlohmann::json& json, const Presets& presets);
// A shape given inline or the id of a preset.
Result<Model> model_from_json(const nlohmann::json& json, const Presets& presets);

// The "calibration" of an accelerator; what is left out stays as it is in `target`.
Issues calibration_from_json(const nlohmann::json& gpu, const std::string& path, Calibration& target);

// parse_json, then scenario_from_json.
Result<Scenario> scenario_from_text(std::string_view text, const Presets& presets);

// Every field of a shape, without its name and preset.
nlohmann::json to_json(const Model& model);
nlohmann::json to_json(const Scenario& scenario, const Presets& presets);
// Changes one value in scenario JSON: set_path(json, "parallel.tensor=4"). The value is JSON, or else a
// string. A path into a preset ("model.layers=12") turns the id into {"preset": id, "layers": 12}.
Issues set_path(nlohmann::json& json, std::string_view assignment);

} // namespace ringside
