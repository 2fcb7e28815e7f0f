#include "core/study/lessons/lesson_values.h"

#include <fmt/format.h>
#include <muParser.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"

#include <cmath>
#include <deque>

namespace ringside
{

namespace
{

constexpr std::string_view kBefore = "before.";

template <class S>
void add_fields(LessonValues& values, std::string_view section, const S& object)
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
    const LessonValues& values = earlier ? before : now;
    const auto found = values.find(earlier ? name.substr(kBefore.size()) : name);
    return found == values.end() ? nullptr : &found->second;
}

std::string nearest_name(const LessonValues& values, std::string_view name)
{
    std::vector<std::string> names;
    for (const auto& [known, value] : values)
    {
        names.push_back(known);
    }
    const bool earlier = name.starts_with(kBefore);
    const std::string near = nearest_word(earlier ? name.substr(kBefore.size()) : name, names);
    return near.empty() ? "" : (earlier ? std::string(kBefore) : "") + near;
}

} // namespace

LessonValues lesson_values(const Scenario& s, const Report& report)
{
    LessonValues values;
    each_section(s,
                 [&](std::string_view section, const auto& object) { add_fields(values, section, object); });
    for (const Metric& metric : metrics())
    {
        values[std::string(metric.name)] = metric.value(s, report);
    }
    return values;
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

} // namespace ringside
