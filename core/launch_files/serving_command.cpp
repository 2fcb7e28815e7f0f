#include "core/launch_files/serving_command.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/planner/launch/serving_flags.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ringside
{

namespace
{

std::optional<ServingTool> tool_started_by(std::string_view entry)
{
    return entry == "vllm serve"                                        ? std::optional(ServingTool::vllm)
           : entry == "trtllm-serve"                                    ? std::optional(ServingTool::trtllm)
           : entry == "sglang serve" || entry == "sglang.launch_server" ? std::optional(ServingTool::sglang)
                                                                        : std::nullopt;
}

// SGLang has both.
std::string_view long_name_of(std::string_view flag)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLong{
        {{"--tp-size", "--tensor-parallel-size"},
         {"--pp-size", "--pipeline-parallel-size"},
         {"--dp-size", "--data-parallel-size"},
         {"--ep-size", "--expert-parallel-size"}}};
    const auto* found = find_by(kLong, flag, [](const auto& names) { return names.first; });
    return found == nullptr ? std::string_view() : found->second;
}

// What the flags of one engine say; the sentences are of those that say nothing here.
void read_settings(ServingRead& read, const SettingList& settings, std::vector<std::string>& unread)
{
    std::vector<const Setting*> taken{settings.find("--model"), settings.find("--model-path"),
                                      settings.find("--extra-llm-api-options")};
    for (const ServingFlag& row : serving_flags())
    {
        const std::string_view flag = flag_of(row, read.tool);
        const Setting* setting = flag.empty() ? nullptr : settings.find(flag);
        if (const std::string_view more = long_name_of(flag); setting == nullptr && !more.empty())
        {
            setting = settings.find(more);
        }
        if (setting == nullptr)
        {
            continue;
        }
        taken.push_back(setting);
        const nlohmann::json& value = setting->value;
        if (!setting->unknown.empty())
        {
            const std::string& command = setting->unknown; // or the variable
            unread.push_back(fmt::format("{}: {} is known only when it runs", setting->name,
                                         command.starts_with("$(") ? command : plain_text(value)));
        }
        else if (!row.read(read, value.is_string() ? value.get<std::string>() : value.dump()))
        {
            unread.push_back(fmt::format("{}: no value of serving.{}", to_text(*setting), row.field));
        }
    }
    for (const Setting& setting : settings.all())
    {
        if (std::ranges::find(taken, settings.find(setting.name)) == taken.end())
        {
            unread.push_back(to_text(setting) + ": no field has it");
        }
    }
}

// All that the flags of a command can say, as where they say nothing.
void forget(Serving& s, const ServingEngine& engine)
{
    s.engine = engine;
    s.scheduler = engine.scheduler;
    s.kv_cache = StorePrecision::bf16;
    s.max_num_seqs = s.max_num_batched_tokens = s.redundant_experts = s.speculative.tokens = 0;
    s.memory_fraction = 0;
    s.cuda_graphs = true;
    s.two_batch = false;
}

// vLLM counts the tensor ranks of an attention replica, the others all.
void settle_layout(const ServingRead& read)
{
    ServingLayout& layout = read.layout;
    const std::int64_t all = layout.tensor;
    if (read.all_data)
    {
        layout.data = all;
        layout.tensor = 1;
    }
    else if (read.tool != ServingTool::vllm && layout.data > 1)
    {
        layout.tensor = std::max<std::int64_t>(1, all / layout.data);
    }
    layout.expert = read.all_experts ? layout.tensor * layout.data : layout.expert;
}

} // namespace

Result<ServingReading> read_serving_commands(const std::vector<ServingCommand>& commands, const Serving& base,
                                             const Presets& presets)
{
    ServingReading out;
    out.serving = base;
    Serving& s = out.serving;
    s.disaggregated = commands.size() > 1;
    for (const ServingCommand& command : commands)
    {
        const auto source = read_shell(command.script.text, command.script.name);
        const auto options = command.options.text.empty()
                                 ? Result<LaunchSource>(LaunchSource())
                                 : read_yaml(command.options.text, command.options.name);
        if (!source || !options)
        {
            Issues issues;
            add_below(issues, source ? options.issues() : source.issues(),
                      source ? command.options.name : command.script.name);
            return issues;
        }
        const auto tool = tool_started_by(source->entry);
        if (!tool)
        {
            return Issue{command.script.name, "starts no serving engine",
                         "give the script of vllm serve, sglang.launch_server or trtllm-serve"};
        }
        const auto own = [](const ServingEnginePreset& p) -> std::string_view { return p.engine.id; };
        const ServingEnginePreset* preset =
            presets.serving ? find_by(presets.serving->engines, row_of(*tool).engine, own) : nullptr;
        forget(s, preset != nullptr ? preset->engine : s.engine);
        ServingLayout layout;
        ServingRead read{s, layout, *tool};
        read_settings(read, source->settings, out.unread);
        SettingList whole; // each of the file's options, with all that is below it
        for (const auto& [name, value] : options->tree.items())
        {
            whole.add({name, value, {command.options.name}});
        }
        read_settings(read, whole, out.unread);
        settle_layout(read);
        const bool front = read.prefills || (commands.size() > 1 && &command == &commands.front());
        layout.replicas = front ? base.prefill.replicas : base.layout.replicas;
        (front ? s.prefill : s.layout) = layout;
    }
    return out;
}

} // namespace ringside
