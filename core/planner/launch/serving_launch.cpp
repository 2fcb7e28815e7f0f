#include "core/planner/launch/serving_launch.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/planner/launch/serving_flags.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::string_view kOptionsFile = "options.yaml";

void add_line(LaunchFile& file, std::string text, std::ptrdiff_t flag = -1)
{
    file.lines.push_back({std::move(text), flag});
}

// One engine's command, and what of TensorRT-LLM stands in a file.
void write_engine(const Served& v, const std::string& name, Launch& launch)
{
    LaunchFile command;
    command.name = name + ".sh";
    command.comment.clear(); // none can stand behind a line's backslash
    LaunchFile options;
    options.name = name + "-" + std::string(kOptionsFile);
    add_line(command, "#!/bin/sh");
    add_line(command, fmt::format("{} \\", row_of(v.tool).start));
    for (const ServingFlag& row : serving_flags())
    {
        const std::string_view flag = flag_of(row, v.tool);
        const Said said = row.said(v);
        if (said.empty() || flag.empty())
        {
            continue;
        }
        const bool in_file = !flag.starts_with("-");
        const std::string value = said == kSwitch ? Said() : said;
        const std::ptrdiff_t at = std::ssize(launch.flags);
        const std::string_view seen = row.seen[static_cast<std::size_t>(v.tool)];
        launch.flags.push_back(
            {std::string(flag), value,
             seen.empty() ? std::string(row.explains) : fmt::format("{} (seen in {})", row.explains, seen),
             "serving." + std::string(row.field)});
        add_line(in_file ? options : command,
                 in_file ? fmt::format("{}: {}", flag, value)
                         : fmt::format("  {}{}{} \\", flag, value.empty() ? "" : " ", value),
                 at);
    }
    if (!options.lines.empty())
    {
        add_line(command, fmt::format("  --extra_llm_api_options {} \\", options.name));
    }
    std::string& last = command.lines.back().text;
    last.resize(last.size() - 2); // its backslash
    launch.files.push_back(std::move(command));
    if (!options.lines.empty())
    {
        launch.files.push_back(std::move(options));
    }
}

void miss(Launch& launch, bool there, std::string field, std::string value, std::string says)
{
    if (there)
    {
        launch.not_expressed.push_back({"serving." + std::move(field), std::move(value), std::move(says)});
    }
}

// Fields that the tool has no setting for.
void list_missed(const Serving& s, ServingTool tool, Launch& launch)
{
    const auto name = [](auto value) { return std::string(name_of(value)); };
    const bool trtllm = tool == ServingTool::trtllm;
    const bool vllm = tool == ServingTool::vllm;
    const auto all = s.layout.tensor * s.layout.data;
    miss(launch, s.engine.id != row_of(tool).engine, "engine", s.engine.name,
         "the command is another engine's");
    miss(launch, vllm && s.layout.expert > 1 && s.layout.expert != all, "expert",
         std::to_string(s.layout.expert), fmt::format("experts lie over all {} ranks or over none", all));
    miss(launch, trtllm && s.experts != StorePrecision::bf16, "weights", name(s.experts),
         "the checkpoint says it");
    miss(launch, !trtllm && (s.experts == StorePrecision::int8 || s.experts == StorePrecision::int4),
         "weights", name(s.experts), "of several methods, the checkpoint's");
    miss(launch, s.rest != s.experts, "weights.rest", name(s.rest), "the checkpoint says it");
    miss(launch, s.kv_cache != StorePrecision::bf16 && s.kv_cache != StorePrecision::fp8, "kv_cache",
         name(s.kv_cache), "left at the checkpoint's");
    const bool first = s.scheduler == BatchScheduler::prefill_first;
    miss(launch, first && tool != ServingTool::sglang, "scheduler", name(s.scheduler),
         "prompts are computed beside decoding");
    miss(launch, trtllm && s.layout.data > 1 && s.layout.tensor > 1, "tensor",
         std::to_string(s.layout.tensor), "attention is on all ranks, or whole on each");
    miss(launch, vllm && !s.engine.plans_ahead, "engine.plans_ahead", "false", "left at its default");
    miss(launch, trtllm && s.redundant_experts > 0, "redundant_experts", std::to_string(s.redundant_experts),
         "needs a load balancer's file");
    miss(launch, trtllm && s.two_batch, "two_batch", "true", "no setting");
    miss(launch, s.layout.replicas > 1, "replicas", std::to_string(s.layout.replicas),
         "start as many, behind a router");
    miss(launch, s.imbalance > 1, "imbalance", fmt::format("{:g}", s.imbalance), "a result, not a setting");
    miss(launch, s.speculative.tokens > 0, "speculative.acceptance",
         fmt::format("{:g}", s.speculative.acceptance), "a result, not a setting");
    miss(launch, s.disaggregated && s.kv_link_gb_per_s > 0, "kv_link_gb_per_s",
         fmt::format("{:g}", s.kv_link_gb_per_s), "the connector takes the network there is");
    miss(launch, true, "traffic", fmt::format("{} + {} tokens", s.traffic.prompt, s.traffic.output),
         "the client's");
    miss(launch, true, "objective", fmt::format("{:g} s, {:g} s", s.objective.ttft_s, s.objective.tpot_s),
         "the client's");
}

const ServingToolRow* find_tool(std::string_view id)
{
    const auto rows = serving_tool_rows();
    const auto found = std::ranges::find(rows, id, &ServingToolRow::id);
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string_view> serving_tools()
{
    std::vector<std::string_view> ids;
    std::ranges::transform(serving_tool_rows(), std::back_inserter(ids), &ServingToolRow::id);
    return ids;
}

bool is_serving_tool(std::string_view name)
{
    return find_tool(name) != nullptr;
}

Launch write_serving(const Scenario& scenario, std::string_view tool)
{
    const Serving& s = *scenario.serving;
    const ServingToolRow* found = find_tool(tool);
    const auto named = static_cast<ServingTool>(found == nullptr ? 0 : found - serving_tool_rows().data());
    Launch launch;
    if (s.disaggregated)
    {
        write_engine({s, s.prefill, named, true}, "prefill", launch);
    }
    write_engine({s, s.layout, named}, s.disaggregated ? "decode" : "serve", launch);
    list_missed(s, named, launch);
    return launch;
}

} // namespace ringside
