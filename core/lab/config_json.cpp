#include "core/lab/config_json.h"

#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"

namespace ringside
{

using nlohmann::json;

namespace
{

const JsonTable<LabData> kDataTable{
    {{"task", &LabData::task, kNeeded}, {"symbols", &LabData::symbols, kNeeded}, {"name", &LabData::name}}};

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

} // namespace

json to_json(const TrainerConfig& config)
{
    return {{"scenario", to_json(scenario_of(config), Presets{})},
            {"recipe", fields_json(config.recipe)},
            {"data", kDataTable.write(config.data)},
            {"seed", config.seed}};
}

Result<TrainerConfig> trainer_config_from_json(const json& in)
{
    for (const char* part : {"scenario", "recipe", "data", "seed"})
    {
        if (!in.is_object() || !in.contains(part))
        {
            return Issue{part, "is missing", "use what `train --save` writes"};
        }
    }
    const auto scenario = scenario_from_json(in["scenario"], Presets{});
    TrainerConfig config;
    Issues issues = scenario ? Issues{} : scenario.issues();
    const JsonPlace recipe{in["recipe"], "recipe", issues};
    append(issues, recipe.is_object() ? read_fields(recipe.value, recipe.path, config.recipe) : Issues{});
    kDataTable.take({in["data"], "data", issues}, config.data);
    read_value({in["seed"], "seed", issues}, {}, config.seed);
    if (!issues.empty())
    {
        return issues;
    }
    config.model = scenario->model;
    config.training = scenario->training;
    return config;
}

Result<TrainerConfig> with_setting(const TrainerConfig& config, std::string_view assignment)
{
    json document = to_json(config);
    const Issues issues =
        set_path(assignment.starts_with("recipe.") ? document : document["scenario"], assignment);
    if (!issues.empty())
    {
        return issues;
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
