// A file that holds a model, whatever wrote it: a config.json of the Hugging Face hub, Meta's params.json, or
// what is written of either (ringside.model/1).
#pragma once

#include "core/scenario/hugging_face/hugging_face.h"

namespace ringside
{

bool is_model_file(const nlohmann::json& document);
// "a config.json of the Hugging Face hub"; empty where it is no model's file.
std::string kind_of_model_file(const nlohmann::json& document);
// Its model without a preset, or every fault by path.
Result<HuggingFaceModel> model_of_file(const nlohmann::json& document);

} // namespace ringside
