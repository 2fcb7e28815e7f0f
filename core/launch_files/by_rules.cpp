#include "core/launch_files/by_rules.h"

#include <fmt/format.h>

#include "core/planner/launch/rules.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr int kDeepestInterpolation = 16;

std::optional<std::string> interpolated(const LaunchReader& reader, std::string_view owner, std::string text,
                                        int depth);

// "a, ${b}" in parts, but not within brackets.
std::vector<std::string> arguments_of(std::string_view text)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text)
    {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (c == ',' && depth == 0)
        {
            parts.emplace_back();
        }
        else if (c != ' ' || !parts.back().empty())
        {
            parts.back() += c;
        }
    }
    return parts;
}

// "${.hidden_size}" is beside its owner, "${..x}" one level above, "${model.x}" from the top.
std::string target_of(std::string_view owner, std::string_view reference)
{
    if (!reference.starts_with("."))
    {
        return std::string(reference);
    }
    while (reference.starts_with("."))
    {
        const std::size_t dot = owner.rfind('.');
        owner = dot == std::string_view::npos ? std::string_view() : owner.substr(0, dot);
        reference.remove_prefix(1);
    }
    return owner.empty() ? std::string(reference) : fmt::format("{}.{}", owner, reference);
}

// What stands between ${ and }: a reference, or a product of a resolver.
std::optional<std::string> resolved_reference(const LaunchReader& reader, std::string_view owner,
                                              std::string_view inner, int depth)
{
    const std::size_t colon = inner.find(':');
    if (colon == std::string_view::npos)
    {
        const std::string target = target_of(owner, inner);
        const Setting* setting = reader.settings().find(target);
        return setting == nullptr || !setting->unknown.empty()
                   ? std::nullopt
                   : interpolated(reader, target, plain_text(setting->value), depth + 1);
    }
    std::vector<double> numbers;
    for (const std::string& part : arguments_of(inner.substr(colon + 1)))
    {
        const auto text = interpolated(reader, owner, part, depth + 1);
        const FormulaValue value = text ? FormulaValue::of(*text) : FormulaValue();
        if (!value.is_number)
        {
            return {};
        }
        numbers.push_back(value.number);
    }
    const std::string_view name = inner.substr(0, colon);
    if (numbers.size() != 2)
    {
        return {};
    }
    const double a = numbers[0];
    const double b = numbers[1];
    return name == "multiply"                                  ? std::optional(FormulaValue::of(a * b).text)
           : name == "add" || name == "sum"                    ? std::optional(FormulaValue::of(a + b).text)
           : (name == "divide" || name == "int_div") && b != 0 ? std::optional(FormulaValue::of(a / b).text)
                                                               : std::nullopt;
}

std::optional<std::string> interpolated(const LaunchReader& reader, std::string_view owner, std::string text,
                                        int depth)
{
    for (std::size_t at = text.rfind("${"); at != std::string::npos && depth < kDeepestInterpolation;
         at = text.rfind("${"), ++depth)
    {
        // The last one begins none, so it ends at the next bracket.
        const std::size_t end = text.find('}', at);
        const auto value =
            end == std::string::npos
                ? std::nullopt
                : resolved_reference(reader, owner, std::string_view(text).substr(at + 2, end - at - 2),
                                     depth);
        if (!value)
        {
            return {};
        }
        text.replace(at, end - at + 1, *value);
    }
    return text.find("${") == std::string::npos ? std::optional(text) : std::nullopt;
}

// Rules' names of settings and what is written: options have two dashes.
const Setting* find_setting(const LaunchReader& reader, const std::string& prefix, std::string_view name)
{
    const Setting* option = reader.settings().find(fmt::format("--{}", name));
    const Setting* beside = prefix.empty() ? nullptr : reader.settings().find(prefix + std::string(name));
    return option != nullptr ? option : beside != nullptr ? beside : reader.settings().find(name);
}

class RulesOfFile
{
public:
    RulesOfFile(LaunchReader& reader, const RuleSource& source) : r_(reader), source_(source) {}

    // Where nothing says how many GPUs there are, they are guessed, and so is what is counted for all of
    // them.
    void read()
    {
        read(r_.framework());
        if (r_.has("cluster.gpus"))
        {
            return;
        }
        const std::int64_t cut =
            r_.said("parallel.tensor", 1) * r_.said("parallel.context", 1) * r_.said("parallel.pipeline", 1);
        const std::int64_t experts = r_.said("parallel.expert", 1);
        const std::int64_t fewest = cut * std::max<std::int64_t>(1, experts / std::gcd(experts, cut));
        constexpr std::int64_t kNode = 8;
        r_.guess("cluster.gpus", fewest * std::max<std::int64_t>(1, kNode / fewest),
                 "one node of 8, or the fewest that the layout can be on");
        Framework counted = r_.framework();
        for (const char* field : {"training.global_batch", "training.tokens"})
        {
            std::erase_if(counted.launch, [&](const LaunchRule& rule) { return rule.field != field; });
            read(counted);
            counted.launch = r_.framework().launch;
            const nlohmann::json value = r_.said(field);
            if (!value.is_null())
            {
                r_.forget(field);
                r_.guess(field, value, "for as many GPUs as are guessed");
            }
        }
    }

private:
    void read(const Framework& framework)
    {
        RuleReading reading;
        reading.setting = [this](const LaunchRule& rule) { return text_of(rule); };
        reading.names = [this](std::string_view name) { return value_of(name); };
        reading.state = [this](const LaunchRule& rule, const FormulaValue& value) { state(rule, value); };
        reading.follow = [this](const LaunchRule& rule, const FormulaValue& value) { follow(rule, value); };
        reading.unknown = [this](const LaunchRule& rule, const std::string& text)
        {
            r_.unsayable(*find_setting(r_, source_.prefix, rule.flag),
                         fmt::format("{} is no value that {} has here", text, rule.field));
        };
        read_rules(framework, version_of(r_.framework(), source_.version), reading);
    }

