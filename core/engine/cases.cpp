#include "core/engine/cases.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/report.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

using nlohmann::json;

ErrorSummary summarize(std::vector<double> errors)
{
    ErrorSummary s;
    s.n = static_cast<std::int64_t>(errors.size());
    for (double& error : errors)
    {
        s.signed_mean += error / static_cast<double>(s.n);
        error = std::abs(error);
        s.mean += error / static_cast<double>(s.n);
    }
    std::sort(errors.begin(), errors.end());
    // Linear interpolation between ranks, as numpy's default.
    const auto quantile = [&](double q)
    {
        const double at = q * static_cast<double>(errors.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const double above = errors[std::min(below + 1, errors.size() - 1)];
        return errors[below] + (at - static_cast<double>(below)) * (above - errors[below]);
    };
    s.median = quantile(0.5);
    s.p90 = quantile(0.9);
    s.max = errors.back();
    return s;
}

namespace
{

class Runner
{
public:
    explicit Runner(const Presets& presets) : presets_(presets) {}

    void run(const json& entry, const std::string& path)
    {
        if (!entry.is_object() || !entry.contains("scenario") || !entry.contains("expect") ||
            !entry["expect"].is_object())
        {
            fault(path, "needs a scenario and the figures to expect",
                  "use {\"name\", \"scenario\": {...}, \"expect\": {\"memory.total_bytes\": 1e9}}");
            return;
        }
        for (const auto& [key, value] : entry.items())
        {
            if (key != "name" && key != "scenario" && key != "expect" && key != "tolerance" &&
                key != "source" && key != "note" && key != "group")
            {
                fault(fmt::format("{}.{}", path, key), "unknown field",
                      "known are name, scenario, expect, tolerance, source, note, group");
            }
        }
        const std::string name =
            entry.contains("name") && entry["name"].is_string() ? entry["name"].get<std::string>() : path;
        const auto scenario = scenario_from_json(entry["scenario"], presets_);
        if (!scenario)
        {
            faults(path + ".scenario", scenario.issues());
            return;
        }
        const auto result = evaluate(*scenario);
        if (!result)
        {
            faults(path + ".scenario", result.issues());
            return;
        }
        for (const auto& [metric, _] : entry["expect"].items())
        {
            compare(entry, path, name, metric, *scenario, *result);
        }
    }

    Result<CasesReport> finish()
    {
        if (!issues_.empty())
        {
            return issues_;
        }
        for (const auto& [metric, errors] : errors_)
        {
            report_.metrics[metric] = summarize(errors);
        }
        return std::move(report_);
    }

private:
    void fault(std::string path, std::string message, std::string hint)
    {
        issues_.push_back({std::move(path), std::move(message), std::move(hint)});
    }
    void faults(const std::string& path, const Issues& found)
    {
        for (const Issue& issue : found)
        {
            if (issue.severity == Severity::error)
            {
                fault(path + "." + issue.path, issue.message, issue.hint);
            }
        }
    }

    void compare(const json& entry, const std::string& path, const std::string& name,
                 const std::string& metric, const Scenario& scenario, const Report& report)
    {
        const json& expected = entry["expect"][metric];
        const Metric* known = find_metric(metric);
        if (!known)
        {
            std::vector<std::string> names;
            for (const Metric& m : metrics())
            {
                names.emplace_back(m.name);
            }
            const std::string near = nearest_word(metric, names);
            fault(path + ".expect." + metric, "unknown metric",
                  near.empty() ? fmt::format("known are {}", fmt::join(names, ", "))
                               : fmt::format("did you mean \"{}\"?", near));
            return;
        }
        if (!expected.is_number() && !expected.is_boolean())
        {
            fault(path + ".expect." + metric, expected.dump() + " is not a number",
                  "give the published figure");
            return;
        }
        CaseRow row{name, metric,
                    expected.is_boolean() ? (expected.get<bool>() ? 1.0 : 0.0) : expected.get<double>(),
                    known->value(scenario, report)};
        row.error = row.expected == 0 ? row.got : (row.got - row.expected) / row.expected;
        if (entry.contains("tolerance") && entry["tolerance"].is_object() &&
            entry["tolerance"].contains(metric))
        {
            const json& tolerance = entry["tolerance"][metric];
            if (!tolerance.is_number() || tolerance.get<double>() < 0)
            {
                fault(path + ".tolerance." + metric, tolerance.dump() + " is not a relative tolerance",
                      "use a number from 0, such as 0.05");
                return;
            }
            row.within = std::abs(row.error) <= tolerance.get<double>();
            report_.all_within = report_.all_within && row.within;
        }
        errors_[metric].push_back(row.error);
        report_.rows.push_back(std::move(row));
    }

    const Presets& presets_;
    Issues issues_;
    CasesReport report_;
    std::map<std::string, std::vector<double>> errors_;
};

} // namespace

Result<CasesReport> run_cases(const json& cases, const Presets& presets)
{
    if (!cases.is_object() || cases.value("schema", json()) != "ringside.cases/1")
    {
        return Issue{"schema", "these are not cases this version reads", "use \"ringside.cases/1\""};
    }
    if (!cases.contains("cases") || !cases["cases"].is_array())
    {
        return Issue{"cases", "missing or not a list", "use \"cases\": [{...}]"};
    }
    Runner runner(presets);
    for (std::size_t i = 0; i < cases["cases"].size(); ++i)
    {
        runner.run(cases["cases"][i], fmt::format("cases[{}]", i));
    }
    return runner.finish();
}

json to_json(const CasesReport& report)
{
    json out = {{"metrics", json::object()}, {"rows", json::array()}};
    for (const auto& [metric, s] : report.metrics)
    {
        out["metrics"][metric] = {{"n", s.n},     {"mean", s.mean}, {"median", s.median},
                                  {"p90", s.p90}, {"max", s.max},   {"signed_mean", s.signed_mean}};
    }
    for (const CaseRow& row : report.rows)
    {
        out["rows"].push_back({{"name", row.name},
                               {"metric", row.metric},
                               {"expected", row.expected},
                               {"got", row.got},
                               {"error", row.error},
                               {"within", row.within}});
    }
    return out;
}

} // namespace ringside
