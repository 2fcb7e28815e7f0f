// The numbers of an erratum: both sides from the engine, for the parameters as they were moved.
#include <fmt/format.h>

#include "core/study/library/errata.h"
#include "core/study/questions/formula/expression.h"
#include "core/study/questions/quantity.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

Issue with_path(const Issues& issues, std::string path)
{
    Issue issue = issues.front();
    issue.path = issue.path.empty() ? std::move(path) : path + "." + issue.path;
    return issue;
}

// Overrides that are no parameter, or not one it may have.
std::optional<Issue> refused(const Erratum& e, const DrawnValues& overrides)
{
    for (const auto& [name, value] : overrides)
    {
        const auto p = std::ranges::find(e.parameters, name, &ErratumParameter::name);
        const double* number = std::get_if<double>(&value);
        if (p == e.parameters.end() || !number)
        {
            return Issue{"parameters." + name, "no number of this erratum", "use one of its parameters"};
        }
        const StudyUnit& unit = *find_study_unit(p->unit);
        const bool part = p->whole && *number != std::round(*number);
        if (!(*number >= p->low && *number <= p->high) || part)
        {
            return Issue{
                name, fmt::format("{} is {}", given_text(*number, unit), part ? "not whole" : "out of range"),
                fmt::format("use {} to {}", given_text(p->low, unit), given_text(p->high, unit))};
        }
    }
    return std::nullopt;
}

// With its symbols and with its numbers; nothing where it is just a number.
std::string working_of(const Wording& words, const std::string& formula)
{
    std::string numbers = words.working(formula);
    const std::string symbols =
        with_numbers(formula, [](std::string_view name) { return std::string(name); });
    return numbers.empty() || numbers == symbols ? numbers : fmt::format("{} = {}", symbols, numbers);
}

Result<ErratumNumber> number_of(const Wording& words, const ErratumSide& side, const StudyUnit& unit)
{
    const auto value = words.calculator->value(side.value, *words.values, nullptr);
    if (!value)
    {
        return with_path(value.issues(), "value");
    }
    auto says = words.fill(side.says);
    if (!says)
    {
        return with_path(says.issues(), "says");
    }
    const std::string& formula = side.formula.empty() ? side.value : side.formula;
    const auto again = words.calculator->value(formula, *words.values, nullptr);
    if (!again || std::abs(*again - *value) > 1e-9 * std::abs(*value))
    {
        return again ? Issue{"formula", fmt::format("is {}, the value {}", *again, *value), "use one formula"}
                     : with_path(again.issues(), "formula");
    }
    return ErratumNumber{*value, result_text(*value, unit), std::move(*says), working_of(words, formula)};
}

} // namespace

std::vector<double> stops_of(const ErratumParameter& p)
{
    std::vector<double> stops{p.low, p.high};
    for (double v = p.value; v > p.low; v /= 2)
    {
        stops.push_back(within(p, v));
    }
    for (double v = p.value; v < p.high; v *= 2)
    {
        stops.push_back(within(p, v));
    }
    std::ranges::sort(stops);
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    return stops;
}

double within(const ErratumParameter& p, double value)
{
    const double inside = value >= p.low ? std::min(value, p.high) : p.low; // also where it is not a number
    return p.whole ? std::clamp(std::round(inside), p.low, p.high) : inside;
}

DrawnValues values_of(const Erratum& e, const DrawnValues& overrides)
{
    DrawnValues values;
    for (const ErratumParameter& p : e.parameters)
    {
        const auto given = overrides.find(p.name);
        values[p.name] = given == overrides.end() ? DrawnValue(p.value) : given->second;
    }
    return values;
}

Result<ErratumRun> run_erratum(Calculator& calculator, const Erratum& e, const DrawnValues& overrides)
{
    if (auto issue = refused(e, overrides))
    {
        return *issue;
    }
    const DrawnValues values = values_of(e, overrides);
    Wording words{&calculator, &values, {}, nullptr};
    for (const ErratumParameter& p : e.parameters)
    {
        words.names[p.name] = {p.unit, true};
    }
    for (const std::string& condition : e.conditions)
    {
        const auto holds = calculator.value(condition, values, nullptr);
        if (!holds || *holds == 0)
        {
            return holds ? Issue{"conditions", fmt::format("{} does not hold", condition), ""}
                         : with_path(holds.issues(), "conditions");
        }
    }
    ErratumRun run;
    if (!e.claimed || !e.right)
    {
        return run;
    }
    const StudyUnit& unit = *find_study_unit(e.unit);
    for (auto [side, field, target] :
         {std::tuple{&*e.claimed, "claimed", &run.claimed}, {&*e.right, "right", &run.right}})
    {
        auto number = number_of(words, *side, unit);
        if (!number)
        {
            return with_path(number.issues(), field);
        }
        *target = std::move(*number);
    }
    const double ratio = run.claimed->value / run.right->value;
    run.ratio = std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
    return run;
}

} // namespace ringside
