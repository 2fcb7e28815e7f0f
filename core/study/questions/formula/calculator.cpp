#include "core/study/questions/formula/calculator.h"

#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/memory/explain_memory.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

namespace ringside
{

using nlohmann::json;

namespace
{

// Kept at most; beyond it all are forgotten and made again.
constexpr std::size_t kMostExpressions = 2000;
constexpr std::size_t kMostScenarios = 256;

Issue unknown_name(const std::string& name, const DrawnValues& values)
{
    std::vector<std::string> known;
    for (const auto& [known_name, value] : values)
    {
        known.push_back(known_name);
    }
    for (const Metric& m : metrics())
    {
        known.emplace_back(m.name);
    }
    return {"", fmt::format("there is no \"{}\"", name),
            did_you_mean(name, known, "use a parameter, a name of \"let\" or a metric")};
}

// "zero2.memory.total_bytes" asks for stage 2 of the rest.
int zero_prefix(const std::string& name)
{
    const bool has =
        name.size() > 6 && name.starts_with("zero") && name[4] >= '0' && name[4] <= '3' && name[5] == '.';
    return has ? name[4] - '0' : -1;
}

std::string metric_name(const std::string& name)
{
    return zero_prefix(name) < 0 ? name : name.substr(6);
}

} // namespace

const Result<Expression>& Calculator::parsed(std::string_view expression)
{
    const auto found = expressions_.find(expression);
    if (found != expressions_.end())
    {
        return found->second;
    }
    if (expressions_.size() >= kMostExpressions)
    {
        expressions_.clear();
    }
    return expressions_.emplace(expression, Expression::parse(expression)).first->second;
}

const Result<Report>& Calculator::report(const std::string& metric, StudiedScenario& studied,
                                         Scenario& scenario)
{
    const int zero = zero_prefix(metric);
    scenario = studied.scenario;
    scenario.parallel.zero = zero < 0 ? scenario.parallel.zero : zero;
    auto& kept = studied.reports.at(static_cast<std::size_t>(scenario.parallel.zero));
    if (!kept)
    {
        kept = std::make_shared<const Result<Report>>(evaluate(scenario));
    }
    return *kept;
}

Result<double> Calculator::metric(const std::string& name, StudiedScenario& studied)
{
    const Metric* known = find_metric(metric_name(name));
    if (!known)
    {
        return unknown_name(name, {});
    }
    Scenario scenario;
    const Result<Report>& found = report(name, studied, scenario);
    return found ? Result<double>(known->value(scenario, *found)) : Result<double>(found.issues());
}

std::vector<std::string> Calculator::names(std::string_view expression)
{
    const auto& found = parsed(expression);
    return found ? found->names() : std::vector<std::string>();
}

bool Calculator::simulates(std::string_view expression)
{
    const auto& found = parsed(expression);
    return found && found->simulates();
}

std::optional<Term> Calculator::explain_metric(const std::string& name, StudiedScenario& studied)
{
    const std::string metric = metric_name(name);
    Scenario s;
    if (!find_metric(metric))
    {
        return std::nullopt;
    }
    const Result<Report>& found = report(name, studied, s);
    if (!found)
    {
        return std::nullopt;
    }
    const Report& r = *found;
    const std::size_t stage = r.memory.fullest;
    for (std::size_t c = 0; c < kComponents; ++c)
    {
        const auto component = static_cast<Component>(c);
        if (metric == fmt::format("memory.{}", key_of(component)))
        {
            return explain(s, r.memory, stage, component);
        }
    }
    return metric == "memory.total_bytes"           ? std::optional(explain_total(r.memory, stage))
           : metric == "step.bubble_of_total"       ? std::optional(explain_step_bubble(r))
           : metric == "pipeline.bubble_over_ideal" ? std::optional(explain_bubble_over_ideal(s, r))
           : metric == "pipeline.bubble_of_total"   ? std::optional(explain_bubble_of_total(s, r))
           : metric == "collective.time_s"          ? std::optional(explain_all_reduce(s, r))
           : metric == "collective.sent_bytes"      ? std::optional(explain_sent_per_rank(s, r))
                                                    : std::nullopt;
}

Result<double> Calculator::lookup(const std::string& name, const DrawnValues& values,
                                  StudiedScenario* scenario)
{
    const auto found = values.find(name);
    if (found != values.end())
    {
        const double* number = std::get_if<double>(&found->second);
        return number ? Result<double>(*number)
                      : Result<double>(
                            Issue{"", fmt::format("{} is a word, \"{}\"", name, std::get<1>(found->second)),
                                  "use metrics of the scenario instead"});
    }
    if (name.find('.') == std::string::npos)
    {
        return unknown_name(name, values);
    }
    if (!scenario)
    {
        return Issue{"", fmt::format("{} is a metric, and there is no scenario", name), "give \"scenario\""};
    }
    return metric(name, *scenario);
}

Result<double> Calculator::value(std::string_view text, const DrawnValues& values, StudiedScenario* scenario)
{
    const Result<Expression>& expression = parsed(text);
    if (!expression)
    {
        return expression.issues();
    }
    std::vector<double> numbers;
    for (const std::string& name : expression->names())
    {
        const auto number = lookup(name, values, scenario);
        if (!number)
        {
            return number.issues();
        }
        numbers.push_back(*number);
    }
    return expression->evaluate(numbers);
}

// As set_path() wants it: JSON text.
Result<std::string> Calculator::setting(const json& value, const DrawnValues& values)
{
    if (!value.is_string())
    {
        return value.dump();
    }
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with("="))
    {
        const auto number = this->value(std::string_view(text).substr(1), values, nullptr);
        return number ? Result<std::string>(json(*number).dump()) : Result<std::string>(number.issues());
    }
    if (!text.starts_with("{") || !text.ends_with("}"))
    {
        return value.dump();
    }
    const auto found = values.find(std::string_view(text).substr(1, text.size() - 2));
    if (found == values.end())
    {
        return unknown_name(text.substr(1, text.size() - 2), values);
    }
    const double* number = std::get_if<double>(&found->second);
    return number ? json(*number).dump() : json(std::get<std::string>(found->second)).dump();
}

