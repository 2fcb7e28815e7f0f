#include "core/evaluate/case_check.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "core/evaluate/serving_figures.h"

#include <cmath>
#include <string_view>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr double kMostWeight = 1e6;
// No metric is as small or as large, but for 0; beyond these relative errors overflow.
constexpr double kLeastFigure = 1e-60;
constexpr double kMostFigure = 1e60;

void refuse_metric(const JsonPlace& place, const std::string& metric)
{
    std::vector<std::string> names;
    for (const auto& list : {metrics(), serving_metrics()})
    {
        for (const Metric& m : list)
        {
            names.emplace_back(m.name);
        }
    }
    place.fault("unknown metric",
                did_you_mean(metric, names, fmt::format("known are {}", fmt::join(names, ", "))));
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

void check_figure(const JsonPlace& place, const Metric& metric)
{
    const json& value = place.value;
    const bool truth = value.is_boolean() && metric.unit.empty();
    if (!value.is_number() && !truth)
    {
        place.fault(shown(value) + " is not a number", "give the published figure");
    }
    else if (!truth && !is_plausible(metric, value.get<double>()))
    {
        const bool time = metric.unit == "s";
        place.fault(fmt::format("{} is no {}", shown(value), time ? "plausible time" : "figure"),
                    time ? fmt::format("give {:g} to {:g} seconds", kLeastStepSeconds, kMostStepSeconds)
                         : fmt::format("give 0, or {:g} to {:g}", kLeastFigure, kMostFigure));
    }
}

// A place of a member whose name may be anything.
JsonPlace named(const JsonPlace& place, const std::string& name)
{
    return {place.value[name], fmt::format("{}.{}", place.path, shortened(name)), place.issues};
}

struct CaseFields
{
    std::string name;
    std::string group;
    json expect;
};

void check_expected(const JsonPlace& place, CaseFields& fields)
{
    fields.expect = place.value;
    for (const auto& [name, _] : place.value.items())
    {
        if (const Metric* metric = known_metric(name))
        {
            check_figure(named(place, name), *metric);
        }
        else
        {
            refuse_metric(named(place, name), name);
        }
    }
}

void check_tolerances(const JsonPlace& place, CaseFields& fields)
{
    if (!place.is_object("use {\"memory.total_bytes\": 0.05}, a relative tolerance for each metric"))
    {
        return;
    }
    for (const auto& [name, value] : place.value.items())
    {
        if (known_metric(name) == nullptr)
        {
            refuse_metric(named(place, name), name);
        }
        else if (!fields.expect.contains(name))
        {
            named(place, name).fault("has no figure it could hold for", "add the metric to expect");
        }
        else if (!value.is_number() || value.get<double>() < 0)
        {
            named(place, name)
                .fault(shown(value) + " is not a relative tolerance", "use a number from 0, such as 0.05");
        }
    }
}

const JsonTable<CaseFields> kCaseTable{{
    {"name", &CaseFields::name},
    {"scenario"},
    {"expect", check_expected},
    {"tolerance", check_tolerances},
    {"source"},
    {"note"},
    {"group", &CaseFields::group},
}};

struct SetFields
{
    std::string set;
    std::string title;
    std::string source;
    double weight = 1;
};

const JsonTable<SetFields> kSetTable{{
    json_schema<SetFields>("ringside.cases/1"),
    {"cases", [](const JsonPlace& place, SetFields&) { place.is_list({.least = 1}); }, kNeeded},
    {"set", &SetFields::set},
    {"title", &SetFields::title},
    {"source", &SetFields::source},
    {"weight", &SetFields::weight, {.least = 0, .most = kMostWeight}},
}};

} // namespace

Issues check_cases_document(const json& document)
{
    Issues issues;
    SetFields fields;
    kSetTable.take({document, "", issues}, fields);
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
    CaseFields fields;
    kCaseTable.read({entry, path, issues}, fields);
    return issues;
}

void add_errors(const std::string& path, const Issues& found, Issues& issues)
{
    for (const Issue& issue : errors_of(found))
    {
        issues.push_back({path + "." + issue.path, issue.message, issue.hint});
    }
}

} // namespace ringside
