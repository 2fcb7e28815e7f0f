#include "core/planner/launch/rules.h"

#include "core/scenario/json/json_fields.h"
#include "core/scenario/stage_layers.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside
{

namespace
{

// The mesh, innermost first. Experts are cut over the replicas; the rest of those hold shards or copies.
struct MeshAxis
{
    std::string_view name;
    std::int64_t size;
};
std::vector<MeshAxis> mesh_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const std::int64_t rest = data_parallel(s) / std::gcd(data_parallel(s), p.expert);
    return {{"tensor", p.sequence_parallel ? 1 : p.tensor},
            {"sequence", p.sequence_parallel ? p.tensor : 1},
            {"context", p.context},
            {"expert", p.expert},
            {"shards", p.zero == 3 ? rest : 1},
            {"replicas", p.zero == 3 ? 1 : rest},
            {"pipeline", p.pipeline}};
}

std::optional<FormulaValue> mesh_part(const Scenario& s, std::string_view name)
{
    const bool within = name.starts_with("within.");
    if (!within && !name.starts_with("across."))
    {
        return {};
    }
    std::int64_t left = std::min(s.cluster.gpus, s.cluster.gpus_per_node);
    for (const MeshAxis& axis : mesh_of(s))
    {
        const std::int64_t inside = std::gcd(axis.size, left);
        left /= inside;
        if (name.substr(7) == axis.name)
        {
            return FormulaValue::of(static_cast<double>(within ? inside : axis.size / inside));
        }
    }
    return {};
}

std::string list_text(const std::vector<std::int64_t>& numbers)
{
    return numbers.empty() ? "" : fmt::format("[{}]", fmt::join(numbers, ", "));
}

// [["tok_embeddings", "layers.0"], ["layers.1", "norm", "output"]]
std::string stage_modules(const std::vector<std::int64_t>& stages, std::string_view output)
{
    std::string list = "[";
    std::int64_t next = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        std::vector<std::string> names;
        if (i == 0)
        {
            names.emplace_back("\"tok_embeddings\"");
        }
        for (std::int64_t layer = 0; layer < stages[i]; ++layer)
        {
            names.push_back(fmt::format("\"layers.{}\"", next++));
        }
        if (i + 1 == stages.size())
        {
            names.emplace_back("\"norm\"");
            names.push_back(fmt::format("\"{}\"", output));
        }
        list += fmt::format("{}[{}]", i > 0 ? ", " : "", fmt::join(names, ", "));
    }
    return list + "]";
}

// Indices of the layers with experts; [-1] is all of them.
std::string indices_of_expert_layers(const Model& m)
{
    std::vector<std::int64_t> layers;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        if (has_experts(m, layer))
        {
            layers.push_back(layer);
        }
    }
    return static_cast<std::int64_t>(layers.size()) == m.layers ? "[-1]" : list_text(layers);
}

struct Count
{
    std::string_view name;
    std::int64_t (*of)(const Scenario&);
};
constexpr std::array kCounts{
    Count{"data", data_parallel},
    Count{"micro_batches", micro_batches},
    Count{"steps", train_steps},
    Count{"hosts", hosts},
    Count{"processes", processes_per_host},
    Count{"dense_shards", dense_shards},
    Count{"dense_copies", [](const Scenario& s) { return dense_replicas(s) / dense_shards(s); }},
    Count{"blocks", [](const Scenario& s)
          { return s.model.layers / std::max<std::int64_t>(1, s.parallel.pipeline * s.parallel.chunks); }},
};

// "Et*20|t*20,L": embedding, layers and loss on their stages, as Megatron Core reads it; "" where they are
// even.
std::string layout_letters(const Scenario& s)
{
    std::string layout;
    const auto stages = uneven_layers(s);
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        layout += fmt::format("{}{}", i > 0 ? "|" : "E", stages[i] > 0 ? fmt::format("t*{}", stages[i]) : "");
    }
    return layout.empty() ? "" : layout + ",L";
}

struct CountText
{
    std::string_view name;
    std::string (*of)(const Scenario&);
};
constexpr std::array kTexts{
    CountText{"uneven", [](const Scenario& s) { return list_text(uneven_layers(s)); }},
    CountText{"expert_layers", [](const Scenario& s) { return indices_of_expert_layers(s.model); }},
    CountText{"layout_letters", layout_letters},
    CountText{"torchrun", torchrun},
    CountText{"gpu_name", [](const Scenario& s) { return one_line(s.cluster.gpu.name); }},
};

