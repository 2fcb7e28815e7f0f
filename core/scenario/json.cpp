#include "core/scenario/json.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <cmath>
#include <set>

namespace ringside
{

using nlohmann::json;

std::string shown(const json& value)
{
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    constexpr std::size_t kLongest = 60;
    if (text.size() <= kLongest)
    {
        return text;
    }
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    {
        --end; // never inside a character
    }
    return text.substr(0, end) + "...";
}

std::optional<std::int64_t> whole(const json& value)
{
    if (value.is_number_integer())
    {
        return value.is_number_unsigned() && value.get<std::uint64_t>() > (std::uint64_t{1} << 62U)
                   ? std::optional<std::int64_t>{}
                   : value.get<std::int64_t>();
    }
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        std::abs(value.get<double>()) < 4e18)
    {
        return static_cast<std::int64_t>(value.get<double>());
    }
    return {};
}

namespace
{

// Issues for names nobody knows. A file of nothing else is answered with the first hundred.
class UnknownFields
{
public:
    explicit UnknownFields(std::vector<std::string> known) : known_(std::move(known)) {}

    void add(Issues& issues, const std::string& path, const std::string& name)
    {
        constexpr std::size_t kMost = 100;
        if (++count_ > kMost)
        {
            return;
        }
        const std::string near = nearest_word(name, known_);
        issues.push_back({path, "unknown field",
                          near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                       : fmt::format("did you mean \"{}\"?", near)});
        if (count_ == kMost)
        {
            issues.push_back(
                {path, "and more unknown fields after this one", "only the first 100 are named"});
        }
    }

private:
    std::vector<std::string> known_;
    std::size_t count_ = 0;
};

// The optional "name" of an inline model or accelerator.
Issues read_name(const json& object, const std::string& path, std::string& target)
{
    if (!object.contains("name"))
    {
        return {};
    }
    if (!object["name"].is_string())
    {
        return {{path + ".name", shown(object["name"]) + " is not text", "use \"name\": \"...\""}};
    }
    target = object["name"].get<std::string>();
    return {};
}

std::string range_hint(double least, double most)
{
    return fmt::format("use {} to {}", three_digits(least), three_digits(most));
}

// One overload for each kind of member. Each returns an issue without a path, or nothing.
template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>& f, std::int64_t S::*member, S& target)
{
    const auto number = whole(v);
    if (!number)
    {
        return Issue{"", shown(v) + " is not a whole number", range_hint(f.least, f.most)};
    }
    if (static_cast<double>(*number) < f.least || static_cast<double>(*number) > f.most)
    {
        return Issue{"", fmt::format("{} is out of range", *number), range_hint(f.least, f.most)};
    }
    target.*member = *number;
    return {};
}

