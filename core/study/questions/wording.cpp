#include "core/study/questions/wording.h"

#include <fmt/format.h>

#include "core/study/questions/quantity.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string_view trimmed(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string plain_text(const DrawnValue& value, const Presets& presets)
{
    const double* number = std::get_if<double>(&value);
    return number ? working_figure(*number) : word_text(std::get<std::string>(value), presets);
}

Result<std::string> placeholder(const Wording& w, std::string_view inside)
{
    const bool plain = inside.ends_with(":plain");
    inside.remove_suffix(plain ? 6 : 0);
    if (inside.starts_with("="))
    {
        const auto bar = inside.rfind('|');
        // "a || b" has bars of its own.
        const bool has_unit = bar != std::string_view::npos && bar > 0 && inside[bar - 1] != '|';
        const StudyUnit* unit = find_study_unit(has_unit ? trimmed(inside.substr(bar + 1)) : "");
        if (!unit)
        {
            return Issue{"", fmt::format("{{{}}} has an unknown unit", inside), "use {= expression | B}"};
        }
        const auto value = w.calculator->value(
            trimmed(inside.substr(1, has_unit ? bar - 1 : std::string_view::npos)), *w.values, w.scenario);
        return !value  ? Result<std::string>(value.issues())
               : plain ? working_figure(*value)
                       : result_text(*value, *unit);
    }
    const auto colon = inside.find(':');
    const std::string_view noun = colon == std::string_view::npos ? "" : inside.substr(colon + 1);
    inside = inside.substr(0, colon);
    const auto found = w.values->find(inside);
    if (found == w.values->end())
    {
        return Issue{"", fmt::format("{{{}}} is no parameter", inside),
                     "use {name}, {name:plain}, {name:noun} or {= expression | unit}"};
    }
    const double* number = std::get_if<double>(&found->second);
    if (number && !noun.empty())
    {
        return fmt::format("{} {}{}", working_figure(*number), noun, *number == 1 ? "" : "s");
    }
    return plain ? plain_text(found->second, w.calculator->presets()) : w.shown(inside);
}

} // namespace

std::string word_text(const std::string& word, const Presets& presets)
{
    if (const ModelPreset* model = presets.model(word))
    {
        return model->model.name;
    }
    if (const GpuPreset* gpu = presets.gpu(word))
    {
        return gpu->gpu.name;
    }
    if (const ClusterPreset* cluster = presets.cluster(word))
    {
        return cluster->name;
    }
    const ScenarioPreset* scenario = presets.scenario(word);
    return scenario ? scenario->name : word;
}

std::string Wording::shown(std::string_view name) const
{
    const DrawnValue& value = values->find(name)->second;
    const double* number = std::get_if<double>(&value);
    if (!number)
    {
        return word_text(std::get<std::string>(value), calculator->presets());
    }
    const auto named = names.find(name);
    const StudyUnit* unit = find_study_unit(named == names.end() ? "" : named->second.unit);
    const bool given = named == names.end() || named->second.given;
    return given ? given_text(*number, *unit) : result_text(*number, *unit);
}

std::string Wording::working(std::string_view expression) const
{
    const auto figure_of = [this](std::string_view name)
    {
        const auto number = calculator->value(name, *values, scenario);
        const std::string figure = number ? working_figure(*number) : std::string(name);
        return number && *number < 0 ? fmt::format("({})", figure) : figure;
    };
    std::string written = with_numbers(expression, figure_of);
    const bool lone = written.find_first_of(" (") == std::string::npos;
    return lone ? std::string() : written;
}

Result<std::string> Wording::fill(std::string_view text) const
{
    std::string out;
    while (!text.empty())
    {
        const auto open = text.find_first_of("{}");
        out += text.substr(0, open);
        if (open == std::string_view::npos)
        {
            return out;
        }
        const auto close = text.find('}', open);
        if (text[open] == '}' || close == std::string_view::npos)
        {
            return Issue{"", fmt::format("a brace without its partner in \"{}\"", text.substr(0, 60)),
                         "use {name} or {= expression | unit}"};
        }
        const auto inside = placeholder(*this, text.substr(open + 1, close - open - 1));
        if (!inside)
        {
            return inside.issues();
        }
        out += *inside;
        text.remove_prefix(close + 1);
    }
    return out;
}

} // namespace ringside
