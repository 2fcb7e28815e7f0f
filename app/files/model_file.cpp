#include "app/files/model_file.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/base/json/json.h"
#include "core/scenario/json/json.h"
#include "core/scenario/model_file.h"

namespace ringside
{

using nlohmann::json;

namespace
{

Result<json> shape_in(const std::filesystem::path& file, Issues& notes)
{
    const auto text = read_text(file, {kMaxConfigBytes});
    const auto document = text ? parse_json(*text) : Result<json>(text.issues());
    if (!document)
    {
        return document.issues();
    }
    if (is_model_file(*document))
    {
        const auto read = model_of_file(*document);
        if (!read)
        {
            return read.issues();
        }
        append(notes, read->notes);
        json shape = to_json(read->model);
        shape["name"] = read->model.name;
        return shape;
    }
    return Issue{"", "is no model", "give a config.json, a params.json, or what import hf writes"};
}

} // namespace

Issues take_model_file(json& scenario, const std::filesystem::path& folder, Issues& notes)
{
    json* model = scenario.is_object() && scenario.contains("model") ? &scenario["model"] : nullptr;
    const bool inside = model != nullptr && model->is_object() && model->contains("preset");
    const json* name = inside ? &(*model)["preset"] : model;
    const auto* text = name == nullptr ? nullptr : name->get_ptr<const std::string*>();
    if (text == nullptr || !text->ends_with(".json"))
    {
        return {};
    }
    std::error_code missing;
    const std::filesystem::path beside = folder / *text;
    const bool there = std::filesystem::exists(beside, missing);
    auto shape = shape_in(there ? beside : std::filesystem::path(*text), notes);
    if (!shape)
    {
        const std::string path = inside ? "model.preset" : "model";
        Issues issues;
        for (const Issue& issue : shape.issues())
        {
            const bool inner = !issue.path.empty() && !issue.path.ends_with(*text); // a field of the file
            issues.push_back({path,
                              fmt::format("{}: {}{}", *text, inner ? issue.path + ": " : "", issue.message),
                              issue.hint});
        }
        return issues;
    }
    if (inside)
    {
        json changed = *model;
        changed.erase("preset");
        shape->update(changed);
    }
    *model = std::move(*shape);
    return {};
}

} // namespace ringside
