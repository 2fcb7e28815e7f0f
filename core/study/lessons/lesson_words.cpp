#include "core/study/lessons/lesson_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace ringside
{

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

const Format* find_format(std::string_view name)
{
    for (const Format& format : kFormats)
    {
        if (format.name == name)
        {
            return &format;
        }
    }
    return nullptr;
}

std::string_view usual_format(std::string_view expression)
{
    const bool earlier = expression.starts_with("before.");
    const Metric* metric = find_metric(earlier ? expression.substr(7) : expression);
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
    const Format* format = find_format(name);
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
