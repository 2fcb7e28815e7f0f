#include "core/scenario/hugging_face/hugging_face.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/hugging_face/families.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::size_t kLongestName = 80;

const HfFamily* find_family(std::string_view type, std::string_view HfFamily::*field)
{
    const auto all = hugging_face_families();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const HfFamily& family) { return family.*field == type; });
    return found == all.end() ? nullptr : &*found;
}

std::string text_of(const json& object, const char* name)
{
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The first of "architectures".
std::string architecture_of(const json& object)
{
    const auto found = object.find("architectures");
    const bool listed =
        found != object.end() && found->is_array() && !found->empty() && found->front().is_string();
    return listed ? found->front().get<std::string>() : std::string();
}

// By model_type; by architecture where that is unknown, as in what others have trained further.
Result<const HfFamily*> family_of(const json& object, const std::string& prefix, Issues& notes)
{
    const std::string type = text_of(object, "model_type");
    if (const HfFamily* family = find_family(type, &HfFamily::type))
    {
        return family;
    }
    const std::string architecture = architecture_of(object);
    if (const HfFamily* family = find_family(architecture, &HfFamily::architecture))
    {
        notes.push_back({prefix + "model_type",
                         fmt::format("{}, read as {} because of {}", type.empty() ? "missing" : shown(type),
                                     family->type, architecture),
                         "", Severity::warning});
        return family;
    }
    const std::vector<std::string_view> known = hugging_face_types();
    const std::string near = nearest_word(type, {known.begin(), known.end()});
    const std::string all = fmt::format("known are {}", fmt::join(known, ", "));
    if (object.contains("model_type"))
    {
        return Issue{prefix + "model_type", shown(object["model_type"]) + " is not known",
                     near.empty() ? all : fmt::format("did you mean \"{}\"? {}", near, all)};
    }
    return Issue{prefix + "model_type", "is missing", all};
}

// What hangs on a model and is no part of a Model.
void note_extras(const json& config, const std::string& prefix, Issues& notes)
{
    const auto note = [&](const std::string& path, std::string message, std::string hint) {
        notes.push_back({path, std::move(message), std::move(hint), Severity::warning});
    };
    for (const char* tower : {"vision_config", "audio_config"})
    {
        if (config.contains(tower) && config[tower].is_object())
        {
            note(tower, "is left out", "only the language model counts");
        }
    }
    const json& text = prefix.empty() ? config : config["text_config"];
    for (const char* name : {"num_nextn_predict_layers", "mtp_num_hidden_layers"})
    {
        const auto layers = text.contains(name) ? whole(text[name]) : std::nullopt;
        if (layers && *layers > 0)
        {
            note(prefix + name,
                 fmt::format("{} more for multi-token prediction left out",
                             *layers == 1 ? "1 layer" : fmt::format("{} layers", *layers)),
                 "model.mtp_layers adds them");
        }
    }
    if (config.contains("quantization_config") && config["quantization_config"].is_object())
    {
        const std::string method = text_of(config["quantization_config"], "quant_method");
        note("quantization_config",
             fmt::format("{} weights on the hub", method.empty() ? "quantized" : method),
             "training counts the scenario's precision");
    }
}

void check_heads(HfConfig& c, const Model& m)
{
    if (m.attention != Attention::mla && m.head_dim == 0 && m.hidden % m.heads != 0)
    {
        c.fault("num_attention_heads", fmt::format("{} heads do not divide the width {}", m.heads, m.hidden),
                "use heads that do, or give head_dim");
    }
    if (m.heads % m.kv_heads != 0)
    {
        c.fault("num_key_value_heads", fmt::format("{} does not divide {} heads", m.kv_heads, m.heads),
                "use one that does");
    }
    if (m.experts > 0 && m.experts_per_token > m.experts)
    {
        c.fault("num_experts_per_tok", fmt::format("{} of {} experts", m.experts_per_token, m.experts),
                fmt::format("use 1 to {}", m.experts));
    }
}

// What is too large to be counted, or does not agree, in the words of validate().
void check_shape(HfConfig& c, const Model& m)
{
    Scenario s;
    s.cluster.gpus = 1;
    s.training.global_batch = 1;
    s.model = m;
    for (const Issue& issue : validate(s))
    {
        if (issue.severity == Severity::error && issue.path.starts_with("model"))
        {
            c.issues.push_back(issue);
        }
    }
}

// The name of where it was loaded from, "meta-llama/Llama-3.1-8B"; else of the family.
std::string name_of(const json& config, const HfFamily& family)
{
    std::string name = text_of(config, "_name_or_path");
    const auto slash = name.find_last_of('/');
    name = slash == std::string::npos ? name : name.substr(slash + 1);
    const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return name.empty() || name.size() > kLongestName || !printable ? std::string(family.name) : name;
}

} // namespace

