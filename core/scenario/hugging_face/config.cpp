#include "core/scenario/hugging_face/config.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/json/json.h"

#include <cmath>

namespace ringside
{

using nlohmann::json;

const json* HfConfig::find(Names names, const char*& found) const
{
    for (const char* name : names)
    {
        const auto field = object_.find(name);
        if (field != object_.end() && !field->is_null())
        {
            found = name;
            return &*field;
        }
    }
    found = *names.begin();
    return nullptr;
}

bool HfConfig::has(const char* name) const
{
    const char* found = nullptr;
    return find({name}, found) != nullptr;
}

bool HfConfig::is_null(const char* name) const
{
    const auto field = object_.find(name);
    return field != object_.end() && field->is_null();
}

std::optional<std::int64_t> HfConfig::maybe(Names names, HfRange range)
{
    const char* name = nullptr;
    const json* value = find(names, name);
    if (value == nullptr)
    {
        return {};
    }
    const auto read = whole(*value);
    if (!read || *read < range.least || *read > range.most)
    {
        fault(name, shown(*value) + (read ? " is out of range" : " is not a whole number"),
              fmt::format("use {} to {}", range.least, range.most));
        return {};
    }
    return read;
}

std::int64_t HfConfig::count(Names names, std::int64_t otherwise, HfRange range)
{
    const std::size_t faults = issues.size();
    const auto read = maybe(names, range);
    if (!read && issues.size() == faults)
    {
        defaults.push_back(fmt::format("{} {}", *names.begin(), otherwise));
    }
    return read.value_or(otherwise);
}

double HfConfig::number(const char* name, double otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return otherwise;
    }
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0)
    {
        fault(name, shown(*value) + " is not a number", "use 0 or more");
        return otherwise;
    }
    return value->get<double>();
}

bool HfConfig::flag(const char* name, bool otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return otherwise;
    }
    if (!value->is_boolean())
    {
        fault(name, shown(*value) + " is not true or false", "use true or false");
        return otherwise;
    }
    return value->get<bool>();
}

std::string HfConfig::word(const char* name, std::string_view otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return std::string(otherwise);
    }
    if (!value->is_string())
    {
        fault(name, shown(*value) + " is not text", fmt::format("use text, such as \"{}\"", otherwise));
        return std::string(otherwise);
    }
    return value->get<std::string>();
}

std::vector<std::int64_t> HfConfig::indices(const char* name)
{
    std::vector<std::int64_t> numbers;
    const json* entries = list(name);
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i)
    {
        const auto index = whole((*entries)[i]);
        if (!index || *index < 0)
        {
            fault(fmt::format("{}[{}]", name, i), shown((*entries)[i]) + " is not the index of a layer",
                  "use whole numbers from 0");
            return {};
        }
        numbers.push_back(*index);
    }
    return numbers;
}

const json* HfConfig::object(const char* name)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value != nullptr && !value->is_object())
    {
        fault(name, shown(*value) + " is not an object", "use {...}, or leave it out");
        return nullptr;
    }
    return value;
}

const json* HfConfig::list(const char* name)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value != nullptr && (!value->is_array() || value->size() > 10000))
    {
        fault(name, shown(*value) + " is not a list", "use [...] with an entry a layer, or leave it out");
        return nullptr;
    }
    return value;
}

void HfConfig::fault(std::string_view name, std::string message, std::string hint)
{
    issues.push_back({at(name), std::move(message), std::move(hint)});
}

void HfConfig::note(std::string_view name, std::string message, std::string hint)
{
    notes.push_back({at(name), std::move(message), std::move(hint), Severity::warning});
}

} // namespace ringside
