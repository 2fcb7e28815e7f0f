#include "core/scenario/hugging_face/config.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

// Words of names that say something of a shape.
constexpr std::array<std::string_view, 66> kShapeWords{
    "head",         "heads",    "dim",      "dims",    "rank",      "size",   "layer",    "layers",
    "hidden",       "expert",   "experts",  "expand",  "groups",    "group",  "state",    "conv",
    "kv",           "moe",      "mlp",      "ffn",     "ff",        "window", "block",    "blocks",
    "mtp",          "width",    "channels", "streams", "mult",      "freq",   "interval", "period",
    "offset",       "gate",     "gated",    "bias",    "biases",    "norm",   "qk",       "shared",
    "share",        "latent",   "lora",     "index",   "indexer",   "topk",   "k",        "mamba",
    "ssm",          "linear",   "delta",    "kda",     "attention", "attn",   "cross",    "altup",
    "laurel",       "compress", "global",   "local",   "sliding",   "d",      "n",        "num",
    "intermediate", "swa"};
// Words, and whole names, of fields that have such a word and no part in the shape.
constexpr std::array<std::string_view, 46> kOtherWords{
    "token",          "id",         "ids",        "eps",          "epsilon",     "initializer", "init",
    "range",          "dropout",    "loss",       "coef",         "coeff",       "scale",       "scaling",
    "factor",         "multiplier", "softcap",    "capping",      "softcapping", "cache",       "cached",
    "dtype",          "theta",      "rope",       "rotary",       "nope",        "mrope",       "jitter",
    "chunk",          "time",       "logits",     "quantization", "beam",        "beams",       "impl",
    "implementation", "act",        "activation", "labels",       "return",      "step",        "limit",
    "kernels",        "kernel",     "alpha",      "temperature"};
constexpr std::array<std::string_view, 41> kOtherNames{"architectures",
                                                       "auto_map",
                                                       "n_group",
                                                       "topk_group",
                                                       "norm_topk_prob",
                                                       "num_hidden_groups",
                                                       "ep_size",
                                                       "moe_shared_expert_overlap",
                                                       "layers_to_transform",
                                                       "attention_window_size",
                                                       "num_return_sequences",
                                                       "output_hidden_states",
                                                       "output_attentions",
                                                       "cross_attention_hidden_size",
                                                       "add_cross_attention",
                                                       "tie_encoder_decoder",
                                                       "is_decoder",
                                                       "no_repeat_ngram_size",
                                                       "encoder_no_repeat_ngram_size",
                                                       "num_experts_per_group",
                                                       "norm_after_topk",
                                                       "normalize_expert_weights",
                                                       "moe_router_load_balancing_type",
                                                       "group_norm_size",
                                                       "num_expert_group",
                                                       "prune_heads",
                                                       "pruned_heads",
                                                       "vision_feature_layer",
                                                       "fuse_cross_entropy",
                                                       "mamba_norm_before_gate",
                                                       "residual_in_fp32",
                                                       "use_cache",
                                                       "rescale_prenorm_residual",
                                                       "use_sliding_window",
                                                       "num_expert_groups",
                                                       "use_bidirectional_attention",
                                                       "top_k", // of what is sampled
                                                       "moe_renormalize",
                                                       "use_grouped_topk",
                                                       "use_gemma_norm",
                                                       "index_share_for_mtp_iteration"};

template <class List>
bool among(const List& list, std::string_view word)
{
    return std::ranges::find(list, word) != list.end();
}

} // namespace

bool bears_on_shape(std::string_view name, const json& value)
{
    const bool says = value.is_boolean()          ? value.get<bool>()
                      : value.is_number_integer() ? value != 0
                                                  : value.is_object() || (value.is_array() && !value.empty());
    if (!says || among(kOtherNames, name))
    {
        return false;
    }
    bool shape = false;
    for (std::size_t at = 0; at <= name.size();)
    {
        const std::size_t end = std::min(name.find('_', at), name.size());
        const std::string_view word = name.substr(at, end - at);
        if (among(kOtherWords, word) && name.find("per_tok") == std::string_view::npos)
        {
            return false;
        }
        shape = shape || among(kShapeWords, word);
        at = end + 1;
    }
    return shape;
}

const json* HfConfig::find(Names names, const char*& found) const
{
    asked_.insert(names.begin(), names.end());
    for (const char* name : names)
    {
        const auto field = object_.find(name);
        if (field != object_.end() && !field->is_null())
        {
            found = name;
            return &*field;
        }
    }
    found = *names.begin();
    return nullptr;
}

bool HfConfig::has(const char* name) const
{
    const char* found = nullptr;
    return find({name}, found) != nullptr;
}

bool HfConfig::is_text(const char* name) const
{
    const auto field = object_.find(name);
    asked_.insert(name);
    return field != object_.end() && field->is_string();
}

