// Frameworks whose files are trees of settings: torchtitan's TOML and its registry, nanotron, NeMo and its
// successors, accelerate, Axolotl, LLaMA-Factory, MaxText. Their rules are in assets/frameworks; here stands
// how a file of each is known, and which model it names.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/launch_files/by_rules.h"
#include "core/launch_files/frameworks/frameworks.h"
#include "core/launch_files/frameworks/megatron.h"
#include "core/scenario/framework.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool has_setting(const LaunchSource& source, std::string_view name)
{
    return source.settings.find(name) != nullptr;
}

bool is_tree(const LaunchSource& source)
{
    return source.format == SourceFormat::yaml || source.format == SourceFormat::json ||
           source.format == SourceFormat::toml;
}

// The model that a setting names as the Hugging Face hub has it; a name that is not known is asked about.
void read_model_name(LaunchReader& reader, std::string_view name)
{
    const Setting* setting = reader.find(name);
    if (setting == nullptr)
    {
        return;
    }
    const std::string repository = plain_text(setting->value);
    const ModelPreset* preset = preset_of_repository(repository, reader.presets());
    // Llama 3 has the shapes of 3.1, and MaxText one name for both.
    for (const std::string_view name_of_3 : {"llama3-", "llama-3-"})
    {
        const std::size_t at = small_letters(repository).find(name_of_3);
        if (preset == nullptr && at != std::string::npos)
        {
            preset = preset_of_repository("llama-3.1-" + repository.substr(at + name_of_3.size()),
                                          reader.presets());
        }
    }
    if (preset != nullptr)
    {
        reader.model(preset->model, Basis::stated, to_text(*setting), setting->place);
        return;
    }
    reader.say(fmt::format("{} is no model that is known here: give its config.json, too", repository));
}

void follow_software(LaunchReader& reader)
{
    const auto& ids = reader.framework().software;
    if (!ids.empty())
    {
        reader.follow("software", ids.front(), fmt::format("the files are of {}", reader.framework().name));
    }
}

const LaunchFlavor* flavor_named(const Framework& f, std::string_view module, std::string_view flavor)
{
    const auto found = std::ranges::find_if(f.flavors, [&](const LaunchFlavor& each)
                                            { return each.module == module && each.flavor == flavor; });
    return found == f.flavors.end() ? nullptr : &*found;
}

// A shape that the package has; the preset of the same shape where there is one, for its name.
void take_flavor(LaunchReader& reader, const LaunchFlavor& flavor, const Setting& by)
{
    Model model = flavor.shape;
    model.name = fmt::format("{} {}", flavor.module, flavor.flavor);
    reader.model(model, Basis::stated, to_text(by), by.place);
}

} // namespace

bool is_torchtitan(const LaunchSource& source)
{
    const bool registry = source.format == SourceFormat::python &&
                          source.text.find("torchtitan") != std::string::npos && !source.settings.empty();
    const bool toml = source.format == SourceFormat::toml &&
                      (has_setting(source, "model.flavor") || source.settings.has_below("parallelism"));
    const bool options = has_setting(source, "--parallelism.tensor_parallel_degree") ||
                         (has_setting(source, "--module") && has_setting(source, "--config"));
    return registry || toml || options;
}

namespace
{

// The function of a registry that is started; empty where there is none, or where none is named.
std::string function_named(LaunchReader& reader)
{
    const std::string config = reader.word("--config");
    std::vector<std::string> functions;
    for (const Setting& setting : reader.settings().all())
    {
        const std::size_t slash = setting.name.find('/');
        if (slash != std::string::npos && !setting.name.starts_with("--") &&
            (functions.empty() || functions.back() != setting.name.substr(0, slash)))
        {
            functions.push_back(setting.name.substr(0, slash));
        }
    }
    const bool known = std::ranges::find(functions, config) != functions.end();
    if (functions.empty() || known)
    {
        return known ? config : std::string();
    }
    if (functions.size() > 1)
    {
        reader.say(fmt::format("the file has {} configurations; {} is read: name another with --config",
                               functions.size(), functions.front()));
    }
    return functions.front();
}

// "deepseek_v3_16b" is of the module that its name begins with. A flavor that is named beside it replaces the
// function's own.
const LaunchFlavor* flavor_of_function(const Framework& f, std::string_view function, std::string_view flavor)
{
    const auto found =
        std::ranges::find_if(f.flavors,
                             [&](const LaunchFlavor& each)
                             {
                                 return function.starts_with(each.module) &&
                                        (flavor.empty() ? each.config == function : each.flavor == flavor);
                             });
    return found == f.flavors.end() ? nullptr : &*found;
}

// Settings of other functions, and those of the table that are told with dashes or a function before them.
void pass_what_has_no_bearing(LaunchReader& reader, std::string_view prefix)
{
    const auto passes = [&](std::string_view name)
    {
        return std::ranges::any_of(reader.framework().no_bearing,
                                   [&](std::string_view pattern)
                                   {
                                       return pattern.ends_with('*')
                                                  ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                                  : name == pattern;
                                   });
    };
    for (const Setting& setting : std::vector<Setting>(reader.settings().all()))
    {
        const std::string_view name = setting.name;
        const bool option = name.starts_with("--");
        const bool own = !option && name.starts_with(prefix);
        const bool other = !option && !own && name.find('/') != std::string_view::npos;
        if (other || passes(option ? name.substr(2) : own ? name.substr(prefix.size()) : name))
        {
            reader.pass(setting.name);
        }
    }
}

RuleSource torchtitan_registry(LaunchReader& reader)
{
    RuleSource source;
    const std::string function = function_named(reader);
    source.prefix = function.empty() ? "" : function + "/";
    pass_what_has_no_bearing(reader, source.prefix);
    const Setting* spec = reader.find(source.prefix + "model_spec.0");
    const Setting* config = reader.find("--config");
    const Setting* base = reader.find(source.prefix + "base");
    const std::string of = base != nullptr     ? plain_text(base->value)
                           : !function.empty() ? function
                                               : reader.word("--config");
    source.flavor = flavor_of_function(reader.framework(), of, spec ? plain_text(spec->value) : "");
    if (source.flavor != nullptr)
    {
        const Setting named{.name = of, .value = true, .place = {}};
        take_flavor(reader, *source.flavor,
                    spec != nullptr     ? *spec
                    : base != nullptr   ? *base
                    : config != nullptr ? *config
                                        : named);
    }
    else if (!of.empty())
    {
        reader.say(fmt::format("{} is no ready configuration that is known here", of));
    }
    return source;
}

} // namespace