namespace
{

// Whole numbers are written as such: counts take no fraction.
std::string as_setting(const std::string& text)
{
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

Result<std::shared_ptr<StudiedScenario>> read(const json& document, const Presets& presets)
{
    auto scenario = scenario_from_json(document, presets);
    Issues issues = errors_of(scenario ? validate(*scenario) : scenario.issues());
    if (!issues.empty())
    {
        return issues;
    }
    auto studied = std::make_shared<StudiedScenario>();
    studied->scenario = std::move(*scenario);
    return studied;
}

} // namespace

Result<std::shared_ptr<StudiedScenario>> Calculator::scenario(const ScenarioSpec& spec,
                                                              const DrawnValues& values)
{
    std::string key = spec.preset;
    std::vector<std::string> assignments;
    for (const auto& [path, value] : spec.set)
    {
        const auto text = setting(value.get(), values);
        if (!text)
        {
            Issue issue = text.issues().front();
            issue.path = "set." + path;
            return issue;
        }
        assignments.push_back(fmt::format("{}={}", path, as_setting(*text)));
        key += "\n" + assignments.back();
    }
    const auto found = scenarios_.find(key);
    if (found != scenarios_.end())
    {
        return found->second;
    }
    const ScenarioPreset* preset = presets_->scenario(spec.preset);
    if (!preset)
    {
        return Issue{"preset", fmt::format("there is no scenario \"{}\"", spec.preset),
                     "use one of assets/scenarios"};
    }
    const auto base = documents_.try_emplace(spec.preset);
    if (base.second)
    {
        base.first->second = JsonValue(to_json(preset->scenario, *presets_));
    }
    json document = base.first->second.get();
    for (const std::string& assignment : assignments)
    {
        const Issues issues = set_path(document, assignment);
        if (!issues.empty())
        {
            return issues;
        }
    }
    if (scenarios_.size() >= kMostScenarios)
    {
        scenarios_.clear();
    }
    return scenarios_.emplace(key, read(document, *presets_)).first->second;
}

} // namespace ringside
