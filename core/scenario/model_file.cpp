#include "core/scenario/model_file.h"

#include "core/base/json/json.h"

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr const char* kModelSchema = "ringside.model/1";

bool is_ours(const json& document)
{
    return document.is_object() && document.value("schema", json()) == kModelSchema;
}

} // namespace

bool is_model_file(const json& document)
{
    return !kind_of_model_file(document).empty();
}

std::string kind_of_model_file(const json& document)
{
    return is_ours(document)            ? "a model of Ringside"
           : !is_hugging_face(document) ? ""
           : document.contains("n_layers") && document.contains("dim")
               ? "a params.json"
               : "a config.json of the Hugging Face hub";
}

Result<HuggingFaceModel> model_of_file(const json& document)
{
    if (!is_ours(document))
    {
        return hugging_face_model(document);
    }
    const json id = document.value("id", json());
    const PresetCheck check = check_preset(document, id.is_string() ? id.get<std::string>() : "", Presets());
    if (!check.model)
    {
        return check.issues;
    }
    HuggingFaceModel read;
    read.model = check.model->model;
    read.model.preset.clear();
    read.family = check.model->family;
    return read;
}

} // namespace ringside