Result<HuggingFaceModel> hugging_face_model(const json& config)
{
    if (!config.is_object())
    {
        return Issue{"", shown(config) + " is not a config.json", "give {\"model_type\": \"llama\", ...}"};
    }
    const bool nested = config.contains("text_config") && config["text_config"].is_object();
    const std::string prefix = nested ? "text_config." : "";
    const json& text = nested ? config["text_config"] : config;
    HuggingFaceModel read;
    // A multimodal config may leave its text's type to its own.
    const bool own = !nested || text.contains("model_type") || text.contains("architectures");
    const auto family = own ? family_of(text, prefix, read.notes) : family_of(config, "", read.notes);
    if (!family)
    {
        return family.issues();
    }
    HfConfig c(text, prefix);
    (*family)->read(c, read.model);
    if (!has_errors(c.issues))
    {
        check_heads(c, read.model);
    }
    if (has_errors(c.issues))
    {
        return c.issues;
    }
    Model& m = read.model;
    if (m.attention != Attention::mla && m.attention != Attention::shared_kv)
    {
        m.attention = m.kv_heads == m.heads ? Attention::mha : Attention::gqa;
    }
    m.name = name_of(config, **family);
    m = resolved(m);
    check_shape(c, m);
    if (has_errors(c.issues))
    {
        return c.issues;
    }
    read.model_type = (*family)->type;
    read.family = (*family)->name;
    read.defaults = std::move(c.defaults);
    read.notes.insert(read.notes.end(), c.notes.begin(), c.notes.end());
    note_extras(config, prefix, read.notes);
    return read;
}

Result<HuggingFaceModel> hugging_face_model_from_text(std::string_view text)
{
    if (text.size() > kMaxConfigBytes)
    {
        return Issue{"",
                     fmt::format("{} is more than the {} that are read",
                                 format_bytes(Bytes(static_cast<double>(text.size()))),
                                 format_bytes(Bytes(static_cast<double>(kMaxConfigBytes)), ByteUnit::binary)),
                     "a config.json has a few kilobytes"};
    }
    const auto parsed = parse_json(text);
    return parsed ? hugging_face_model(*parsed) : Result<HuggingFaceModel>(parsed.issues());
}

bool is_hugging_face(const json& document)
{
    return document.is_object() && !document.contains("schema") && !document.contains("model") &&
           (document.contains("model_type") || document.contains("architectures") ||
            document.contains("text_config"));
}

std::vector<std::string_view> hugging_face_types()
{
    std::vector<std::string_view> types;
    for (const HfFamily& family : hugging_face_families())
    {
        types.push_back(family.type);
    }
    return types;
}

const ModelPreset* preset_of_shape(const Model& model, const Presets& presets)
{
    for (const ModelPreset& preset : presets.models)
    {
        Model other = preset.model;
        other.preset = model.preset;
        other.name = model.name;
        if (model.positions != Positions::learned)
        {
            other.max_sequence_length = model.max_sequence_length;
        }
        if (other == model)
        {
            return &preset;
        }
    }
    return nullptr;
}

} // namespace ringside
