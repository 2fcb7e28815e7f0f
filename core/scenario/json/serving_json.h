// A scenario's `serving` and the presets of engines as JSON, in and out.
#pragma once

#include "core/base/json/json_table.h"
#include "core/scenario/presets.h"
#include "core/scenario/serving.h"

namespace ringside
{

// Null where something is at fault; precisions that are left out follow training's.
std::shared_ptr<const Serving> read_serving(const JsonPlace& place, const Scenario& scenario,
                                            const Presets& presets);
nlohmann::json serving_json(const Serving& serving, const Presets& presets);

// One of assets/engines, schema ringside.engine/1.
Result<ServingEnginePreset> engine_from_json(const nlohmann::json& document, const std::string& stem);
// assets/engine-evidence, schema ringside.serving-bands/1.
Result<ServingEvidence> serving_evidence_from_json(const nlohmann::json& document);
nlohmann::ordered_json to_json(const ServingEvidence& evidence);

} // namespace ringside