template <class S>
std::optional<Issue> read_member(const json& v, const Field<S>& f, double S::*member, S& target)
{
    if (!v.is_number())
    {
        return Issue{"", shown(v) + " is not a number", range_hint(f.least, f.most)};
    }
    const double number = v.get<double>();
    if (!(number >= f.least && number <= f.most))
    {
        return Issue{"", shown(v) + " is out of range", range_hint(f.least, f.most)};
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
            return Issue{"", shown(entry) + " is not a whole number in range", range_hint(f.least, f.most)};
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

template <class S>
json member_value(const Field<S>& field, const S& source)
{
    return std::visit(
        [&](const auto& member) -> json
        {
            if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Choice<S>>)
            {
                return std::string(member.names[static_cast<std::size_t>(member.get(source))]);
            }
            else
            {
                return source.*member;
            }
        },
        field.member);
}

template <class S>
json to_object(const S& source)
{
    json object = json::object();
    for (const Field<S>& field : fields_of(source))
    {
        object[std::string(field.name)] = member_value(field, source);
    }
    return object;
}

// Only the fields in which `source` differs from `base`.
template <class S>
json differences(const S& source, const S& base)
{
    json object = json::object();
    for (const Field<S>& field : fields_of(source))
    {
        json value = member_value(field, source);
        if (value != member_value(field, base))
        {
            object[std::string(field.name)] = std::move(value);
        }
    }
    return object;
}

template <class List>
Issue unknown_preset(const std::string& path, const std::string& id, const List& list, auto id_of)
{
    std::vector<std::string> ids;
    ids.reserve(list.size());
    for (const auto& entry : list)
    {
        ids.push_back(id_of(entry));
    }
    const std::string near = nearest_word(id, ids);
    return {path, fmt::format("there is no preset \"{}\"", id),
            near.empty()
                ? fmt::format("{} are known, for example {}", ids.size(), ids.empty() ? "none" : ids.front())
                : fmt::format("did you mean \"{}\"?", near)};
}

Result<Gpu> gpu_from_json(const json& value, const std::string& path, const Presets& presets)
{
    if (value.is_string())
    {
        const GpuPreset* preset = presets.gpu(value.get_ref<const std::string&>());
        return preset ? Result<Gpu>(preset->gpu)
                      : Result<Gpu>(unknown_preset(path, value.get<std::string>(), presets.gpus,
                                                   [](const GpuPreset& g) { return g.gpu.id; }));
    }
    if (!value.is_object())
    {
        return Issue{path, shown(value) + " is not an accelerator",
                     "give a preset id or an object with memory_gb, bf16_tflops ..."};
    }
    Gpu gpu;
    gpu.name = "custom GPU";
    if (value.contains("preset"))
    {
        auto base = gpu_from_json(value["preset"].is_string() ? value["preset"] : json("?"), path, presets);
        if (!base)
        {
            return base.issues();
        }
        gpu = *base;
        gpu.id.clear(); // no longer the preset's
    }
    Issues issues = read_name(value, path, gpu.name);
    Issues more = read_fields(value, path, gpu, {"name", "preset", "calibration"});
    issues.insert(issues.end(), more.begin(), more.end());
    more = calibration_from_json(value, path, gpu.calibration);
    issues.insert(issues.end(), more.begin(), more.end());
    return issues.empty() ? Result<Gpu>(gpu) : Result<Gpu>(issues);
}

Result<Cluster> cluster_from_json(const json& value, const Presets& presets)
{
    const std::string path = "cluster";
    if (value.is_string())
    {
        const ClusterPreset* preset = presets.cluster(value.get_ref<const std::string&>());
        return preset ? Result<Cluster>(preset->cluster)
                      : Result<Cluster>(unknown_preset(path, value.get<std::string>(), presets.clusters,
                                                       [](const ClusterPreset& c) { return c.id; }));
    }
    if (!value.is_object())
    {
        return Issue{path, shown(value) + " is not a cluster",
                     "give a preset id or an object with gpu, gpus ..."};
    }
    Cluster cluster;
    Issues issues;
    if (value.contains("preset"))
    {
        auto base = cluster_from_json(value["preset"].is_string() ? value["preset"] : json("?"), presets);
        if (!base)
        {
            return base.issues();
        }
        cluster = *base;
    }
    else if (const GpuPreset* standard = presets.gpu("h100-sxm-80gb"))
    {
        cluster.gpu = standard->gpu;
    }
    if (value.contains("gpu"))
    {
        auto gpu = gpu_from_json(value["gpu"], path + ".gpu", presets);
        if (gpu)
        {
            cluster.gpu = *gpu;
        }
        else
        {
            issues = gpu.issues();
        }
    }
    Issues more = read_fields(value, path, cluster, {"gpu", "preset"});
    issues.insert(issues.end(), more.begin(), more.end());
    return issues.empty() ? Result<Cluster>(cluster) : Result<Cluster>(issues);
}

// Watches a parse: how deep it goes, and the first field given twice, of which the library silently keeps the
// last.
class KeyWatch
{
public:
    bool see(int depth, json::parse_event_t event, const json& parsed)
    {
        deepest_ = std::max(deepest_, depth);
        if (event == json::parse_event_t::object_start)
        {
            open_.emplace_back();
        }
        else if (event == json::parse_event_t::object_end)
        {
            open_.pop_back();
        }
        else if (event == json::parse_event_t::key)
        {
            open_.back().last = parsed.get<std::string>();
            if (!open_.back().keys.insert(open_.back().last).second && !twice_)
            {
                twice_ = path();
            }
        }
        return true;
    }

    int deepest() const { return deepest_; }
    const std::optional<std::string>& twice() const { return twice_; }

private:
    struct OpenObject
    {
        std::set<std::string> keys;
        std::string last;
    };

    std::string path() const
    {
        std::string path;
        for (const OpenObject& object : open_)
        {
            path += (&object == &open_.front() ? "" : ".") + object.last;
        }
        return path;
    }

    std::vector<OpenObject> open_;
    std::optional<std::string> twice_;
    int deepest_ = 0;
};

// GPT-style shapes (plain MLP) come with LayerNorm, biases, learned positions, tied embeddings and dropout;
// gated ones (Llama and its kin) with RMSNorm, rotary positions and none of the rest. Only for fields not
// given.
void assume_family(const json& given, Model& model)
{
    const bool gated = model.gated_mlp;
    const auto unless_given = [&](const char* name, auto Model::*member, auto value)
    {
        if (!given.contains(name))
        {
            model.*member = value;
        }
    };
    unless_given("norm", &Model::norm, gated ? Norm::rmsnorm : Norm::layernorm);
    unless_given("biases", &Model::biases, !gated);
    unless_given("tied_embeddings", &Model::tied_embeddings, !gated);
    unless_given("dropout", &Model::dropout, !gated);
    if (!given.contains("position_embedding"))
    {
        unless_given("positions", &Model::positions, gated ? Positions::rope : Positions::learned);
    }
    const Attention attention = model.kv_lora_rank > 0                                ? Attention::mla
                                : model.kv_heads > 0 && model.kv_heads != model.heads ? Attention::gqa
                                                                                      : Attention::mha;
    unless_given("attention", &Model::attention, attention);
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

Issues calibration_from_json(const json& gpu, const std::string& path, Calibration& target)
{
    if (!gpu.contains("calibration"))
    {
        return {};
    }
    const std::string where = path.empty() ? "calibration" : path + ".calibration";
    if (!gpu["calibration"].is_object())
    {
        return {{where, shown(gpu["calibration"]) + " is not an object",
                 "use {\"gemm_efficiency\": 0.7, ...}, or leave it out"}};
    }
    return read_fields(gpu["calibration"], where, target);
}

Result<json> parse_json(std::string_view text)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    {
        return Issue{"", "the file is empty",
                     "a scenario starts with {\"schema\": \"ringside.scenario/1\", ...}"};
    }
    if (text.size() > kMaxJsonBytes)
    {
        return Issue{"",
                     fmt::format("{} of JSON is more than the {} that are read",
                                 format_bytes(Bytes(static_cast<double>(text.size()))),
                                 format_bytes(Bytes(static_cast<double>(kMaxJsonBytes)), ByteUnit::binary)),
                     "a scenario has a few hundred bytes"};
    }
    KeyWatch watch;
    try
    {
        json parsed = json::parse(text, [&](int depth, json::parse_event_t event, json& key)
                                  { return watch.see(depth, event, key); });
        if (watch.twice())
        {
            return Issue{*watch.twice(), "given twice", "keep one"};
        }
        if (watch.deepest() > 64)
        {
            return Issue{"", fmt::format("nested {} deep", watch.deepest()), "at most 64 levels are read"};
        }
        return parsed;
    }
    catch (const json::exception& fault)
    {
        std::string what = fault.what();
        const auto bracket = what.find("] ");
        return Issue{"", "not JSON: " + (bracket == std::string::npos ? what : what.substr(bracket + 2)),
                     "check commas, quotes and brackets there"};
    }
}

Result<Model> model_from_json(const json& value, const Presets& presets)
{
    const auto preset_of = [&](const std::string& id, const std::string& path) -> Result<Model>
    {
        const ModelPreset* preset = presets.model(id);
        return preset ? Result<Model>(preset->model)
                      : Result<Model>(unknown_preset(path, id, presets.models,
                                                     [](const ModelPreset& m) { return m.model.preset; }));
    };
    if (value.is_string())
    {
        return preset_of(value.get<std::string>(), "model");
    }
    if (!value.is_object())
    {
        return Issue{"model", shown(value) + " is not a model",
                     "give a preset id or an object with layers, hidden, heads ..."};
    }
    Model model;
    const bool from_preset = value.contains("preset");
    if (from_preset)
    {
        auto base = preset_of(value["preset"].is_string() ? value["preset"].get<std::string>()
                                                          : shown(value["preset"]),
                              "model.preset");
        if (!base)
        {
            return base;
        }
        model = *base;
    }
    if (!from_preset)
    {
        model.name = "custom model";
    }
    Issues issues = read_name(value, "model", model.name);
    const Issues more = read_fields(value, "model", model, {"preset", "name"});
    issues.insert(issues.end(), more.begin(), more.end());
    if (!issues.empty())
    {
        return issues;
    }
    if (!from_preset)
    {
        assume_family(value, model);
    }
    return resolved(std::move(model));
}

Result<Scenario> scenario_from_json(const json& value, const Presets& presets)
{
    if (!value.is_object())
    {
        return Issue{"", shown(value) + " is not a scenario",
                     "a scenario is an object: {\"model\": ..., \"cluster\": ...}"};
    }
    Scenario s;
    Issues issues;
    const auto gather = [&](const Issues& more) { issues.insert(issues.end(), more.begin(), more.end()); };
    const std::vector<std::string> sections{"schema",      "model",      "cluster", "parallel", "training",
                                            "stage_times", "collective", "name",    "about",    "id"};
    UnknownFields unknown(sections);
    for (const auto& [key, section] : value.items())
    {
        if (std::find(sections.begin(), sections.end(), key) == sections.end())
        {
            unknown.add(issues, key, key);
        }
    }
    if (value.contains("schema") && value["schema"] != "ringside.scenario/1")
    {
        issues.push_back({"schema", shown(value["schema"]) + " is not a scenario this version reads",
                          "use \"ringside.scenario/1\""});
    }
    const json model = value.value("model", json("llama-3.1-70b"));
    if (auto read = model_from_json(model, presets))
    {
        s.model = *read;
    }
    else
    {
        gather(read.issues());
    }
    if (auto read = cluster_from_json(value.value("cluster", json::object()), presets))
    {
        s.cluster = *read;
    }
    else
    {
        gather(read.issues());
    }
    const auto section = [&](const char* name, auto& target)
    {
        if (!value.contains(name))
        {
            return;
        }
        if (!value[name].is_object())
        {
            issues.push_back({name, shown(value[name]) + " is not an object", "use {\"field\": value, ...}"});
            return;
        }
        gather(read_fields(value[name], name, target));
    };
    section("parallel", s.parallel);
    section("training", s.training);
    section("stage_times", s.stage_times);
    section("collective", s.collective);
    if (!issues.empty())
    {
        return issues;
    }
    if (model.is_object() && !model.contains("preset") && !model.contains("max_sequence_length"))
    {
        s.model.max_sequence_length = s.training.sequence_length;
    }
    return s;
}

Result<Scenario> scenario_from_text(std::string_view text, const Presets& presets)
{
    auto parsed = parse_json(text);
    return parsed ? scenario_from_json(*parsed, presets) : Result<Scenario>(parsed.issues());
}

json to_json(const Model& model)
{
    return to_object(model);
}

json to_json(const Scenario& s, const Presets& presets)
{
    json out = {{"schema", "ringside.scenario/1"}};
    const ModelPreset* preset = presets.model(s.model.preset);
    if (preset)
    {
        const json changed = differences(s.model, preset->model);
        out["model"] = changed.empty() ? json(s.model.preset) : changed;
        if (!changed.empty())
        {
            out["model"]["preset"] = s.model.preset;
        }
    }
    else
    {
        out["model"] = to_object(s.model);
    }
    if (s.model.name != (preset ? preset->model.name : "custom model"))
    {
        if (out["model"].is_string())
        {
            out["model"] = {{"preset", s.model.preset}};
        }
        out["model"]["name"] = s.model.name;
    }
    out["cluster"] = to_object(s.cluster);
    const GpuPreset* gpu = presets.gpu(s.cluster.gpu.id);
    out["cluster"]["gpu"] =
        gpu && gpu->gpu == s.cluster.gpu ? json(s.cluster.gpu.id) : to_object(s.cluster.gpu);
    if (out["cluster"]["gpu"].is_object())
    {
        out["cluster"]["gpu"]["name"] = s.cluster.gpu.name;
        const json calibration = differences(s.cluster.gpu.calibration, Calibration{});
        if (!calibration.empty())
        {
            out["cluster"]["gpu"]["calibration"] = calibration;
        }
    }
    out["parallel"] = to_object(s.parallel);
    out["training"] = to_object(s.training);
    out["stage_times"] = to_object(s.stage_times);
    out["collective"] = to_object(s.collective);
    return out;
}

Issues set_path(json& document, std::string_view assignment)
{
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
    {
        return {{"", fmt::format("--set {} has no value", assignment),
                 "use PATH=VALUE, for example parallel.tensor=4"}};
    }
    const std::string path(assignment.substr(0, equals));
    const std::string text(assignment.substr(equals + 1));
    auto parsed = parse_json(text); // with its limits: a value nested a thousand deep is text
    json value = parsed ? std::move(*parsed) : json(text);
    json* at = &document;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin))
    {
        if (at->is_string())
        {
            *at = {{"preset", *at}};
        }
        if (at->is_null())
        {
            *at = json::object();
        }
        if (!at->is_object())
        {
            return {
                {path.substr(0, begin), "has no fields", "use PATH=VALUE, for example parallel.tensor=4"}};
        }
        at = &(*at)[path.substr(begin, dot - begin)];
        begin = dot + 1;
    }
    if (at->is_string())
    {
        *at = {{"preset", *at}};
    }
    if (!at->is_null() && !at->is_object())
    {
        return {{path, "has no fields", "use PATH=VALUE, for example parallel.tensor=4"}};
    }
    if (path.substr(0, begin) == "model." && at->is_null())
    {
        *at = {{"preset", "llama-3.1-70b"}};
    }
    (*at)[path.substr(begin)] = value;
    return {};
}

} // namespace ringside
