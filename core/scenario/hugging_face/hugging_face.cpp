#include "core/scenario/hugging_face/hugging_face.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/hugging_face/families.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::size_t kLongestName = 80;

const HfFamily* find_family(std::string_view type, std::string_view HfFamily::*field)
{
    if (type.empty())
    {
        return nullptr;
    }
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

// By model_type; by architecture where that is unknown, as in what others have trained further. Null: its
// fields have to tell.
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
    if (object.contains("model_type") && !object["model_type"].is_string())
    {
        return Issue{prefix + "model_type", shown(object["model_type"]) + " is not text",
                     fmt::format("known are {}", fmt::join(hugging_face_types(), ", "))};
    }
    return nullptr;
}

// A known architecture in one of its names, or what its fields say.
struct Language
{
    std::string prefix; // "text_config." or nothing
    json text;
    bool wrapped = false;
};

// The language model of what may be more than one (vision, sound, a thinker and a talker). What it leaves to
// the whole is the whole's.
Language language_of(const json& config)
{
    constexpr std::array<const char*, 3> kNames{"text_config", "llm_config", "language_config"};
    const bool thinks = config.contains("thinker_config") && config["thinker_config"].is_object();
    const json& whole = thinks ? config["thinker_config"] : config;
    for (const char* name : kNames)
    {
        if (whole.contains(name) && whole[name].is_object())
        {
            Language found{std::string(thinks ? "thinker_config." : "") + name + ".", whole[name], true};
            for (const char* own : {"tie_word_embeddings", "architectures", "model_type", "_name_or_path"})
            {
                const bool named =
                    own != std::string_view("tie_word_embeddings") &&
                    (found.text.contains("model_type") || found.text.contains("architectures"));
                if (!found.text.contains(own) && config.contains(own) && !named)
                {
                    found.text[own] = config[own];
                }
            }
            return found;
        }
    }
    return {"", config, false};
}

