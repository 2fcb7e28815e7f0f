#include "core/base/json/json_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/printable.h"
#include "core/base/text/text.h"

#include <cctype>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

bool in_range(const JsonRule& rule, double value)
{
    return value >= rule.least && value <= rule.most;
}

std::string whole_hint(const JsonRule& rule)
{
    constexpr double kMost = 4e18;
    if (rule.least < -kMost && rule.most > kMost)
    {
        return "use a whole number";
    }
    const auto end = [kMost](double v) { return static_cast<std::int64_t>(std::clamp(v, -kMost, kMost)); };
    return range_hint(end(rule.least), end(rule.most));
}

std::string number_hint(const JsonRule& rule)
{
    const bool bounded = rule.most < std::numeric_limits<double>::max();
    return bounded ? fmt::format("use {} to {}", plain_number(rule.least), plain_number(rule.most))
                   : "use a number";
}

} // namespace

JsonPlace JsonPlace::member(std::string_view name) const
{
    static const json kNone;
    const auto found = value.find(name);
    return {found == value.end() ? kNone : *found,
            path.empty() ? std::string(name) : fmt::format("{}.{}", path, name), issues, limits};
}

JsonPlace JsonPlace::entry(std::size_t index) const
{
    return {value[index], fmt::format("{}[{}]", path, index), issues, limits};
}

void JsonPlace::fault(std::string message, std::string hint) const
{
    issues.push_back({path, std::move(message), std::move(hint)});
}

void JsonPlace::fault(std::string_view name, std::string message, std::string hint) const
{
    issues.push_back(
        {path.empty() || name.empty() ? path + std::string(name) : fmt::format("{}.{}", path, name),
         std::move(message), std::move(hint)});
}

void JsonPlace::fault_if(bool wrong, std::string_view name, std::string message, std::string hint) const
{
    if (wrong)
    {
        fault(name, std::move(message), std::move(hint));
    }
}

bool JsonPlace::is_list(const JsonRule& rule) const
{
    const auto entries = static_cast<double>(value.size());
    const double least = std::max(rule.least, 0.0);
    if (!value.is_array() || value.size() > limits.entries)
    {
        fault(value.is_array() ? fmt::format("has {} entries", value.size())
                               : shown(value) + " is not a list",
              value.is_array() ? fmt::format("use at most {}", limits.entries) : "use [...]");
        return false;
    }
    if (!in_range(rule, entries))
    {
        fault(fmt::format("there are {}", value.size()), least == rule.most
                                                             ? fmt::format("give exactly {}", least)
                                                         : rule.most < std::numeric_limits<double>::max()
                                                             ? fmt::format("give {} to {}", least, rule.most)
                                                             : fmt::format("give {} or more", least));
        return false;
    }
    return true;
}

bool JsonPlace::is_object(const char* hint) const
{
    const bool good = value.is_object() && value.size() <= limits.entries;
    if (!good)
    {
        fault(shown(value) + (value.is_object() ? " is too large" : " is not an object"), hint);
    }
    return good;
}

void JsonPlace::refuse_others(const std::vector<std::string>& known) const
{
    constexpr std::size_t kMost = 100;
    std::size_t count = 0;
    std::vector<std::string> named; // each once; a field without another name has an empty one
    for (const std::string& name : known)
    {
        if (!name.empty() && std::ranges::find(named, name) == named.end())
        {
            named.push_back(name);
        }
    }
    for (const auto& [key, _] : value.items())
    {
        if (std::ranges::find(known, key) != known.end())
        {
            continue;
        }
        if (++count > kMost)
        {
            fault(shortened(key), "and more unknown fields after this one", "only the first 100 are named");
            return;
        }
        fault(shortened(key), "unknown field",
              did_you_mean(key, named, fmt::format("known are {}", fmt::join(named, ", "))));
    }
}

