#include "core/engine/case_check.h"

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/engine/report.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::array<std::string_view, 7> kKnown{"name",   "scenario", "expect", "tolerance",
                                                 "source", "note",     "group"};
constexpr double kMostWeight = 1e6;
// No metric is as small or as large, but for 0; beyond these relative errors overflow.
constexpr double kLeastFigure = 1e-60;
constexpr double kMostFigure = 1e60;

Issue unknown_metric(const std::string& path, const std::string& metric)
{
    std::vector<std::string> names;
    for (const Metric& m : metrics())
    {
        names.emplace_back(m.name);
    }
    const std::string near = nearest_word(metric, names);
    return {path, "unknown metric",
            near.empty() ? fmt::format("known are {}", fmt::join(names, ", "))
                         : fmt::format("did you mean \"{}\"?", near)};
}

// A part of a step may take no time at all, a step may not.
bool is_plausible(const Metric& metric, double value)
{
    if (metric.unit == "s")
    {
        return is_step_time(value) || (value == 0 && metric.name != "step.time_s");
    }
    return value == 0 || (std::abs(value) >= kLeastFigure && std::abs(value) <= kMostFigure);
}

void check_expected(const Metric& metric, const json& value, const std::string& path, Issues& issues)
{
    const bool truth = value.is_boolean() && metric.unit.empty();
    if (!value.is_number() && !truth)
    {
        issues.push_back({path, shown(value) + " is not a number", "give the published figure"});
    }
    else if (!truth && !is_plausible(metric, value.get<double>()))
    {
        const bool time = metric.unit == "s";
        issues.push_back({path, fmt::format("{} is no {}", shown(value), time ? "plausible time" : "figure"),
                          time ? fmt::format("give {:g} to {:g} seconds", kLeastStepSeconds, kMostStepSeconds)
                               : fmt::format("give 0, or {:g} to {:g}", kLeastFigure, kMostFigure)});
    }
}

void check_tolerances(const json& entry, const std::string& path, Issues& issues)
{
    const json& tolerances = entry["tolerance"];
    if (!tolerances.is_object())
    {
        issues.push_back({path, shown(tolerances) + " says not of which metric",
                          "use {\"memory.total_bytes\": 0.05}, a relative tolerance for each metric"});
        return;
    }
    for (const auto& [metric, value] : tolerances.items())
    {
        const std::string at = path + "." + shortened(metric);
        if (find_metric(metric) == nullptr)
        {
            issues.push_back(unknown_metric(at, metric));
        }
        else if (!entry["expect"].contains(metric))
        {
            issues.push_back({at, "has no figure it could hold for", "add the metric to expect"});
        }
        else if (!value.is_number() || value.get<double>() < 0)
        {
            issues.push_back(
                {at, shown(value) + " is not a relative tolerance", "use a number from 0, such as 0.05"});
        }
    }
}

} // namespace

Issues check_cases_document(const json& document)
{
    if (!document.is_object() || document.value("schema", json()) != "ringside.cases/1")
    {
        return {{"schema", "these are not cases this version reads", "use \"ringside.cases/1\""}};
    }
    Issues issues;
    if (!document.contains("cases") || !document["cases"].is_array())
    {
        issues.push_back({"cases", "missing or not a list", "use \"cases\": [{...}]"});
    }
    else if (document["cases"].empty())
    {
        issues.push_back({"cases", "is an empty list, so nothing would be checked", "give a case or more"});
    }
    if (document.contains("set") && !document["set"].is_string())
    {
        issues.push_back({"set", shown(document["set"]) + " is not a name", "use a string"});
    }
    if (document.contains("weight"))
    {
        const json& weight = document["weight"];
        const double value = weight.is_number() ? weight.get<double>() : -1;
        if (!(value >= 0 && value <= kMostWeight))
        {
            issues.push_back({"weight", shown(weight) + " is not a weight in the fit",
                              fmt::format("use a number from 0 (only checked) to {:g}", kMostWeight)});
        }
    }
    return issues;
}

Issues check_case(const json& entry, const std::string& path)
{
    if (!entry.is_object() || !entry.contains("scenario") || !entry.contains("expect") ||
        !entry["expect"].is_object() || entry["expect"].empty())
    {
        return {{path, "needs a scenario and the figures to expect",
                 "use {\"name\", \"scenario\": {...}, \"expect\": {\"memory.total_bytes\": 1e9}}"}};
    }
    Issues issues;
    for (const auto& [key, value] : entry.items())
    {
        if (std::ranges::find(kKnown, key) == kKnown.end())
        {
            issues.push_back({fmt::format("{}.{}", path, shortened(key)), "unknown field",
                              fmt::format("known are {}", fmt::join(kKnown, ", "))});
        }
        if ((key == "name" || key == "group") && !value.is_string())
        {
            issues.push_back({fmt::format("{}.{}", path, key), shown(value) + " is not a string",
                              "use a string, or leave it out"});
        }
    }
    for (const auto& [metric, value] : entry["expect"].items())
    {
        const std::string at = path + ".expect." + shortened(metric);
        if (const Metric* known = find_metric(metric))
        {
            check_expected(*known, value, at, issues);
        }
        else
        {
            issues.push_back(unknown_metric(at, metric));
        }
    }
    if (entry.contains("tolerance"))
    {
        check_tolerances(entry, path + ".tolerance", issues);
    }
    return issues;
}

} // namespace ringside