void read_torchtitan(LaunchReader& reader)
{
    read_gpus(reader);
    const bool toml = std::ranges::any_of(reader.sources(), [](const LaunchSource& source)
                                          { return source.format == SourceFormat::toml; });
    if (!toml)
    {
        read_by_rules(reader, torchtitan_registry(reader));
        follow_software(reader);
        return;
    }
    RuleSource source{"v0.2.2"};
    const Setting* flavor = reader.find("model.flavor");
    source.flavor = flavor_named(reader.framework(), reader.word("model.name"), reader.word("model.flavor"));
    if (source.flavor != nullptr)
    {
        take_flavor(reader, *source.flavor, *flavor);
    }
    else if (flavor != nullptr)
    {
        reader.say(fmt::format("the shape of {} {} is in the package and not known here",
                               reader.word("model.name"), reader.word("model.flavor")));
    }
    read_by_rules(reader, source);
    follow_software(reader);
}

bool is_nanotron(const LaunchSource& source)
{
    return is_tree(source) && has_setting(source, "parallelism.tp") &&
           (source.settings.has_below("tokens") || source.settings.has_below("model.model_config"));
}

void read_nanotron(LaunchReader& reader)
{
    read_by_rules(reader);
}

bool is_automodel(const LaunchSource& source)
{
    return is_tree(source) && source.settings.has_below("step_scheduler");
}

void read_automodel(LaunchReader& reader)
{
    read_gpus(reader);
    read_model_name(reader, "model.pretrained_model_name_or_path");
    read_model_name(reader, "model.config.pretrained_model_name_or_path");
    read_by_rules(reader);
}

bool is_nemo(const LaunchSource& source)
{
    return is_tree(source) && has_setting(source, "trainer.devices") && source.settings.has_below("model");
}

void read_nemo(LaunchReader& reader)
{
    read_gpus(reader);
    read_by_rules(reader);
    if (reader.has("model.layers"))
    {
        reader.guess("model.vocab", 50304, "only the tokenizer's files hold it");
    }
}

bool is_megatron_bridge(const LaunchSource& source)
{
    return is_tree(source) && has_setting(source, "train.micro_batch_size") &&
           source.settings.has_below("model");
}

void read_megatron_bridge(LaunchReader& reader)
{
    read_gpus(reader);
    read_by_rules(reader);
    if (const Setting* layers = reader.find("model.moe_layer_freq");
        layers != nullptr && !whole_number(layers->value))
    {
        state_expert_layers(reader, *layers); // "[0]*3+[1]*58", quoted or written out
    }
}

bool is_accelerate(const LaunchSource& source)
{
    return is_tree(source) &&
           (has_setting(source, "distributed_type") ||
            (source.settings.has_below("fsdp_config") && has_setting(source, "num_processes")));
}

void read_accelerate(LaunchReader& reader)
{
    read_gpus(reader);
    read_model_name(reader, "--model_name_or_path");
    read_by_rules(reader);
}

bool is_axolotl(const LaunchSource& source)
{
    return is_tree(source) && has_setting(source, "base_model") &&
           (has_setting(source, "micro_batch_size") || has_setting(source, "sequence_len"));
}

void read_axolotl(LaunchReader& reader)
{
    read_gpus(reader);
    read_model_name(reader, "base_model");
    read_axolotl_adapter(reader);
    const std::string optimizer = reader.word("optimizer");
    read_by_rules(reader);
    if (optimizer.starts_with("paged_"))
    {
        reader.unsayable(*reader.find("optimizer"), "paged: moments may move to the host");
    }
}

bool is_llama_factory(const LaunchSource& source)
{
    return is_tree(source) && has_setting(source, "model_name_or_path") &&
           (has_setting(source, "finetuning_type") || has_setting(source, "stage"));
}

void read_llama_factory(LaunchReader& reader)
{
    read_gpus(reader);
    read_model_name(reader, "model_name_or_path");
    read_llama_factory_adapter(reader);
    read_by_rules(reader);
}

bool is_maxtext(const LaunchSource& source)
{
    return has_setting(source, "per_device_batch_size") ||
           (has_setting(source, "base_emb_dim") && has_setting(source, "base_num_decoder_layers"));
}

void read_maxtext(LaunchReader& reader)
{
    read_gpus(reader);
    read_model_name(reader, "model_name");
    read_by_rules(reader);
}

} // namespace ringside
