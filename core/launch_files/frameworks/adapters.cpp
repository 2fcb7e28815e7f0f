// Adapters (LoRA, QLoRA) as adapter_config.json of PEFT, Axolotl and LLaMA-Factory state them.
#include <fmt/format.h>

#include "core/launch_files/frameworks/frameworks.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

// Matrices of a block by the names that models give them, each with what it is in a scenario.
struct AdaptedMatrix
{
    std::string_view name;
    std::array<std::string_view, 3> is; // empty ones behind
};
constexpr std::array kAdaptedMatrices{
    AdaptedMatrix{"q_proj", {"query"}},
    AdaptedMatrix{"q_a_proj", {"query"}},
    AdaptedMatrix{"q_b_proj", {"query"}},
    AdaptedMatrix{"k_proj", {"key"}},
    AdaptedMatrix{"kv_a_proj_with_mqa", {"key"}},
    AdaptedMatrix{"v_proj", {"value"}},
    AdaptedMatrix{"kv_b_proj", {"value"}},
    AdaptedMatrix{"o_proj", {"output"}},
    AdaptedMatrix{"qkv_proj", {"query", "key", "value"}},
    AdaptedMatrix{"c_attn", {"query", "key", "value"}},
    AdaptedMatrix{"query_key_value", {"query", "key", "value"}},
    AdaptedMatrix{"gate_proj", {"gate"}},
    AdaptedMatrix{"up_proj", {"up"}},
    AdaptedMatrix{"gate_up_proj", {"gate", "up"}},
    AdaptedMatrix{"down_proj", {"down"}},
    AdaptedMatrix{"dense_h_to_4h", {"up"}},
    AdaptedMatrix{"dense_4h_to_h", {"down"}},
};

// "[q_proj, v_proj]" and "q_proj,v_proj"; of "self_attn.q_proj" the last part counts.
std::vector<std::string> adapted_names(const Setting& setting)
{
    const std::string text = setting.value.is_array() ? setting.value.dump() : plain_text(setting.value);
    std::vector<std::string> names(1);
    for (const char c : text)
    {
        if (c == ',' || c == '.')
        {
            c == ',' ? names.emplace_back() : names.back().assign("");
        }
        else if (std::string_view("[]\"' ").find(c) == std::string_view::npos)
        {
            names.back() += c;
        }
    }
    std::erase(names, "");
    return names;
}

void state_targets(LaunchReader& r, const Setting& setting)
{
    auto targets = nlohmann::json::array();
    for (const std::string& name : adapted_names(setting))
    {
        if (name == "all" || name == "all-linear")
        {
            return; // as the scenario has it where nothing else is said
        }
        const auto matrix = std::ranges::find(kAdaptedMatrices, name, &AdaptedMatrix::name);
        if (matrix == kAdaptedMatrices.end())
        {
            r.unsayable(setting, fmt::format("{} is no matrix of a block that is known here", name));
            continue;
        }
        for (const std::string_view is : matrix->is)
        {
            if (!is.empty() && std::ranges::find(targets, nlohmann::json(is)) == targets.end())
            {
                targets.push_back(is);
            }
        }
    }
    if (!targets.empty())
    {
        r.state("training.lora.targets", targets, setting);
    }
}

// Names of a format's settings.
struct AdapterNames
{
    std::string_view rank;
    std::string_view targets;
    std::int64_t rank_without; // where the rank is left out; 0: it has to be said
};

void state_adapter(LaunchReader& r, const AdapterNames& names)
{
    if (const Setting* rank = r.find(names.rank))
    {
        r.state("training.lora.rank", rank->value, *rank);
    }
    else if (names.rank_without > 0)
    {
        r.follow("training.lora.rank", names.rank_without, fmt::format("default of {}", names.rank));
    }
    if (const Setting* targets = r.find(names.targets))
    {
        state_targets(r, *targets);
    }
}

void state_quantized(LaunchReader& r, const Setting* four, const Setting* eight)
{
    if (four != nullptr)
    {
        r.state("training.lora.quantized", true, *four);
    }
    if (eight != nullptr)
    {
        r.unsayable(*eight, "frozen weights in 8 bits: a byte a parameter where two are counted");
    }
}

const Setting* switched_on(LaunchReader& r, std::string_view name)
{
    return r.flag(name) ? r.find(name) : nullptr;
}

} // namespace

bool is_adapter(const LaunchSource& source)
{
    return source.tree.is_object() && source.tree.contains("peft_type") &&
           (source.tree.contains("r") || source.tree.contains("target_modules"));
}

void read_adapter_config(LaunchReader& r, const LaunchSource& source)
{
    if (const Setting* base = r.find("base_model_name_or_path"))
    {
        const ModelPreset* preset = preset_of_repository(plain_text(base->value), r.presets());
        preset != nullptr
            ? r.model(preset->model, Basis::stated, to_text(*base), base->place)
            : r.say(fmt::format("the model {} is not known here: give its config.json beside the adapter's",
                                plain_text(base->value)));
    }
    if (const Setting* kind = r.find("peft_type"); kind != nullptr && plain_text(kind->value) != "LORA")
    {
        r.unsayable(*kind, "adapters of another kind than LoRA; their parameters are not counted");
        return;
    }
    state_adapter(r, {"r", "target_modules", 8});
    if (const Setting* magnitudes = switched_on(r, "use_dora"))
    {
        r.unsayable(*magnitudes, "a magnitude of every column is trained beside the adapters");
    }
    if (const Setting* whole = r.find("modules_to_save"))
    {
        r.unsayable(*whole, "matrices that are trained whole, with gradients and optimizer states");
    }
    for (const Setting& setting : source.settings.all())
    {
        r.pass(setting.name);
    }
}

void read_axolotl_adapter(LaunchReader& r)
{
    const Setting* kind = r.find("adapter");
    const Setting* four = switched_on(r, "load_in_4bit");
    const Setting* eight = switched_on(r, "load_in_8bit");
    for (const char* name : {"lora_r", "lora_alpha", "lora_target_linear", "lora_target_modules",
                             "load_in_4bit", "load_in_8bit"})
    {
        r.pass(name);
    }
    if (kind == nullptr)
    {
        return;
    }
    state_adapter(r, {"lora_r", r.flag("lora_target_linear") ? "" : "lora_target_modules", 0});
    state_quantized(r, four != nullptr ? four : plain_text(kind->value) == "qlora" ? kind : nullptr, eight);
    if (r.find("lora_r") == nullptr)
    {
        r.unsayable(*kind, "adapters are trained, not the weights; their rank is not said");
    }
}

// finetuning_args.py: LoRA is the default, of rank 8 and on every linear layer.
void read_llama_factory_adapter(LaunchReader& r)
{
    const Setting* kind = r.find("finetuning_type");
    const std::string word = kind == nullptr ? "lora" : plain_text(kind->value);
    const Setting* bits = r.find("quantization_bit");
    for (const char* name : {"lora_rank", "lora_target", "lora_alpha"})
    {
        r.pass(name);
    }
    if (word == "full")
    {
        return;
    }
    if (word != "lora")
    {
        r.unsayable(*kind, "only some of the weights are trained; all are counted");
        return;
    }
    state_adapter(r, {"lora_rank", "lora_target", 8});
    if (bits != nullptr)
    {
        const bool four = whole_number(bits->value) == 4;
        state_quantized(r, four ? bits : nullptr, four ? nullptr : bits);
    }
}

} // namespace ringside
