#include "core/evaluate/cases.h"

#include <fmt/format.h>

#include "core/evaluate/case_check.h"
#include "core/evaluate/report.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

using nlohmann::json;

ErrorSummary summarize(std::vector<double> errors)
{
    assert(!errors.empty());
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
        const Issues found = check_case(entry, path);
        append(issues_, found);
        if (!entry.is_object() || !entry.contains("scenario"))
        {
            return;
        }
        const auto scenario = scenario_from_json(entry["scenario"], presets_);
        if (!scenario)
        {
            add_errors(path + ".scenario", scenario.issues(), issues_);
            return;
        }
        const auto result = evaluate(*scenario);
        if (!result)
        {
            add_errors(path + ".scenario", result.issues(), issues_);
            return;
        }
        if (!found.empty())
        {
            return;
        }
        for (const auto& [metric, _] : entry["expect"].items())
        {
            compare(entry, path, metric, *scenario, *result);
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
    // A metric that check_case has found to be known, and its figure to be plausible.
    void compare(const json& entry, const std::string& path, const std::string& metric,
                 const Scenario& scenario, const Report& report)
    {
        const json& expected = entry["expect"][metric];
        const Metric* known = find_metric(metric, report);
        if (known == nullptr)
        {
            issues_.push_back({path + ".expect." + metric, "this scenario describes no serving that has it",
                               "add \"serving\" to the scenario"});
            return;
        }
        CaseRow row{entry.value("name", path), metric,
                    expected.is_boolean() ? (expected.get<bool>() ? 1.0 : 0.0) : expected.get<double>(),
                    known->value(scenario, report)};
        if (!std::isfinite(row.got))
        {
            issues_.push_back({path + ".expect." + metric, "this scenario has no finite figure for it",
                               "expect another metric"});
            return;
        }
        row.relative = row.expected != 0 || row.got == 0;
        row.error = row.expected == 0 ? row.got : (row.got - row.expected) / row.expected;
        if (entry.contains("tolerance") && entry["tolerance"].contains(metric))
        {
            row.within = std::abs(row.error) <= entry["tolerance"][metric].get<double>();
            report_.all_within = report_.all_within && row.within;
        }
        if (row.relative)
        {
            errors_[metric].push_back(row.error);
        }
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
    if (Issues issues = check_cases_document(cases); !issues.empty())
    {
        return issues;
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
        json said = {{"name", row.name},
                     {"metric", row.metric},
                     {"expected", row.expected},
                     {"got", row.got},
                     {"error", row.relative ? json(row.error) : json()},
                     {"within", row.within}};
        if (!row.relative)
        {
            said["difference"] = row.error;
        }
        out["rows"].push_back(std::move(said));
    }
    return out;
}

std::string percent_text(double fraction, int digits)
{
    constexpr double kMostPlain = 1e6;
    const double percent = fraction * 100;
    return std::abs(percent) < kMostPlain ? fmt::format("{:.{}f}%", percent, digits)
                                          : fmt::format("{:.3g}%", percent);
}

std::string signed_percent_text(double fraction, int digits)
{
    return (std::signbit(fraction) ? "" : "+") + percent_text(fraction, digits);
}

std::string error_text(const CaseRow& row, int digits)
{
    return row.relative ? signed_percent_text(row.error, digits) : fmt::format("{:+.4g} (from 0)", row.error);
}

} // namespace ringside
