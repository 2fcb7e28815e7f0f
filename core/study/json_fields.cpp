#include "core/study/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/printable.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

std::string dumped(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

JsonFields::JsonFields(const json& object, std::string path, Issues& issues)
    : object_(object), issues_(issues), path_(std::move(path))
{
    if (!object_.is_object())
    {
        fault("", fmt::format("{} is not an object", dumped(object_)), "use {...}");
    }
}

std::string JsonFields::at(std::string_view name) const
{
    return path_.empty() || name.empty() ? path_ + std::string(name) : fmt::format("{}.{}", path_, name);
}

void JsonFields::fault(std::string_view name, std::string message, std::string hint)
{
    issues_.push_back({at(name), std::move(message), std::move(hint)});
}

void JsonFields::text(const char* name, std::string& target, bool needed, std::size_t most_words)
{
    if (!ask(name, needed, "give a text"))
    {
        return;
    }
    const json& value = object_[name];
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
    {
        fault(name, fmt::format("{} is not text", dumped(value)), "give a text, or leave it out");
        return;
    }
    target = value.get<std::string>();
    if (const std::size_t words = count_words(target); words > most_words)
    {
        fault(name, fmt::format("has {} words", words), fmt::format("shorten it to {} or fewer", most_words));
    }
}

void JsonFields::number(const char* name, double& target, double least, double most, bool needed)
{
    if (!ask(name, needed, "give a number"))
    {
        return;
    }
    const json& value = object_[name];
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least ||
        value.get<double>() > most)
    {
        fault(name, fmt::format("{} is not a number in range", dumped(value)),
              fmt::format("use {} to {}", plain_number(least), plain_number(most)));
        return;
    }
    target = value.get<double>();
}

void JsonFields::flag(const char* name, bool& target)
{
    if (!ask(name, false, ""))
    {
        return;
    }
    if (!object_[name].is_boolean())
    {
        fault(name, fmt::format("{} is neither true nor false", dumped(object_[name])), "use true or false");
        return;
    }
    target = object_[name].get<bool>();
}

void JsonFields::texts(const char* name, std::vector<std::string>& target, bool needed)
{
    if (!ask(name, needed, "give a list of texts"))
    {
        return;
    }
    const json& list = object_[name];
    if (!list.is_array() ||
        std::any_of(list.begin(), list.end(), [](const json& v) { return !v.is_string(); }))
    {
        fault(name, fmt::format("{} is not a list of texts", dumped(list)), "use [\"...\", \"...\"]");
        return;
    }
    target = list.get<std::vector<std::string>>();
}

void JsonFields::sets(const char* name, JsonValue& target, bool needed)
{
    if (!ask(name, needed, "give {\"path\": value}"))
    {
        return;
    }
    if (!object_[name].is_object())
    {
        fault(name, fmt::format("{} is not an object", dumped(object_[name])), "use {\"path\": value}");
        return;
    }
    target = JsonValue(object_[name]);
}

bool JsonFields::ask(const char* name, bool needed, const char* hint)
{
    known_.emplace_back(name);
    if (needed && object_.is_object() && !object_.contains(name))
    {
        fault(name, "is missing", hint);
    }
    return has(name);
}

void JsonFields::finish()
{
    if (!object_.is_object())
    {
        return;
    }
    for (const auto& [key, value] : object_.items())
    {
        if (std::find(known_.begin(), known_.end(), key) == known_.end())
        {
            const std::string near = nearest_word(key, known_);
            fault(shortened(key), "unknown field",
                  near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                               : fmt::format("did you mean \"{}\"?", near));
        }
    }
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
