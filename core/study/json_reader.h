// What question files ask of a JSON object beyond json_fields.h: ids, expressions, units, lists of objects.
#pragma once

#include <fmt/format.h>

#include "core/study/json_fields.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// Longer texts and lists are refused: files may come from anybody.
inline constexpr std::size_t kLongestText = 4000;
inline constexpr std::size_t kLongestList = 64;

class JsonReader : public JsonFields
{
public:
    using JsonFields::JsonFields;
    Issues& issues() { return issues_; }

    // Each leaves the target as it is where the field is not there; a fault if it is `needed`.
    void text(const char* field, std::string& target, bool needed = false);
    void id(const char* field, std::string& target); // small letters, digits, dashes
    void expression(const char* field, std::string& target,
                    bool needed = false); // text, or a number kept as text
    void unit(std::string& target, bool needed);
    void texts(const char* field, std::vector<std::string>& target, std::size_t least = 0,
               std::size_t most = kLongestList);

    // Unknown fields are faults, with the one that was meant.
    void only(const std::vector<std::string_view>& names);

    // `take` gets every entry of a list, and where it is.
    template <class Take>
    void each(const char* field, std::size_t most, Take take);
    // The same for a list of objects: a reader of each.
    template <class Take>
    void objects(const char* field, Take take);
    // The members of an object, each with where it is.
    template <class Take>
    void members(const char* field, Take take);
    // One of `all`, by its name.
    template <class E, std::size_t N, class Name>
    void choice(const char* field, E& target, const std::array<E, N>& all, Name name, bool needed);
};

template <class Take>
void JsonReader::each(const char* field, std::size_t most, Take take)
{
    if (!has(field))
    {
        return;
    }
    const nlohmann::json& list = object_[field];
    if (!list.is_array() || list.size() > most)
    {
        fault(field, "not a list, or too long a one", fmt::format("use [...] with at most {}", most));
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i)
    {
        take(list[i], fmt::format("{}[{}]", at(field), i));
    }
}

template <class Take>
void JsonReader::objects(const char* field, Take take)
{
    each(field, kLongestList,
         [&](const nlohmann::json& entry, const std::string& where)
         {
             if (!entry.is_object())
             {
                 issues_.push_back({where, entry.dump().substr(0, 40) + " is not an object", "use {...}"});
                 return;
             }
             JsonReader reader(entry, where, issues_);
             take(reader);
         });
}

template <class Take>
void JsonReader::members(const char* field, Take take)
{
    if (!has(field))
    {
        return;
    }
    const nlohmann::json& object = object_[field];
    if (!object.is_object() || object.size() > kLongestList)
    {
        fault(field, "not an object, or too large a one",
              fmt::format("use {{\"name\": ...}} with at most {}", kLongestList));
        return;
    }
    for (const auto& [name, value] : object.items())
    {
        take(name, value, fmt::format("{}.{}", at(field), name));
    }
}

template <class E, std::size_t N, class Name>
void JsonReader::choice(const char* field, E& target, const std::array<E, N>& all, Name name, bool needed)
{
    std::string word;
    text(field, word, needed);
    std::vector<std::string> names;
    for (const E value : all)
    {
        names.emplace_back(name(value));
        target = names.back() == word ? value : target;
    }
    if (!word.empty() && std::find(names.begin(), names.end(), word) == names.end())
    {
        fault(field, fmt::format("there is no \"{}\"", word), fmt::format("use {}", fmt::join(names, ", ")));
    }
}

} // namespace ringside
