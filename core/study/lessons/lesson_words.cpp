#include "core/study/lessons/lesson_words.h"

#include <fmt/format.h>
#include <muParser.h>

#include "core/base/text/find_by.h"
#include "core/evaluate/serving_figures.h"
#include "core/evaluate/system_metrics.h"
#include "core/scenario/fields.h"

#include <array>
#include <cmath>
#include <deque>

namespace ringside
{

namespace
{

constexpr std::string_view kBefore = "before.";

template <class S>
void add_fields(std::map<std::string, double, std::less<>>& values, std::string_view section, const S& object)
{
    for (const Field<S>& field : fields_of(object))
    {
        const std::string name = fmt::format("{}.{}", section, field.name);
        if (const auto* whole = std::get_if<std::int64_t S::*>(&field.member))
        {
            values[name] = static_cast<double>(object.*(*whole));
        }
        else if (const auto* real = std::get_if<double S::*>(&field.member))
        {
            values[name] = object.*(*real);
        }
        else if (const auto* flag = std::get_if<bool S::*>(&field.member))
        {
            values[name] = object.*(*flag) ? 1 : 0;
        }
        else if (const auto* choice = std::get_if<Choice<S>>(&field.member))
        {
            values[name] = choice->get(object);
        }
    }
}

const double* value_of(const LessonValues& now, const LessonValues& before, std::string_view name)
{
    const bool earlier = name.starts_with(kBefore);
    return (earlier ? before : now).find(earlier ? name.substr(kBefore.size()) : name);
}

std::string nearest_name(const LessonValues& values, std::string_view name)
{
    const bool earlier = name.starts_with(kBefore);
    const std::string near = nearest_word(earlier ? name.substr(kBefore.size()) : name, values.names());
    return near.empty() ? "" : (earlier ? std::string(kBefore) : "") + near;
}

} // namespace

LessonValues::LessonValues(const Scenario& s, const Report& report) : scenario_(s)
{
    each_section(s,
                 [&](std::string_view section, const auto& object) { add_fields(values_, section, object); });
    for (const Metric* metric : metrics_of(report))
    {
        values_[std::string(metric->name)] = metric->value(s, report);
    }
}

const double* LessonValues::find(std::string_view name) const
{
    if (const auto known = values_.find(name); known != values_.end())
    {
        return &known->second;
    }
    const Metric* metric = scenario_ ? find_system_metric(name) : nullptr;
    const auto report = metric != nullptr ? evaluate(*scenario_) : Result<Report>(Issues{});
    if (metric == nullptr || !report)
    {
        return nullptr;
    }
    return &values_.emplace(name, metric->value(*scenario_, *report)).first->second;
}

std::vector<std::string> LessonValues::names() const
{
    std::vector<std::string> names;
    for (const auto& [known, value] : values_)
    {
        names.push_back(known);
    }
    for (const Metric& metric : system_metrics())
    {
        names.emplace_back(metric.name);
    }
    return names;
}

Result<double> calculate(const std::string& expression, const LessonValues& now, const LessonValues& before,
                         const std::string& path)
{
    try
    {
        mu::Parser parser;
        parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        parser.SetExpr(expression);
        Issues issues;
        std::deque<double> variables; // muParser wants addresses it may write to
        for (const auto& [name, unused] : mu::varmap_type(parser.GetUsedVar()))
        {
            const double* value = value_of(now, before, name);
            if (value == nullptr)
            {
                const std::string near = nearest_name(now, name);
                issues.push_back({path, fmt::format("there is no metric or field \"{}\"", name),
                                  near.empty() ? "evaluate --json lists the metrics"
                                               : fmt::format("did you mean \"{}\"?", near)});
                continue;
            }
            parser.DefineVar(name, &variables.emplace_back(*value));
        }
        if (!issues.empty())
        {
            return issues;
        }
        const double value = parser.Eval();
        if (!std::isfinite(value))
        {
            return Issue{path, fmt::format("\"{}\" is not a finite number here", expression),
                         "a divisor may be 0"};
        }
        return value;
    }
    catch (const mu::Parser::exception_type& fault)
    {
        return Issue{path, fmt::format("\"{}\" cannot be read: {}", expression, fault.GetMsg()),
                     "use numbers, names of metrics, + - * / ( ) < > == && ||"};
    }
}

namespace
{

std::string number(double value)
{
    // Sums of shares miss a whole number by a rounding.
    constexpr double kMost = 1e6;
    const bool whole = std::abs(value - std::round(value)) <= 1e-9 * std::abs(value);
    return whole && std::abs(value) < kMost ? grouped(std::llround(value)) : plain_number(value);
}

struct Format
{
    std::string_view name;
    std::string (*say)(double, ByteUnit);
};
constexpr std::array<Format, 6> kFormats{
    {{"bytes", [](double v, ByteUnit unit) { return format_bytes(Bytes(v), unit); }},
     {"percent", [](double v, ByteUnit) { return format_percent(v); }},
     {"seconds", [](double v, ByteUnit) { return format_seconds(Seconds(v)); }},
     {"count", [](double v, ByteUnit) { return format_count(v); }},
     {"whole", [](double v, ByteUnit) { return grouped(std::llround(v)); }},
     {"number", [](double v, ByteUnit) { return number(v); }}}};

std::string_view usual_format(std::string_view expression)
{
    const bool earlier = expression.starts_with(kBefore);
    const std::string_view name = earlier ? expression.substr(kBefore.size()) : expression;
    const Metric* known = known_metric(name);
    const Metric* metric = known != nullptr ? known : find_system_metric(name);
    const std::string_view unit = metric == nullptr ? "" : metric->unit;
    return unit == "B" ? "bytes" : unit == "s" ? "seconds" : "number";
}

Result<std::string> fill_metric(std::string_view inside, const LessonMoment& m, const std::string& path)
{
    constexpr std::string_view kAs = " as ";
    const auto as = inside.rfind(kAs);
    const std::string expression(inside.substr(0, as));
    const std::string_view name =
        as == std::string_view::npos ? usual_format(expression) : inside.substr(as + kAs.size());
    const Format* format = find_by(kFormats, name, &Format::name);
    if (format == nullptr)
    {
        return Issue{path, fmt::format("there is no format \"{}\"", name),
                     "use bytes, percent, seconds, count, whole or number"};
    }
    const auto value = calculate(expression, m.now, m.before, path);
    return value ? Result<std::string>(format->say(*value, m.unit)) : Result<std::string>(value.issues());
}

Result<std::string> fill_one(std::string_view inside, const LessonMoment& m, const std::string& path)
{
    constexpr std::string_view kMetric = "metric:";
    if (inside.starts_with(kMetric))
    {
        return fill_metric(inside.substr(kMetric.size()), m, path);
    }
    const std::array<std::pair<std::string_view, const std::string*>, 4> names{
        {{"guess", &m.guess},
         {"truth", &m.truth},
         {"model", &m.scenario.model.name},
         {"gpu", &m.scenario.cluster.gpu.name}}};
    for (const auto& [name, value] : names)
    {
        if (inside == name)
        {
            return *value;
        }
    }
    return Issue{path, fmt::format("there is no placeholder {{{}}}", inside),
                 "use {metric:...}, {guess}, {truth}, {model} or {gpu}"};
}

} // namespace

std::string value_with_unit(double value, std::string_view unit)
{
    if (unit.empty())
    {
        return number(value);
    }
    const bool one = std::abs(value) == 1 && unit.size() > 1 && unit.back() == 's' && unit != "ms";
    return fmt::format("{}{}{}", number(value), unit == "%" || unit == "\u00d7" ? "" : " ",
                       one ? unit.substr(0, unit.size() - 1) : unit);
}

Result<std::string> fill(std::string_view text, const LessonMoment& moment, const std::string& path)
{
    std::string out;
    Issues issues;
    while (!text.empty())
    {
        const auto open = text.find('{');
        out += text.substr(0, open);
        if (open == std::string_view::npos)
        {
            break;
        }
        const auto close = text.find('}', open);
        if (close == std::string_view::npos)
        {
            issues.push_back({path, "a { without its }", "close it"});
            break;
        }
        const auto filled = fill_one(text.substr(open + 1, close - open - 1), moment, path);
        if (filled)
        {
            out += *filled;
        }
        else
        {
            append(issues, filled.issues());
        }
        text.remove_prefix(close + 1);
    }
    return issues.empty() ? Result<std::string>(std::move(out)) : Result<std::string>(std::move(issues));
}

} // namespace ringside