// What no framework's ready models fix, as `m` has it: the names, the sequence, dropout, the router's
// offsets, and the MLP where every layer has experts.
Model with_free_fields(Model shape, const Model& m)
{
    shape.preset = m.preset;
    shape.name = m.name;
    shape.max_sequence_length = m.max_sequence_length;
    shape.dropout = m.dropout;
    shape.router_bias = m.router_bias;
    const bool no_mlp = m.experts > 0 && m.dense_layers == 0 && m.moe_interval == 1;
    shape.ffn = no_mlp ? m.ffn : shape.ffn;
    return shape;
}

} // namespace

bool is_of_version(const std::vector<std::string>& versions, std::string_view version)
{
    return versions.empty() || std::ranges::find(versions, version) != versions.end();
}

std::string_view version_of(const Framework& f, std::string_view id)
{
    const auto found = std::ranges::find(f.versions, id, &LaunchVersion::id);
    return found != f.versions.end() ? std::string_view(found->id)
           : f.versions.empty()      ? std::string_view()
                                     : std::string_view(f.versions.front().id);
}

std::optional<FormulaValue> field_of(const Scenario& scenario, std::string_view path)
{
    std::optional<FormulaValue> value;
    each_section(scenario,
                 [&](std::string_view section, const auto& object)
                 {
                     if (!path.starts_with(section) || path.size() <= section.size() + 1)
                     {
                         return;
                     }
                     for (const auto& field : fields_of(object))
                     {
                         if (path.substr(section.size() + 1) == field.name)
                         {
                             const nlohmann::json json = field_json(field, object);
                             value = json.is_string()   ? FormulaValue{json.get<std::string>()}
                                     : json.is_array()  ? FormulaValue{json.empty() ? "" : json.dump()}
                                     : json.is_number() ? FormulaValue::of(json.get<double>())
                                                        : FormulaValue::of(json.dump());
                         }
                     }
                 });
    return value;
}

namespace
{

// As JSON of the kind that the field has.
nlohmann::json as_kind_of(const nlohmann::json& now, const FormulaValue& value)
{
    if (now.is_boolean())
    {
        return value.is_number ? nlohmann::json(value.number != 0) : nlohmann::json();
    }
    if (now.is_number())
    {
        return value.is_number ? nlohmann::json::parse(value.text, nullptr, false) : nlohmann::json();
    }
    return now.is_string()      ? nlohmann::json(value.text)
           : value.text.empty() ? nlohmann::json::array()
                                : nlohmann::json::parse(value.text, nullptr, false);
}

template <class S>
bool set_member(S& object, const Field<S>& field, const FormulaValue& value)
{
    const nlohmann::json json = as_kind_of(field_json(field, object), value);
    Issues issues;
    const JsonPlace place{json, "", issues};
    std::visit([&](const auto& member)
               { read_member(place, {.least = field.least, .most = field.most}, member, object); },
               field.member);
    return issues.empty();
}

} // namespace

bool set_field(Scenario& scenario, std::string_view path, const FormulaValue& value)
{
    bool done = false;
    each_section(scenario,
                 [&](std::string_view section, auto& object)
                 {
                     for (const auto& field : fields_of(object))
                     {
                         if (path.starts_with(section) &&
                             path.size() == section.size() + 1 + field.name.size() &&
                             path.ends_with(field.name))
                         {
                             done = set_member(object, field, value);
                         }
                     }
                 });
    return done;
}

const LaunchFlavor* flavor_of(const Framework& framework, const Model& model, std::string_view version)
{
    const Model wanted = resolved(model);
    const auto found = std::ranges::find_if(framework.flavors,
                                            [&](const LaunchFlavor& flavor) {
                                                return is_of_version(flavor.versions, version) &&
                                                       with_free_fields(flavor.shape, wanted) == wanted;
                                            });
    return found == framework.flavors.end() ? nullptr : &*found;
}

ScenarioNames::ScenarioNames(const Scenario& scenario, const Framework& framework, std::string_view version)
    : s_(scenario), flavor_(flavor_of(framework, scenario.model, version))
{
}

std::optional<FormulaValue> flavor_word_of(const LaunchFlavor* flavor, std::string_view name)
{
    const auto word = [&](std::string LaunchFlavor::*member)
    { return FormulaValue{flavor == nullptr ? std::string() : flavor->*member}; };
    return name == "known"              ? std::optional(FormulaValue::of(flavor == nullptr ? 0.0 : 1.0))
           : name == "module"           ? std::optional(word(&LaunchFlavor::module))
           : name == "flavor"           ? std::optional(word(&LaunchFlavor::flavor))
           : name == "config"           ? std::optional(word(&LaunchFlavor::config))
           : name == "config_recompute" ? std::optional(word(&LaunchFlavor::recompute))
                                        : std::nullopt;
}

