// Structs with a table of fields (core/scenario/fields.h) as JSON objects, in and out.
#pragma once

#include "core/base/json/json_table.h"
#include "core/scenario/fields.h"

namespace ringside
{

template <class S, class T>
void read_member(const JsonPlace& place, const JsonRule& rule, T S::*member, S& target)
{
    read_value(place, rule, target.*member);
}

// Lists that may go below zero have names of LayerAttention there.
template <class S>
void read_member(const JsonPlace& place, const JsonRule& rule, std::vector<std::int64_t> S::*member,
                 S& target)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; place.is_list() && i < place.value.size(); ++i)
    {
        const JsonPlace entry = place.entry(i);
        if (rule.least < 0 && entry.value.is_string())
        {
            const auto kind = read_choice(entry, kNamesOf<LayerAttention>.all);
            numbers.push_back(kind ? entry_of(static_cast<LayerAttention>(*kind)) : 0);
            continue;
        }
        JsonRule number = rule;
        number.least = std::max(0.0, rule.least);
        read_value(entry, number, numbers.emplace_back());
    }
    target.*member = std::move(numbers);
}

inline nlohmann::json list_json(const std::vector<std::int64_t>& numbers)
{
    nlohmann::json list = nlohmann::json::array();
    for (const std::int64_t number : numbers)
    {
        number < 0 ? list.push_back(std::string(name_of(layer_attention(number)))) : list.push_back(number);
    }
    return list;
}

template <class S>
void read_member(const JsonPlace& place, const JsonRule&, const Choice<S>& member, S& target)
{
    if (const auto chosen = read_choice(place, member.names))
    {
        member.set(target, static_cast<int>(*chosen));
    }
}

template <class S>
void read_member(const JsonPlace& place, const JsonRule&, const Selection<S>& member, S& target)
{
    for (std::size_t i = 0; i < member.all.size(); ++i)
    {
        member.set(target, i, false);
    }
    for (std::size_t i = 0; place.is_list() && i < place.value.size(); ++i)
    {
        if (const auto chosen = read_choice(place.entry(i), member.all))
        {
            member.set(target, *chosen, true);
        }
    }
}

// Checks and copies the fields of one object into a struct by its table. `path` prefixes every issue.
template <class S>
Issues read_fields(const nlohmann::json& object, const std::string& path, S& target,
                   const std::vector<std::string>& also_known = {})
{
    Issues issues;
    const JsonPlace place{object, path, issues, {.entries = 65536}};
    std::vector<std::string> known = also_known;
    for (const Field<S>& field : fields_of(target))
    {
        known.emplace_back(field.name);
        for (const std::string_view name : {field.name, field.alias})
        {
            if (name.empty() || !object.contains(name))
            {
                continue;
            }
            known.emplace_back(name);
            const JsonRule rule{.least = field.least, .most = field.most};
            std::visit([&](const auto& member) { read_member(place.member(name), rule, member, target); },
                       field.member);
        }
    }
    place.refuse_others(known);
    return issues;
}

template <class S>
nlohmann::json field_json(const Field<S>& field, const S& source)
{
    return std::visit(
        [&](const auto& member) -> nlohmann::json
        {
            if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Choice<S>>)
            {
                return std::string(member.names[static_cast<std::size_t>(member.get(source))]);
            }
            else if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Selection<S>>)
            {
                return names_in(member, source);
            }
            else if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::vector<std::int64_t> S::*>)
            {
                return list_json(source.*member);
            }
            else
            {
                return source.*member;
            }
        },
        field.member);
}

// Every field, or only those in which `source` differs from `base`.
template <class S>
nlohmann::json fields_json(const S& source, const S* base = nullptr)
{
    nlohmann::json object = nlohmann::json::object();
    for (const Field<S>& field : fields_of(source))
    {
        nlohmann::json value = field_json(field, source);
        if (base == nullptr || value != field_json(field, *base))
        {
            object[std::string(field.name)] = std::move(value);
        }
    }
    return object;
}

} // namespace ringside