bool HfConfig::is_list(const char* name) const
{
    const auto field = object_.find(name);
    return field != object_.end() && field->is_array();
}

bool HfConfig::is_null(const char* name) const
{
    asked_.insert(name);
    const auto field = object_.find(name);
    return field != object_.end() && field->is_null();
}

std::optional<std::int64_t> HfConfig::maybe(Names names, HfRange range)
{
    const char* name = nullptr;
    const json* value = find(names, name);
    if (value == nullptr)
    {
        return {};
    }
    // Some list one number for each layer.
    const bool listed =
        value->is_array() && !value->empty() &&
        std::all_of(value->begin(), value->end(), [&](const json& one) { return one == value->front(); });
    const auto read = whole(listed ? value->front() : *value);
    if (!read || *read < range.least || *read > range.most)
    {
        fault(name,
              shown(*value) + (read                ? " is out of range"
                               : value->is_array() ? " differs from layer to layer"
                                                   : " is not a whole number"),
              fmt::format("use {} to {}", range.least, range.most));
        return {};
    }
    return read;
}

std::int64_t HfConfig::count(Names names, std::int64_t otherwise, HfRange range)
{
    const std::size_t faults = issues.size();
    const auto read = maybe(names, range);
    if (!read && issues.size() == faults)
    {
        defaults.push_back(fmt::format("{} {}", *names.begin(), otherwise));
    }
    return read.value_or(otherwise);
}

std::int64_t HfConfig::experts(Names names, std::int64_t otherwise)
{
    return no_experts ? 0 : count(names, otherwise, {0, 65536});
}

std::vector<std::string> HfConfig::words(const char* name)
{
    std::vector<std::string> texts;
    const json* entries = list(name);
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i)
    {
        if (!(*entries)[i].is_string())
        {
            fault(fmt::format("{}[{}]", name, i), shown((*entries)[i]) + " is not text",
                  "use the name of a kind of layer, such as \"full_attention\"");
            return {};
        }
        texts.push_back((*entries)[i].get<std::string>());
    }
    return texts;
}

double HfConfig::number(const char* name, double otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return otherwise;
    }
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0)
    {
        fault(name, shown(*value) + " is not a number", "use 0 or more");
        return otherwise;
    }
    return value->get<double>();
}

bool HfConfig::flag(const char* name, bool otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return otherwise;
    }
    if (!value->is_boolean())
    {
        fault(name, shown(*value) + " is not true or false", "use true or false");
        return otherwise;
    }
    return value->get<bool>();
}

std::string HfConfig::word(const char* name, std::string_view otherwise)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value == nullptr)
    {
        return std::string(otherwise);
    }
    if (!value->is_string())
    {
        fault(name, shown(*value) + " is not text", fmt::format("use text, such as \"{}\"", otherwise));
        return std::string(otherwise);
    }
    return value->get<std::string>();
}

std::vector<std::int64_t> HfConfig::indices(const char* name)
{
    std::vector<std::int64_t> numbers;
    const json* entries = list(name);
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i)
    {
        const auto index = whole((*entries)[i]);
        if (!index || *index < 0)
        {
            fault(fmt::format("{}[{}]", name, i), shown((*entries)[i]) + " is not the index of a layer",
                  "use whole numbers from 0");
            return {};
        }
        numbers.push_back(*index);
    }
    return numbers;
}

const json* HfConfig::object(const char* name)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value != nullptr && !value->is_object())
    {
        fault(name, shown(*value) + " is not an object", "use {...}, or leave it out");
        return nullptr;
    }
    return value;
}

const json* HfConfig::list(const char* name)
{
    const char* found = nullptr;
    const json* value = find({name}, found);
    if (value != nullptr && (!value->is_array() || value->size() > 10000))
    {
        fault(name, shown(*value) + " is not a list", "use [...] with an entry a layer, or leave it out");
        return nullptr;
    }
    return value;
}

std::vector<std::string> HfConfig::unread() const
{
    std::vector<std::string> paths = unread_;
    for (const auto& [name, value] : object_.items())
    {
        if (!asked_.contains(name) && bears_on_shape(name, value))
        {
            paths.push_back(at(name));
        }
    }
    return paths;
}

void HfConfig::take(const HfConfig& inner)
{
    append(issues, inner.issues);
    append(notes, inner.notes);
    const std::vector<std::string> left = inner.unread();
    unread_.insert(unread_.end(), left.begin(), left.end());
}

void HfConfig::fault(std::string_view name, std::string message, std::string hint)
{
    issues.push_back({at(name), std::move(message), std::move(hint)});
}

void HfConfig::note(std::string_view name, std::string message, std::string hint)
{
    notes.push_back({at(name), std::move(message), std::move(hint), Severity::warning});
}

} // namespace ringside