void read_value(const JsonPlace& place, const JsonRule& rule, std::string& target)
{
    const json& value = place.value;
    if (rule.expression && value.is_number())
    {
        target = value.dump();
        return;
    }
    const auto* text = value.get_ptr<const std::string*>();
    if (!text || (rule.needed && !rule.may_be_empty && text->empty()))
    {
        place.fault(shown(value) + " is not text", "use \"...\", or leave it out");
        return;
    }
    if (text->size() > place.limits.letters)
    {
        place.fault("is too long", fmt::format("use at most {} characters", place.limits.letters));
        return;
    }
    target = *text;
    const std::size_t words = rule.words > 0 ? count_words(target) : 0;
    if (words > rule.words)
    {
        place.fault(fmt::format("has {} words", words), fmt::format("shorten it to {} or fewer", rule.words));
    }
    if (auto issue = rule.check ? rule.check(target) : std::nullopt)
    {
        place.fault(std::move(issue->message), std::move(issue->hint));
    }
}

void read_value(const JsonPlace& place, const JsonRule& rule, double& target)
{
    const json& value = place.value;
    const bool number = value.is_number() && std::isfinite(value.get<double>());
    if (!number || !in_range(rule, value.get<double>()))
    {
        place.fault(shown(value) + (number ? " is out of range" : " is not a number"), number_hint(rule));
        return;
    }
    target = value.get<double>();
}

void read_value(const JsonPlace& place, const JsonRule& rule, std::int64_t& target)
{
    const auto number = whole(place.value);
    if (!number || !in_range(rule, static_cast<double>(*number)))
    {
        place.fault(shown(place.value) + (number ? " is out of range" : " is not a whole number"),
                    whole_hint(rule));
        return;
    }
    target = *number;
}

void read_value(const JsonPlace& place, const JsonRule& rule, int& target)
{
    JsonRule within = rule;
    within.least = std::max<double>(rule.least, std::numeric_limits<int>::min());
    within.most = std::min<double>(rule.most, std::numeric_limits<int>::max());
    std::int64_t number = target;
    read_value(place, within, number);
    target = static_cast<int>(number);
}

void read_value(const JsonPlace& place, const JsonRule&, std::uint64_t& target)
{
    if (!place.value.is_number_unsigned())
    {
        place.fault(shown(place.value) + " is not a whole number", "use 0 to 18446744073709551615");
        return;
    }
    target = place.value.get<std::uint64_t>();
}

void read_value(const JsonPlace& place, const JsonRule&, bool& target)
{
    if (!place.value.is_boolean())
    {
        place.fault(shown(place.value) + " is neither true nor false", "use true or false");
        return;
    }
    target = place.value.get<bool>();
}

void read_value(const JsonPlace& place, const JsonRule& rule, JsonValue& target)
{
    if (place.is_object(rule.hint))
    {
        target = JsonValue(place.value);
    }
}

void read_schema(const JsonPlace& place, const char* id)
{
    // Not by ==, which makes a value of the text, and may throw out of noexcept.
    const auto* word = place.value.get_ptr<const std::string*>();
    if (word == nullptr || *word != id)
    {
        place.fault(shown(place.value) + " is another schema", fmt::format("use \"{}\"", id));
    }
}

std::optional<std::size_t> read_choice(const JsonPlace& place, std::span<const std::string_view> names)
{
    const auto* word = place.value.get_ptr<const std::string*>();
    const auto found = word ? std::ranges::find(names, *word) : names.end();
    if (found == names.end())
    {
        place.fault(word ? fmt::format("there is no \"{}\"", shortened(*word))
                         : shown(place.value) + " is not text",
                    fmt::format("use one of {}", fmt::join(names, ", ")));
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::size_t count_words(std::string_view text)
{
    std::size_t words = 0;
    bool inside = false;
    int depth = 0; // a placeholder is one word, however long its expression
    for (const char c : text)
    {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        const bool space = depth <= 0 && std::isspace(static_cast<unsigned char>(c)) != 0;
        words += !space && !inside ? 1 : 0;
        inside = !space;
    }
    return words;
}

} // namespace ringside
