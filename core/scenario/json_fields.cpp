#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/json.h"
#include "core/scenario/unknown_fields.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

// Three digits would round a whole number.
template <class S>
std::string whole_hint(const Field<S>& f)
{
    return range_hint(static_cast<std::int64_t>(f.least), static_cast<std::int64_t>(f.most));
}

template <class S>
std::string real_hint(const Field<S>& f)
{
    return fmt::format("use {} to {}", plain_number(f.least), plain_number(f.most));
}

// One overload for each kind of member. Each returns an issue without a path, or nothing.
template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>& f, std::int64_t S::*member, S& target)
{
    const auto number = whole(v);
    if (!number)
    {
        return Issue{"", shown(v) + " is not a whole number", whole_hint(f)};
    }
    if (static_cast<double>(*number) < f.least || static_cast<double>(*number) > f.most)
    {
        return Issue{"", fmt::format("{} is out of range", *number), whole_hint(f)};
    }
    target.*member = *number;
    return {};
}

template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>& f, double S::*member, S& target)
{
    if (!v.is_number())
    {
        return Issue{"", shown(v) + " is not a number", real_hint(f)};
    }
    const double number = v.get<double>();
    if (!(number >= f.least && number <= f.most))
    {
        return Issue{"", shown(v) + " is out of range", real_hint(f)};
    }
    target.*member = number;
    return {};
}

template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>&, bool S::*member, S& target)
{
    if (!v.is_boolean())
    {
        return Issue{"", shown(v) + " is not true or false", "use true or false"};
    }
    target.*member = v.get<bool>();
    return {};
}

template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>& f, std::vector<std::int64_t> S::*member,
                                 S& target)
{
    if (!v.is_array() || v.size() > 65536)
    {
        return Issue{"", shown(v) + " is not a list of whole numbers", "use [20, 20, 20, 20]"};
    }
    std::vector<std::int64_t> numbers;
    for (const json& entry : v)
    {
        const auto number = whole(entry);
        if (!number || static_cast<double>(*number) < f.least || static_cast<double>(*number) > f.most)
        {
            return Issue{"", shown(entry) + " is not a whole number in range", whole_hint(f)};
        }
        numbers.push_back(*number);
    }
    target.*member = std::move(numbers);
    return {};
}

template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>&, const Choice<S>& member, S& target)
{
    for (std::size_t i = 0; v.is_string() && i < member.names.size(); ++i)
    {
        if (v.get_ref<const std::string&>() == member.names[i])
        {
            member.set(target, static_cast<int>(i));
            return {};
        }
    }
    return Issue{"", shown(v) + " is not known", fmt::format("use one of {}", fmt::join(member.names, ", "))};
}

template <class S>
std::optional<Issue> read_field(const json& value, const Field<S>& field, S& target)
{
    return std::visit([&](const auto& member) { return read_member(value, field, member, target); },
                      field.member);
}

} // namespace

template <class S>
Issues read_fields(const json& object, const std::string& path, S& target,
                   const std::vector<std::string>& also_known)
{
    Issues issues;
    std::vector<std::string> names = also_known;
    for (const Field<S>& field : fields_of(target))
    {
        names.emplace_back(field.name);
    }
    UnknownFields unknown(std::move(names));
    for (const auto& [key, value] : object.items())
    {
        if (std::find(also_known.begin(), also_known.end(), key) != also_known.end())
        {
            continue;
        }
        const Field<S>* found = nullptr;
        for (const Field<S>& field : fields_of(target))
        {
            found = field.name == key || (!field.alias.empty() && field.alias == key) ? &field : found;
        }
        const std::string where = path.empty() ? key : fmt::format("{}.{}", path, key);
        if (!found)
        {
            unknown.add(issues, where, key);
            continue;
        }
        auto issue = read_field(value, *found, target);
        if (issue)
        {
            issue->path = where;
            issues.push_back(std::move(*issue));
        }
    }
    return issues;
}

template Issues read_fields(const json&, const std::string&, Model&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, Gpu&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, Calibration&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, Cluster&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, Parallel&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, Training&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, PipelineTimes&, const std::vector<std::string>&);
template Issues read_fields(const json&, const std::string&, CollectiveSettings&,
                            const std::vector<std::string>&);

} // namespace ringside
