// Measured steps from cases: those that expect step.time_s.
#include <fmt/format.h>

#include "core/evaluate/calibrate.h"
#include "core/evaluate/case_check.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

namespace ringside
{

using nlohmann::json;

namespace
{

// The row of an entry in which check_case() found nothing.
Result<MeasuredRow> measured_row(const json& entry, const std::string& path, const Presets& presets)
{
    Issues issues;
    const auto scenario = scenario_from_json(entry["scenario"], presets);
    add_errors(path + ".scenario", scenario ? validate(*scenario) : scenario.issues(), issues);
    if (!scenario || !issues.empty())
    {
        return issues;
    }
    MeasuredRow row;
    row.name = entry.value("name", path);
    row.group = entry.value("group", std::to_string(scenario->model.hidden));
    row.scenario = *scenario;
    row.seconds = entry["expect"]["step.time_s"].get<double>();
    return row;
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
        if (!found.empty() || !entry["expect"].contains("step.time_s"))
        {
            continue;
        }
        auto row = measured_row(entry, path, presets);
        if (row)
        {
            set.rows.push_back(std::move(*row));
        }
        else
        {
            issues.insert(issues.end(), row.issues().begin(), row.issues().end());
        }
    }
    return issues.empty() ? Result<MeasuredSet>(std::move(set)) : Result<MeasuredSet>(std::move(issues));
}

} // namespace ringside