std::optional<FormulaValue> ScenarioNames::operator()(std::string_view name) const
{
    if (const auto found = defined_.find(name); found != defined_.end())
    {
        return found->second;
    }
    if (const auto count = std::ranges::find(kCounts, name, &Count::name); count != kCounts.end())
    {
        return FormulaValue::of(static_cast<double>(count->of(s_)));
    }
    if (const auto text = std::ranges::find(kTexts, name, &CountText::name); text != kTexts.end())
    {
        return FormulaValue{text->of(s_)};
    }
    constexpr std::string_view kModules = "modules.";
    if (name.starts_with(kModules))
    {
        const auto stages = uneven_layers(s_);
        return FormulaValue{stages.empty() ? "" : stage_modules(stages, name.substr(kModules.size()))};
    }
    if (const auto word = flavor_word_of(flavor_, name))
    {
        return word;
    }
    const auto part = mesh_part(s_, name);
    return part ? part : field_of(s_, name);
}

namespace
{

// What a setting's text is called in a scenario; nothing where no word is it.
std::optional<FormulaValue> meaning_of(const LaunchRule& rule, const std::string& text)
{
    if (rule.words.empty())
    {
        return FormulaValue::of(text);
    }
    const auto word = std::ranges::find_if(
        rule.words, [&](const LaunchWord& w)
        { return w.why.empty() && (w.says == text || (w.says.empty() && text == "true")); });
    return word == rule.words.end() ? std::nullopt : std::optional(FormulaValue::of(word->is));
}

void read_rule(const LaunchRule& rule, const RuleReading& reading)
{
    const std::optional<std::string> text =
        rule.flag.empty() || rule.in_code ? std::nullopt : reading.setting(rule);
    if (rule.flag.empty() && !rule.reads.empty())
    {
        if (const auto value = evaluate_formula(rule.reads, reading.names))
        {
            reading.state(rule, *value);
        }
        return;
    }
    if (!text)
    {
        const auto value = rule.without.empty() ? Result<FormulaValue>(Issue{})
                                                : evaluate_formula(rule.without, reading.names);
        if (value)
        {
            reading.follow(rule, *value);
        }
        return;
    }
    std::optional<FormulaValue> value = meaning_of(rule, *text);
    if (!value)
    {
        reading.unknown(rule, *text);
        return;
    }
    if (!rule.reads.empty())
    {
        const auto names = [&](std::string_view name)
        { return name == "value" ? value : reading.names(name); };
        const auto read = evaluate_formula(rule.reads, names);
        value = read ? std::optional(*read) : std::nullopt;
    }
    if (value)
    {
        reading.state(rule, *value);
    }
}

} // namespace

void read_rules(const Framework& framework, std::string_view version, const RuleReading& reading)
{
    for (const LaunchRule& rule : framework.launch)
    {
        if (!rule.field.empty() && is_of_version(rule.versions, version))
        {
            read_rule(rule, reading);
        }
    }
}

Issues formula_faults(const Framework& framework)
{
    // Which values names have does not matter here, only that the text is a formula.
    const FormulaNames any = [](std::string_view) { return std::optional(FormulaValue::of(1.0)); };
    Issues issues;
    const auto check = [&](const std::string& formula, const std::string& path)
    {
        const auto value =
            formula.empty() ? Result<FormulaValue>(FormulaValue()) : evaluate_formula(formula, any);
        if (!value)
        {
            issues.push_back({path, value.issues().front().message, value.issues().front().hint});
        }
    };
    for (std::size_t i = 0; i < framework.launch.size(); ++i)
    {
        const LaunchRule& rule = framework.launch[i];
        const std::string path = fmt::format("launch[{}]", i);
        check(rule.when, path + ".when");
        check(rule.value, path + ".value");
        check(rule.reads, path + ".reads");
        check(rule.without, path + ".without");
        if (rule.field.find('.') != std::string::npos && !field_of(Scenario(), rule.field))
        {
            issues.push_back({path + ".field", fmt::format("there is no \u201c{}\u201d", rule.field),
                              "use a field of the scenario"});
        }
    }
    for (std::size_t i = 0; i < framework.refuses.size(); ++i)
    {
        check(framework.refuses[i].when, fmt::format("refuses[{}].when", i));
    }
    for (std::size_t i = 0; i < framework.files.size(); ++i)
    {
        check(framework.files[i].when, fmt::format("files[{}].when", i));
    }
    return issues;
}

} // namespace ringside
