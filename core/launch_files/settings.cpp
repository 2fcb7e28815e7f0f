#include "core/launch_files/settings.h"

#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ringside
{

namespace
{

// Options may be spelled with either; the paths of a tree may not.
std::string canonical(std::string_view name)
{
    std::string text(name);
    if (text.starts_with("--"))
    {
        std::replace(text.begin(), text.end(), '_', '-');
    }
    return text;
}

std::string cut_off(std::string text)
{
    constexpr std::size_t kMost = 80;
    if (text.size() > kMost)
    {
        text.resize(kMost);
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
        {
            text.pop_back();
        }
        text += " ...";
    }
    return text;
}

template <class Number>
std::optional<Number> number_in_full(std::string_view text)
{
    Number value{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

std::string to_text(const FilePlace& place)
{
    if (place.line == 0)
    {
        return place.file;
    }
    return place.file.empty() ? fmt::format("line {}, column {}", place.line, place.column)
                              : fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string to_text(const Setting& setting)
{
    if (!setting.name.starts_with("--"))
    {
        return cut_off(setting.name + ": " + plain_text(setting.value));
    }
    const bool is_switch = setting.value == true;
    return cut_off(is_switch ? setting.name : setting.name + " " + plain_text(setting.value));
}

void SettingList::add(Setting setting)
{
    if (all_.size() < kMost)
    {
        last_[canonical(setting.name)] = all_.size();
        all_.push_back(std::move(setting));
    }
}

void SettingList::add(const SettingList& more)
{
    for (const Setting& setting : more.all())
    {
        add(setting);
    }
}

const Setting* SettingList::find(std::string_view name) const
{
    const auto found = last_.find(canonical(name));
    return found == last_.end() ? nullptr : &all_[found->second];
}

bool SettingList::has_below(std::string_view path) const
{
    const std::string begin = std::string(path) + ".";
    const auto found = last_.lower_bound(begin);
    return found != last_.end() && found->first.starts_with(begin);
}

nlohmann::json typed(std::string_view word)
{
    if (word == "true" || word == "True")
    {
        return true;
    }
    if (word == "false" || word == "False")
    {
        return false;
    }
    if (word == "null" || word == "None" || word == "~")
    {
        return nullptr;
    }
    std::string digits(word);
    std::erase(digits, '_');
    if (digits.size() != word.size() && !(std::isdigit(static_cast<unsigned char>(word.front())) != 0))
    {
        return std::string(word); // an underscore in a name
    }
    if (const auto whole = number_in_full<std::int64_t>(digits))
    {
        return *whole;
    }
    const auto number = number_in_full<double>(digits);
    const bool spelled = !digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0;
    return number && !spelled ? nlohmann::json(*number) : nlohmann::json(std::string(word));
}

nlohmann::json typed(const nlohmann::json& value)
{
    return value.is_string() ? typed(std::string_view(value.get_ref<const std::string&>())) : value;
}

std::optional<std::int64_t> whole_number(const nlohmann::json& value)
{
    return whole(typed(value));
}

std::optional<double> any_number(const nlohmann::json& value)
{
    const nlohmann::json number = typed(value);
    return number.is_number() ? std::optional(number.get<double>()) : std::nullopt;
}

std::string plain_text(const nlohmann::json& value)
{
    if (value.is_string())
    {
        return value.get<std::string>();
    }
    if (value.is_array() && std::ranges::all_of(value, [](const auto& entry) { return entry.is_string(); }))
    {
        std::string words;
        for (const auto& entry : value)
        {
            words += (words.empty() ? "" : " ") + entry.template get<std::string>();
        }
        return words;
    }
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ringside
