#include "core/scenario/json.h"

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/unknown_fields.h"
#include "core/scenario/validate.h"

namespace ringside
{

using nlohmann::json;

namespace
{

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
    return {path, fmt::format("there is no preset \"{}\"", shortened(id)),
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
