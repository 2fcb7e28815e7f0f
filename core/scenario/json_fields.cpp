#include "core/base/json_table.h"
#include "core/scenario/fields.h"
#include "core/scenario/json.h"

namespace ringside
{

using nlohmann::json;

namespace
{

template <class S, class T>
void read_member(const JsonPlace& place, const JsonRule& rule, T S::*member, S& target)
{
    read_value(place, rule, target.*member);
}

template <class S>
void read_member(const JsonPlace& place, const JsonRule& rule, std::vector<std::int64_t> S::*member,
                 S& target)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; place.is_list() && i < place.value.size(); ++i)
    {
        read_value(place.entry(i), rule, numbers.emplace_back());
    }
    target.*member = std::move(numbers);
}

template <class S>
void read_member(const JsonPlace& place, const JsonRule&, const Choice<S>& member, S& target)
{
    if (const auto chosen = read_choice(place, member.names))
    {
        member.set(target, static_cast<int>(*chosen));
    }
}

} // namespace

template <class S>
Issues read_fields(const json& object, const std::string& path, S& target,
                   const std::vector<std::string>& also_known)
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
