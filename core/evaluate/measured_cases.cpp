// Measured steps from cases: those that expect step.time_s.
#include <fmt/format.h>

#include "core/evaluate/calibrate.h"
#include "core/evaluate/case_check.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

bool is_memory(std::string_view metric)
{
    return metric.starts_with("memory.") && metric.ends_with("_bytes");
}

// Adds what an entry expects in which check_case() found nothing.
Issues take_entry(const json& entry, const std::string& path, const Presets& presets, MeasuredSet& set)
{
    Issues issues;
    const auto scenario = scenario_from_json(entry["scenario"], presets);
    add_errors(path + ".scenario", scenario ? validate(*scenario) : scenario.issues(), issues);
    if (!scenario || !issues.empty())
    {
        return issues;
    }
    for (const auto& [metric, value] : entry["expect"].items())
    {
        if (metric == "step.time_s")
        {
            set.rows.push_back({entry.value("name", path),
                                entry.value("group", std::to_string(scenario->model.hidden)), *scenario,
                                value.get<double>()});
        }
        else if (is_memory(metric))
        {
            set.memory.push_back({*scenario, metric, value.get<double>()});
        }
    }
    return issues;
}

bool is_measured(const json& expect)
{
    return std::ranges::any_of(expect.items(), [](const auto& item)
                               { return item.key() == "step.time_s" || is_memory(item.key()); });
}

} // namespace

Result<MeasuredSet> measured_set(const json& cases, const std::string& name, const Presets& presets)
{
    Issues issues = check_cases_document(cases);
    if (!issues.empty())
    {
        return issues;
    }
    MeasuredSet set;
    set.name = cases.value("set", name);
    set.weight = cases.value("weight", 1.0);
    set.title = cases.value("title", set.name);
    set.source = cases.value("source", "");
    for (std::size_t i = 0; i < cases["cases"].size(); ++i)
    {
        const json& entry = cases["cases"][i];
        const std::string path = fmt::format("cases[{}]", i);
        const Issues found = check_case(entry, path);
        issues.insert(issues.end(), found.begin(), found.end());
        if (found.empty() && is_measured(entry["expect"]))
        {
            append(issues, take_entry(entry, path, presets, set));
        }
    }
    return issues.empty() ? Result<MeasuredSet>(std::move(set)) : Result<MeasuredSet>(std::move(issues));
}

} // namespace ringside
