#include "core/study/questions/study_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/study/questions/quantity.h"

#include <algorithm>

namespace ringside
{

namespace
{

void read_paths(const JsonPlace& place, ScenarioSpec& spec)
{
    if (!place.is_object("use {\"path\": value}"))
    {
        return;
    }
    for (const auto& [path, value] : place.value.items())
    {
        if (value.is_primitive() && !value.is_null())
        {
            spec.set.emplace_back(path, JsonValue(value));
            continue;
        }
        place.fault(path, "not a number, word or switch", "use \"{name}\" or \"= ...\"");
    }
}

} // namespace

std::optional<Issue> no_id(std::string_view text)
{
    const bool good =
        text.size() <= 60 &&
        std::ranges::all_of(text, [](char c)
                            { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    return good ? std::nullopt
                : std::optional(Issue{"", fmt::format("\"{}\" is not an id", text.substr(0, 80)),
                                      "use small letters, digits and dashes"});
}

std::optional<Issue> no_unit(std::string_view text)
{
    if (find_study_unit(text))
    {
        return std::nullopt;
    }
    auto names = list_of<std::string_view>(study_units().subspan(1), &StudyUnit::name);
    return Issue{"", fmt::format("there is no unit \"{}\"", text.substr(0, 40)),
                 fmt::format("known are {}", fmt::join(names, ", "))};
}

const JsonTable<ScenarioSpec>& scenario_spec_table()
{
    static const JsonTable<ScenarioSpec> kTable{{{"preset", &ScenarioSpec::preset}, {"set", read_paths}}};
    return kTable;
}

std::optional<std::array<double, 2>> read_ends(const JsonPlace& place, const char* hint)
{
    const nlohmann::json& v = place.value;
    if (!v.is_array() || v.size() != 2 || !v[0].is_number() || !v[1].is_number())
    {
        place.fault(shown(v) + " is not [low, high]", hint);
        return std::nullopt;
    }
    return std::array{v[0].get<double>(), v[1].get<double>()};
}

} // namespace ringside
