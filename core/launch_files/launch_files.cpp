#include "core/launch_files/launch_files.h"

#include <fmt/format.h>

#include "core/launch_files/frameworks/frameworks.h"
#include "core/scenario/model_file.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

// Sources that no kind is known by refer to nothing, so the first that is one decides.
const LaunchKind* kind_of_sources(const std::vector<LaunchSource>& sources)
{
    for (const LaunchSource& source : sources)
    {
        if (const LaunchKind* kind = launch_kind_of(source))
        {
            return kind;
        }
    }
    return nullptr;
}

std::string kinds_that_are_read()
{
    std::vector<std::string_view> ids;
    for (const LaunchKind& kind : launch_kinds())
    {
        ids.push_back(kind.id);
    }
    return fmt::format("launch files of {} are read", fmt::join(ids, ", "));
}

// Every kind of file, in the order in which they are tried.
constexpr std::array kLaunchKinds{
    LaunchKind{"megatron", "Megatron-LM arguments", is_megatron, read_megatron},
    LaunchKind{"deepspeed", "DeepSpeed configuration", is_deepspeed, read_deepspeed},
    LaunchKind{"torchtitan", "torchtitan configuration", is_torchtitan, read_torchtitan},
    LaunchKind{"nanotron", "nanotron configuration", is_nanotron, read_nanotron},
    LaunchKind{"automodel", "NeMo Automodel recipe", is_automodel, read_automodel},
    LaunchKind{"nemo", "NeMo Launcher configuration", is_nemo, read_nemo},
    LaunchKind{"megatron-bridge", "Megatron-Bridge configuration", is_megatron_bridge, read_megatron_bridge},
    LaunchKind{"fsdp", "accelerate configuration", is_accelerate, read_accelerate},
    LaunchKind{"axolotl", "Axolotl configuration", is_axolotl, read_axolotl},
    LaunchKind{"llama-factory", "LLaMA-Factory configuration", is_llama_factory, read_llama_factory},
    LaunchKind{"maxtext", "MaxText configuration", is_maxtext, read_maxtext},
};

} // namespace

std::span<const LaunchKind> launch_kinds()
{
    return kLaunchKinds;
}

const LaunchKind* find_launch_kind(std::string_view id)
{
    const auto found = std::ranges::find(kLaunchKinds, id, &LaunchKind::id);
    return found == kLaunchKinds.end() ? nullptr : &*found;
}

const LaunchKind* launch_kind_of(const LaunchSource& source)
{
    const auto found =
        std::ranges::find_if(kLaunchKinds, [&](const LaunchKind& kind) { return kind.is(source); });
    return found == kLaunchKinds.end() ? nullptr : &*found;
}

namespace
{

Result<std::vector<LaunchSource>> read_sources(const LaunchRequest& request)
{
    std::vector<LaunchSource> sources;
    for (const LaunchText& file : request.files)
    {
        auto source = read_source(file.text, file.name, request.arguments);
        if (!source)
        {
            Issues issues;
            add_below(issues, source.issues(), file.name);
            return issues;
        }
        sources.push_back(std::move(*source));
    }
    if (!request.command.empty())
    {
        auto source = read_shell(request.command, "--command", {});
        if (!source)
        {
            return source.issues();
        }
        sources.push_back(std::move(*source));
    }
    return sources;
}

// A model's file beside a launch, or alone.
void read_hub(LaunchReader& reader, const nlohmann::json& config, const std::string& file)
{
    const auto read = model_of_file(config);
    if (!read)
    {
        for (const Issue& issue : read.issues())
        {
            reader.fault({.name = issue.path, .value = {}, .place = {file}}, issue.message, issue.hint);
        }
        return;
    }
    const ModelPreset* preset = preset_of_shape(read->model, reader.presets());
    reader.model(preset != nullptr ? preset->model : read->model, Basis::stated,
                 file.empty() ? kind_of_model_file(config) : file, {file});
    for (const Issue& note : read->notes)
    {
        reader.say(to_line(note));
    }
}

// The rules of a model's file: all of it is read, or named, by the reader of such files.
const Framework& hub_framework()
{
    static const Framework framework = []
    {
        Framework hub;
        hub.id = "hf";
        hub.name = "model file";
        return hub;
    }();
    return framework;
}

} // namespace

Result<LaunchReading> read_launch_files(const LaunchRequest& request, const Presets& presets)
{
    auto sources = read_sources(request);
    if (!sources)
    {
        return sources.issues();
    }
    const LaunchKind* kind = request.kind.empty() || request.kind == "hf" ? kind_of_sources(*sources)
                                                                          : find_launch_kind(request.kind);
    std::vector<LaunchSource> launches;
    std::vector<LaunchSource> configs;
    for (LaunchSource& source : *sources)
    {
        auto& list = is_model_file(source.tree) ? configs : launches;
        list.push_back(std::move(source));
    }
    const bool adapter = std::ranges::any_of(launches, is_adapter);
    const Framework* framework = kind != nullptr               ? presets.framework(kind->id)
                                 : !configs.empty() || adapter ? &hub_framework()
                                                               : nullptr;
    if (framework == nullptr)
    {
        return Issue{request.files.empty() ? "" : request.files.front().name,
                     "is no launch file that is known", kinds_that_are_read()};
    }
    LaunchReader reader(std::move(launches), *framework, presets);
    if (request.gpus > 0)
    {
        reader.settle("cluster.gpus", request.gpus, "--gpus");
    }
    if (!request.gpu.empty())
    {
        reader.settle("cluster.gpu", request.gpu, "--gpu");
    }
    reader.apply_rules();
    for (const LaunchSource& config : configs)
    {
        read_hub(reader, config.tree, config.file);
    }
    for (const LaunchSource& source : reader.sources())
    {
        if (is_adapter(source))
        {
            read_adapter_config(reader, source);
        }
    }
    if (kind != nullptr)
    {
        kind->read(reader);
    }
    reader.apply_defaults();
    return reader.take();
}

namespace
{

// What a text is, in words, and whether it is a launch.
struct TextKind
{
    std::string words;
    bool launch = false;
    bool beside = false; // it starts a program, or is any of those
};

TextKind text_kind(std::string_view text)
{
    const auto source = read_source(text, "");
    if (!source)
    {
        return {};
    }
    if (std::string model = kind_of_model_file(source->tree); !model.empty())
    {
        return {std::move(model), false, true};
    }
    if (is_adapter(*source))
    {
        return {"an adapter_config.json of PEFT", true, true};
    }
    const LaunchKind* kind = launch_kind_of(*source);
    return kind == nullptr ? TextKind{{}, false, !source->entry.empty()}
                           : TextKind{fmt::format("a launch file ({})", kind->name), true, true};
}

} // namespace

std::string kind_of_text(std::string_view text)
{
    return text_kind(text).words;
}

bool is_launch_text(std::string_view text)
{
    return text_kind(text).launch;
}

bool is_beside_launch(std::string_view text)
{
    return text_kind(text).beside;
}

} // namespace ringside