// Whether the number of experts is said to be 0 or nothing; then what belongs to experts is taken out, since
// it means nothing either.
bool without_experts(json& text)
{
    bool none = false;
    for (const char* name : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
    {
        none = none || (text.contains(name) && (text[name].is_null() || text[name] == 0));
        if (text.contains(name) && text[name].is_number_integer() && text[name] > 0)
        {
            return false;
        }
    }
    if (none)
    {
        for (auto field = text.begin(); field != text.end();)
        {
            const std::string& name = field.key();
            const bool of_experts = name.find("expert") != std::string::npos ||
                                    name.find("moe") != std::string::npos || name == "decoder_sparse_step";
            field = of_experts && name != "model_type" && !name.starts_with("shared_") ? text.erase(field)
                                                                                       : std::next(field);
        }
    }
    return none;
}

void make_dense(Model& m)
{
    m.experts = m.experts_per_token = m.expert_ffn = m.expert_hidden = m.shared_experts = m.shared_ffn = 0;
    m.dense_layers = 0;
    m.moe_interval = 1;
    m.router_bias = m.shared_gate = m.latent_norm = false;
}

// What hangs on a model and is no part of a Model.
void note_extras(const json& config, const json& text, const std::string& prefix, Issues& notes)
{
    const auto note = [&](const std::string& path, std::string message, std::string hint) {
        notes.push_back({path, std::move(message), std::move(hint), Severity::warning});
    };
    for (const char* tower : {"vision_config", "audio_config", "talker_config"})
    {
        if (config.contains(tower) && config[tower].is_object())
        {
            note(tower, "is left out", "only the language model counts");
        }
    }
    for (const char* name : {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"})
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
std::string name_of(const json& config, std::string_view family)
{
    std::string name = text_of(config, "_name_or_path");
    const auto slash = name.find_last_of('/');
    name = slash == std::string::npos ? name : name.substr(slash + 1);
    const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return name.empty() || name.size() > kLongestName || !printable ? std::string(family) : name;
}

void read_model(HfConfig& c, const HfFamily* family, Model& m)
{
    c.pass_over({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules",
                 "mtp_transformer_layers", "use_mtp", "mtp_layers_block_type", "mtp_hybrid_override_pattern",
                 "mtp_use_dedicated_embeddings"});
    if (family != nullptr && family->read != nullptr)
    {
        family->read(c, m);
    }
    else
    {
        read_by_fields(c, m, family != nullptr ? family->conventions : HfConventions{});
    }
    if (!c.flag("use_sliding_window", true))
    {
        c.pass_over({"sliding_window", "max_window_layers"});
    }
}

// A field that bears on the shape and that nobody has read: of a known architecture a note, since the shape
// may be another; of an unknown one a fault.
void name_unread(HfConfig& c, const json& text, const HfFamily* family)
{
    const std::vector<std::string> unread = c.unread();
    const HfLikeness likeness = likeness_of(text);
    const std::string type = text_of(text, "model_type");
    const std::string named = type.empty() ? "this architecture" : shown(type);
    if (family != nullptr)
    {
        for (const std::string& path : unread)
        {
            c.notes.push_back(
                {path,
                 fmt::format("is not part of {}: it is not read, and the shape may be another", family->type),
                 "", Severity::warning});
        }
        return;
    }
    if (!unread.empty())
    {
        c.issues.push_back(
            {"model_type",
             fmt::format("{} is not known. It has {} like {}, and these fields are not read: {}", named,
                         likeness.has, likeness.like, fmt::join(unread, ", ")),
             fmt::format("known are {}", fmt::join(hugging_face_types(), ", "))});
        return;
    }
    if (has_errors(c.issues))
    {
        c.issues.insert(c.issues.begin(),
                        Issue{"model_type",
                              fmt::format("{} is not known; by its fields it has {} like {}", named,
                                          likeness.has, likeness.like),
                              fmt::format("known are {}", fmt::join(hugging_face_types(), ", "))});
        return;
    }
    c.notes.push_back(
        {"model_type",
         fmt::format("{} is not known: read by its fields, which all have their place. It has {} "
                     "like {}; norms of queries and keys would not be in a config.json",
                     named, likeness.has, likeness.like),
         "", Severity::warning});
}

// What Meta's and Mistral's params.json says, in the words of a config.json (meta-llama/llama,
// llama/model.py; mistralai/mistral-inference, args.py).
json config_of_params(const json& params)
{
    constexpr std::array<std::pair<const char*, const char*>, 14> kNames{
        {{"dim", "hidden_size"},
         {"n_layers", "num_hidden_layers"},
         {"n_heads", "num_attention_heads"},
         {"n_kv_heads", "num_key_value_heads"},
         {"head_dim", "head_dim"},
         {"hidden_dim", "intermediate_size"},
         {"vocab_size", "vocab_size"},
         {"max_seq_len", "max_position_embeddings"},
         {"sliding_window", "sliding_window"},
         {"tied_embeddings", "tie_word_embeddings"},
         {"q_lora_rank", "q_lora_rank"},
         {"kv_lora_rank", "kv_lora_rank"},
         {"qk_nope_head_dim", "qk_nope_head_dim"},
         {"qk_rope_head_dim", "qk_rope_head_dim"}}};
    json config{{"model_type", "params"}};
    for (const auto& [theirs, ours] : kNames)
    {
        if (params.contains(theirs))
        {
            config[ours] = params[theirs];
        }
    }
    for (const auto& entry : params.items())
    {
        const std::string& name = entry.key();
        const bool known = std::ranges::any_of(kNames, [&](const auto& row) { return name == row.first; });
        if (!known && name != "multiple_of" && name != "ffn_dim_multiplier" && name != "moe")
        {
            config[name] = entry.value();
        }
    }
    if (config.value("vocab_size", json()) == -1) // Llama 1 and 2 take the tokenizer's
    {
        config["vocab_size"] = 32000;
    }
    const auto dim = whole(params.value("dim", json(0)));
    if (!config.contains("intermediate_size") && dim)
    {
        const json factor = params.value("ffn_dim_multiplier", json(1.0));
        const auto multiple = whole(params.value("multiple_of", json(256))).value_or(256);
        const double wide =
            std::floor(static_cast<double>(2 * 4 * std::clamp<std::int64_t>(*dim, 0, 1 << 20) / 3)) *
            (factor.is_number() ? std::clamp(factor.get<double>(), 0.0, 64.0) : 1.0);
        const auto inner = static_cast<std::int64_t>(wide);
        const std::int64_t step = std::clamp<std::int64_t>(multiple, 1, 1 << 20);
        config["intermediate_size"] = (inner + step - 1) / step * step;
    }
    if (params.contains("moe") && params["moe"].is_object())
    {
        config.update(params["moe"]);
    }
    return config;
}

bool is_params(const json& document)
{
    return document.contains("dim") && document.contains("n_layers") && document.contains("n_heads");
}

} // namespace

Result<HuggingFaceModel> hugging_face_model(const json& given)
{
    const json config = given.is_object() && is_params(given) ? config_of_params(given) : given;
    if (!config.is_object())
    {
        return Issue{"", shown(config) + " is not a config.json", "give {\"model_type\": \"llama\", ...}"};
    }
    Language language = language_of(config);
    const bool dense = without_experts(language.text);
    const json& text = language.text;
    HuggingFaceModel read;
    const auto family = family_of(text, language.prefix, read.notes);
    if (!family)
    {
        return family.issues();
    }
    if (*family == nullptr)
    {
        if (Issues refused = refusals_of(text, language.prefix); !refused.empty())
        {
            return refused;
        }
    }
    HfConfig c(text, language.prefix);
    c.no_experts = dense;
    read_model(c, *family, read.model);
    if (dense)
    {
        make_dense(read.model);
    }
    if (!has_errors(c.issues))
    {
        check_heads(c, read.model);
    }
    name_unread(c, text, *family);
    if (has_errors(c.issues))
    {
        return c.issues;
    }
    Model& m = read.model;
    if (m.attention != Attention::mla && m.attention != Attention::shared_kv)
    {
        m.attention = m.kv_heads == m.heads ? Attention::mha : Attention::gqa;
    }
    const HfLikeness likeness = likeness_of(text);
    m.name = name_of(config, *family != nullptr ? (*family)->name : std::string_view("A model"));
    m = resolved(m);
    check_shape(c, m);
    if (has_errors(c.issues))
    {
        return c.issues;
    }
    read.model_type = *family != nullptr ? std::string((*family)->type) : text_of(text, "model_type");
    read.family = *family != nullptr ? std::string((*family)->name) : fmt::format("Like {}", likeness.like);
    read.unread = c.unread();
    read.defaults = std::move(c.defaults);
    read.notes.insert(read.notes.end(), c.notes.begin(), c.notes.end());
    note_extras(config, text, language.prefix, read.notes);
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
                     "leave out lists of quantized tensors"};
    }
    const auto parsed = parse_json(text);
    return parsed ? hugging_face_model(*parsed) : Result<HuggingFaceModel>(parsed.issues());
}

bool is_hugging_face(const json& document)
{
    return document.is_object() && !document.contains("schema") && !document.contains("model") &&
           (document.contains("model_type") || document.contains("architectures") ||
            document.contains("text_config") || document.contains("thinker_config") || is_params(document));
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