    std::optional<std::string> text_of(const LaunchRule& rule)
    {
        const Setting* setting = find_setting(r_, source_.prefix, rule.flag);
        if (setting == nullptr)
        {
            return {};
        }
        r_.pass(setting->name);
        if (setting->value.is_null() || !setting->unknown.empty())
        {
            return {};
        }
        const std::string text = setting->value.is_array() || setting->value.is_object()
                                     ? setting->value.dump()
                                     : plain_text(setting->value);
        return interpolated(r_, setting->name, text == "True" ? "true" : text == "False" ? "false" : text, 0);
    }

    std::optional<FormulaValue> value_of(std::string_view name) const
    {
        if (name == "nothing")
        {
            return {};
        }
        const Setting* setting = find_setting(r_, source_.prefix, name);
        if (setting != nullptr && !setting->value.is_null() && setting->unknown.empty())
        {
            const auto text = interpolated(r_, setting->name, plain_text(setting->value), 0);
            return text ? std::optional(FormulaValue::of(*text)) : std::nullopt;
        }
        if (const auto count = counts_.find(name); count != counts_.end())
        {
            return count->second;
        }
        if (name == "data")
        {
            return replicas();
        }
        if (const auto word = flavor_word_of(source_.flavor, name))
        {
            return word;
        }
        if (name.find('.') == std::string_view::npos)
        {
            return FormulaValue::of(1.0);
        }
        return field(name);
    }

    std::optional<FormulaValue> field(std::string_view name) const
    {
        const nlohmann::json said = r_.said(std::string(name));
        if (!said.is_null())
        {
            return FormulaValue::of(said.is_array() ? said.dump() : plain_text(said));
        }
        // A layout that nobody states is none.
        return name.starts_with("parallel.") ? field_of(Scenario(), name) : std::nullopt;
    }

    std::optional<FormulaValue> replicas() const
    {
        const std::int64_t gpus = r_.said("cluster.gpus", 0);
        const std::int64_t cut =
            r_.said("parallel.tensor", 1) * r_.said("parallel.context", 1) * r_.said("parallel.pipeline", 1);
        return gpus == 0 || cut < 1 || gpus % cut != 0
                   ? std::nullopt
                   : std::optional(FormulaValue::of(static_cast<double>(gpus / cut)));
    }

    static nlohmann::json as_json(const FormulaValue& value)
    {
        return value.text.starts_with("[") ? nlohmann::json::parse(value.text, nullptr, false)
                                           : typed(std::string_view(value.text));
    }

    void state(const LaunchRule& rule, const FormulaValue& value)
    {
        if (rule.field.find('.') == std::string::npos)
        {
            counts_[rule.field] = value;
        }
        else if (rule.flag.empty())
        {
            const bool same = r_.said(rule.field) == as_json(value);
            if (!same)
            {
                r_.forget(rule.field);
                r_.follow(rule.field, as_json(value), rule.says);
            }
        }
        else
        {
            r_.state(rule.field, as_json(value), *find_setting(r_, source_.prefix, rule.flag));
        }
    }

    void follow(const LaunchRule& rule, const FormulaValue& value)
    {
        if (rule.field.find('.') == std::string::npos)
        {
            counts_.try_emplace(rule.field, value);
        }
        else if (as_json(value) != "") // an empty text is no value of a field
        {
            r_.follow(rule.field, as_json(value),
                      rule.flag.empty() ? rule.says
                                        : fmt::format("default of {} in {}", rule.flag, r_.framework().name));
        }
    }

    LaunchReader& r_;
    const RuleSource& source_;
    std::map<std::string, FormulaValue, std::less<>> counts_;
};

} // namespace

std::optional<std::string> setting_text(const LaunchReader& reader, std::string_view name)
{
    const Setting* setting = reader.settings().find(name);
    return setting == nullptr || setting->value.is_null() || !setting->unknown.empty()
               ? std::nullopt
               : interpolated(reader, setting->name, plain_text(setting->value), 0);
}

void read_by_rules(LaunchReader& reader, const RuleSource& source)
{
    RulesOfFile(reader, source).read();
}

} // namespace ringside
