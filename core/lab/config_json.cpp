#include "core/lab/config_json.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/json.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

json recipe_json(const Recipe& recipe)
{
    json out;
    for (const Field<Recipe>& field : fields_of(recipe))
    {
        const std::string name(field.name);
        if (const auto* real = std::get_if<double Recipe::*>(&field.member))
        {
            out[name] = recipe.*(*real);
        }
        else if (const auto* count = std::get_if<std::int64_t Recipe::*>(&field.member))
        {
            out[name] = recipe.*(*count);
        }
        else if (const auto* flag = std::get_if<bool Recipe::*>(&field.member))
        {
            out[name] = recipe.*(*flag);
        }
    }
    return out;
}

// Whether the value is of the field's kind and has been taken.
bool take(const json& value, const Field<Recipe>& field, Recipe& recipe)
{
    if (const auto* real = std::get_if<double Recipe::*>(&field.member); real && value.is_number())
    {
        recipe.*(*real) = value.get<double>();
        return true;
    }
    if (const auto* count = std::get_if<std::int64_t Recipe::*>(&field.member);
        count && value.is_number_integer())
    {
        recipe.*(*count) = value.get<std::int64_t>();
        return true;
    }
    if (const auto* flag = std::get_if<bool Recipe::*>(&field.member); flag && value.is_boolean())
    {
        recipe.*(*flag) = value.get<bool>();
        return true;
    }
    return false;
}

Issue unknown_field(const std::string& name)
{
    std::vector<std::string> names;
    for (const Field<Recipe>& field : fields_of(Recipe{}))
    {
        names.emplace_back(field.name);
    }
    const std::string near = nearest_word(name, names);
    return {"recipe." + name, "there is no such field",
            near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                         : "did you mean " + near + "?"};
}

std::string kind_hint(const Field<Recipe>& field)
{
    if (std::holds_alternative<bool Recipe::*>(field.member))
    {
        return "use true or false";
    }
    return std::holds_alternative<double Recipe::*>(field.member)
               ? fmt::format("use {} to {}", field.least, field.most)
               : range_hint(static_cast<std::int64_t>(field.least), static_cast<std::int64_t>(field.most));
}

Issues read_recipe(const json& in, Recipe& recipe)
{
    Issues issues;
    for (const auto& [name, value] : in.items())
    {
        const auto fields = fields_of(recipe);
        const std::string wanted = name;
        const auto field = std::find_if(fields.begin(), fields.end(),
                                        [&wanted](const Field<Recipe>& f) { return f.name == wanted; });
        if (field == fields.end())
        {
            issues.push_back(unknown_field(wanted));
        }
        else if (!take(value, *field, recipe))
        {
            issues.push_back({"recipe." + wanted, value.dump() + " is of another kind", kind_hint(*field)});
        }
    }
    return issues;
}

// The engine's words are of large models: what it would take, the lab may not.
Issues with_lab_hints(Issues issues)
{
    for (Issue& issue : issues)
    {
        const std::string hint = lab_hint(issue.path);
        issue.hint = hint.empty() ? issue.hint : hint;
    }
    return issues;
}

Issue wrong(std::string path, std::string hint)
{
    return {std::move(path), "is missing, or of another kind", std::move(hint)};
}

Issues read_data(const json& in, LabData& data)
{
    const auto task = find_lab_task(in.value("task", ""));
    if (!task || !in.contains("symbols") || !in["symbols"].is_number_integer())
    {
        return {wrong("data", "use {\"task\": \"text\", \"symbols\": 10, \"name\": \"\"}")};
    }
    data.task = *task;
    data.symbols = in["symbols"].get<std::int64_t>();
    data.name = in.value("name", "");
    return {};
}

} // namespace

json to_json(const TrainerConfig& config)
{
    return {
        {"scenario", to_json(scenario_of(config), Presets{})},
        {"recipe", recipe_json(config.recipe)},
        {"data",
         {{"task", name_of(config.data.task)}, {"symbols", config.data.symbols}, {"name", config.data.name}}},
        {"seed", config.seed}};
}

Result<TrainerConfig> trainer_config_from_json(const json& in)
{
    for (const char* part : {"scenario", "recipe", "data"})
    {
        if (!in.is_object() || !in.contains(part) || !in[part].is_object())
        {
            return wrong(part, "use what `train --save` writes");
        }
    }
    if (!in.contains("seed") || !in["seed"].is_number_unsigned())
    {
        return wrong("seed", "use a whole number from 0 on");
    }
    const auto scenario = scenario_from_json(in["scenario"], Presets{});
    TrainerConfig config;
    Issues issues = scenario ? Issues{} : scenario.issues();
    for (const Issues& more : {read_recipe(in["recipe"], config.recipe), read_data(in["data"], config.data)})
    {
        issues.insert(issues.end(), more.begin(), more.end());
    }
    if (!issues.empty())
    {
        return issues;
    }
    config.model = scenario->model;
    config.training = scenario->training;
    config.seed = in["seed"].get<std::uint64_t>();
    return config;
}

Result<TrainerConfig> with_setting(const TrainerConfig& config, std::string_view assignment)
{
    json document = to_json(config);
    const std::size_t equals = assignment.find('=');
    if (assignment.starts_with("recipe.") && equals != std::string_view::npos)
    {
        const std::string name(assignment.substr(7, equals - 7));
        const std::string text(assignment.substr(equals + 1));
        json value = json::parse(text, nullptr, false);
        document["recipe"][name] = value.is_discarded() ? json(text) : value;
    }
    else
    {
        const Issues issues = set_path(document["scenario"], assignment);
        if (!issues.empty())
        {
            return issues;
        }
    }
    auto changed = trainer_config_from_json(document);
    if (!changed)
    {
        return with_lab_hints(changed.issues());
    }
    changed->data.text = config.data.text;
    return changed;
}

} // namespace ringside
