// A model's config.json, as the Hugging Face hub has it for every model, read into a Model. Fields that it
// leaves out take the defaults of the transformers library. What a Model cannot say comes back as notes;
// weights, names of classes and everything else that has no part in the shape is passed over.
//
// Defaults are those of each library class, not of the best-known model of a family: without
// num_key_value_heads Llama and Mistral mean different things. `null` is left out, except for q_lora_rank
// and experts, where it means none, as 0 does. A field that is read and wrong is a fault, one that bears on
// the shape and is read by nobody a note. An unknown architecture is read by its fields if all of them have
// their place, and is compared with a known one if not. A note says by how much the shape is wrong where that
// is known (biases on one half of a layer, norms without parameters). Where no layer has a dense MLP, its
// width is the experts'. Meta's and Mistral's params.json is read as well.
#pragma once

#include "core/scenario/presets.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// The largest config.json that is read; some list every quantized tensor in megabytes.
inline constexpr std::size_t kMaxConfigBytes = 16U << 20U;

struct HuggingFaceModel
{
    Model model;                       // resolved, without a preset
    std::string model_type;            // "llama"
    std::string family;                // "Llama"
    Issues notes;                      // warnings by path: what the config says and the shape cannot
    std::vector<std::string> unread;   // paths of fields that bear on the shape and that nobody has read
    std::vector<std::string> defaults; // fields of the shape that it left out: "num_key_value_heads 32"
};

// Every fault by path, with its value and what would work.
Result<HuggingFaceModel> hugging_face_model(const nlohmann::json& config);
Result<HuggingFaceModel> hugging_face_model_from_text(std::string_view text);

// Whether this is meant as a config.json and not as a scenario.
bool is_hugging_face(const nlohmann::json& document);
// The model_types that are read.
std::vector<std::string_view> hugging_face_types();

// The preset of the same shape, if there is one. The longest sequence counts only where it has parameters.
const ModelPreset* preset_of_shape(const Model& model, const Presets& presets);

} // namespace ringside
