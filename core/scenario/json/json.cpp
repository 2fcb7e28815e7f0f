#include "core/scenario/json/json.h"

#include <fmt/format.h>

#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "core/scenario/based_on.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/json/serving_json.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

// Whether it has this as another id.
template <class Preset>
bool also_named([[maybe_unused]] const Preset& preset, [[maybe_unused]] std::string_view id)
{
    if constexpr (requires { preset.also; })
    {
        return std::ranges::find(preset.also, id) != preset.also.end();
    }
    return false;
}

// Takes what a preset has, where the value is its id or an object that names it; whether it does.
template <class Preset, class T>
bool take_preset(const JsonPlace& place, const std::vector<Preset>& list, T Preset::*part, auto id_of,
                 T& target)
{
    const bool id_alone = place.value.is_string();
    if (!id_alone && !place.has("preset"))
    {
        return false;
    }
    const JsonPlace named = id_alone ? place : place.member("preset");
    const std::string id = named.value.is_string() ? named.value.get<std::string>() : shown(named.value);
    std::vector<std::string> ids;
    for (const Preset& preset : list)
    {
        if (id_of(preset) == id || also_named(preset, id))
        {
            target = preset.*part;
            return true;
        }
        ids.push_back(id_of(preset));
    }
    named.fault(fmt::format("there is no preset \"{}\"", shortened(id)),
                did_you_mean(id, ids,
                             fmt::format("{} are known, for example {}", ids.size(),
                                         ids.empty() ? "none" : ids.front())));
    return true;
}

// Single fields change the accelerator that is there, or the one it is based on; one described in full has
// nothing of another's but where it came from, which need not be among the presets here.
void read_gpu(const JsonPlace& place, const Presets& presets, Gpu& target)
{
    Gpu gpu = target;
    const auto fields = fields_of(gpu);
    const bool in_full =
        std::all_of(fields.begin(), fields.end(), [&](const auto& f) { return place.has(f.name.data()); });
    if (in_full)
    {
        gpu = Gpu{};
    }
    const auto id_of = [](const GpuPreset& g) { return g.gpu.id; };
    take_preset(place, presets.gpus, &GpuPreset::gpu, id_of, gpu);
    if (!place.value.is_string() &&
        place.is_object("give a preset id or {\"memory_gb\", \"bf16_tflops\" ...}"))
    {
        if (place.has("based_on"))
        {
            const JsonPlace from = place.member("based_on");
            std::string id;
            read_value(from, {}, id);
            if (presets.gpu(id) != nullptr ? !place.has("preset") : !in_full && !id.empty())
            {
                take_preset(from, presets.gpus, &GpuPreset::gpu, id_of, gpu);
            }
            gpu.id = id;
        }
        append(place.issues,
               read_fields(place.value, place.path, gpu, {"name", "preset", "based_on", "calibration"}));
        append(place.issues, calibration_from_json(place.value, place.path, gpu.calibration));
        gpu.name = name_by_preset(gpu, presets);
        if (place.has("name"))
        {
            read_value(place.member("name"), {}, gpu.name);
        }
    }
    target = gpu;
}

void read_cluster(const JsonPlace& place, const Presets& presets, Cluster& cluster)
{
    const auto id_of = [](const ClusterPreset& c) { return c.id; };
    if (!take_preset(place, presets.clusters, &ClusterPreset::cluster, id_of, cluster))
    {
        const GpuPreset* standard = presets.gpu("h100-sxm-80gb");
        cluster.gpu = standard ? standard->gpu : cluster.gpu;
    }
    if (place.value.is_string() || !place.is_object("give a preset id or {\"gpu\", \"gpus\" ...}"))
    {
        return;
    }
    if (place.has("gpu"))
    {
        read_gpu(place.member("gpu"), presets, cluster.gpu);
    }
    append(place.issues, read_fields(place.value, place.path, cluster, {"gpu", "preset"}));
}

// Left out, or one that only changes fields: what the accelerator suggests.
void read_software(const JsonPlace& place, const Presets& presets, Scenario& s)
{
    s.software = presets.usual_software(s.cluster.gpu);
    if (place.value.is_null())
    {
        return;
    }
    take_preset(
        place, presets.software, &SoftwarePreset::software,
        [](const SoftwarePreset& p) { return p.software.id; }, s.software);
    if (!place.value.is_string() && place.is_object("give a preset id or {\"preset\", \"loss\" ...}"))
    {
        append(place.issues, read_fields(place.value, place.path, s.software, {"preset"}));
    }
    s.software.inferred = false;
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
    Issues issues;
    if (!JsonPlace{gpu["calibration"], where, issues}.is_object("use {\"gemm_efficiency\": 0.7, ...}"))
    {
        return issues;
    }
    return read_fields(gpu["calibration"], where, target);
}

Result<Model> model_from_json(const json& value, const Presets& presets)
{
    Issues issues;
    const JsonPlace place{value, "model", issues};
    Model model;
    model.name = "custom model";
    const auto id_of = [](const ModelPreset& m) { return m.model.preset; };
    const bool from_preset = take_preset(place, presets.models, &ModelPreset::model, id_of, model);
    if (issues.empty() && !value.is_string() &&
        place.is_object("give a preset id or {\"layers\", \"hidden\" ...}"))
    {
        if (place.has("name"))
        {
            read_value(place.member("name"), {}, model.name);
        }
        append(issues, read_fields(value, "model", model, {"preset", "name"}));
    }
    if (!issues.empty())
    {
        return issues;
    }
    if (!from_preset)
    {
        assume_family(value, model);
    }
    return value.is_string() ? model : resolved(std::move(model));
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
    const std::vector<std::string> sections{"schema",   "model",       "cluster",    "parallel",
                                            "training", "stage_times", "collective", "software",
                                            "serving",  "name",        "about",      "id"};
    JsonPlace{value, "", issues}.refuse_others(sections);
    const auto schema = value.find("schema");
    const auto* word = schema == value.end() ? nullptr : schema->get_ptr<const std::string*>();
    if (schema != value.end() && (word == nullptr || *word != "ringside.scenario/1"))
    {
        issues.push_back({"schema", shown(value["schema"]) + " is not a scenario this version reads",
                          "use \"ringside.scenario/1\""});
    }
    const json model = value.value("model", json("llama-3.1-70b"));
    auto read = model_from_json(model, presets);
    append(issues, read ? Issues() : read.issues());
    s.model = read ? *read : s.model;
    const json cluster = value.value("cluster", json::object());
    read_cluster({cluster, "cluster", issues}, presets, s.cluster);
    const json software = value.value("software", json());
    read_software({software, "software", issues}, presets, s);
    const auto section = [&](const json& from, const std::string& path, auto& target,
                             const std::vector<std::string>& parts = {})
    {
        const std::string name = path.substr(path.rfind('.') + 1);
        const bool there = from.is_object() && from.contains(name);
        if (there && JsonPlace{from[name], path, issues}.is_object("use {\"field\": value, ...}"))
        {
            append(issues, read_fields(from[name], path, target, parts));
        }
    };
    section(value, "parallel", s.parallel);
    section(value, "training", s.training, {"lora"});
    section(value.value("training", json()), "training.lora", s.training.lora);
    section(value, "stage_times", s.stage_times);
    section(value, "collective", s.collective);
    if (value.contains("serving") && !value["serving"].is_null())
    {
        s.serving = read_serving({value["serving"], "serving", issues}, s, presets);
    }
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
