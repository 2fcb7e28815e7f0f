#include "core/planner/launch/serving_launch.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/scenario/serving.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

enum class ServingTool : std::uint8_t
{
    vllm,
    sglang,
    trtllm
};
struct ServingToolRow
{
    std::string_view id;
    std::string_view engine; // its id in assets, which Serving::engine has
    std::string_view start;  // the command that the flags stand behind
};
// In the order of ServingTool.
constexpr std::array<ServingToolRow, 3> kServingTools{
    {{"vllm", "vllm", "vllm serve $MODEL"},
     {"sglang", "sglang", "python3 -m sglang.launch_server --model-path $MODEL"},
     {"trtllm", "tensorrt-llm", "trtllm-serve $MODEL"}}};

const ServingToolRow& row_of(ServingTool tool)
{
    return kServingTools[static_cast<std::size_t>(tool)];
}

struct Served
{
    const Serving& s;
    const ServingLayout& layout;
    ServingTool tool;
    bool prefills = false; // one of disaggregated engines that only prefill
};

// What a field comes to: nothing to say, or a value; of a switch "on".
using Said = std::string;
const Said kSwitch = "on";

Said on(bool yes)
{
    return yes ? kSwitch : Said();
}
Said above(std::int64_t value, std::int64_t least)
{
    return value > least ? std::to_string(value) : Said();
}

// All tensor ranks of a replica: vLLM counts those of an attention replica, the others all.
Said tensor_said(const Served& v)
{
    return std::to_string(v.tool == ServingTool::vllm ? v.layout.tensor : v.layout.tensor * v.layout.data);
}
Said data_said(const Served& v)
{
    return v.tool == ServingTool::trtllm ? v.layout.data > 1 ? "true" : "" : above(v.layout.data, 1);
}
// vLLM's experts lie over all ranks or none.
Said experts_said(const Served& v)
{
    const bool all = v.layout.expert == v.layout.tensor * v.layout.data;
    return v.tool == ServingTool::vllm ? on(v.layout.expert > 1 && all) : above(v.layout.expert, 1);
}
Said weights_said(const Served& v)
{
    const bool vllm_or_sglang = v.tool != ServingTool::trtllm;
    switch (v.s.experts)
    {
    case StorePrecision::fp8:
        return vllm_or_sglang ? "fp8" : "";
    case StorePrecision::nvfp4:
        return vllm_or_sglang ? "modelopt_fp4" : "";
    case StorePrecision::mxfp4:
        return vllm_or_sglang ? "mxfp4" : "";
    default:
        return "";
    }
}
Said cache_said(const Served& v)
{
    const bool narrow = v.s.kv_cache == StorePrecision::fp8;
    return !narrow                         ? ""
           : v.tool == ServingTool::sglang ? "fp8_e4m3"
           : v.tool == ServingTool::trtllm ? "{dtype: fp8}"
                                           : "fp8";
}
Said scheduler_said(const Served& v)
{
    return v.tool == ServingTool::vllm ? "" : on(v.s.scheduler == BatchScheduler::mixed);
}
Said drafts_said(const Served& v)
{
    const std::int64_t n = v.s.speculative.tokens;
    return n < 1 ? ""
           : v.tool == ServingTool::vllm
               ? fmt::format(R"('{{"method": "mtp", "num_speculative_tokens": {}}}')", n)
           : v.tool == ServingTool::sglang
               ? std::to_string(n)
               : fmt::format("{{decoding_type: MTP, num_nextn_predict_layers: {}}}", n);
}
Said redundant_said(const Served& v)
{
    const std::int64_t n = v.s.redundant_experts;
    return n < 1                         ? ""
           : v.tool == ServingTool::vllm ? fmt::format(R"('{{"num_redundant_experts": {}}}')", n)
                                         : std::to_string(n);
}
Said role_said(const Served& v)
{
    const bool sglang = v.tool == ServingTool::sglang;
    return !v.s.disaggregated              ? ""
           : v.tool == ServingTool::trtllm ? "{backend: UCX}"
           : sglang                        ? v.prefills ? "prefill" : "decode"
                                           : R"('{"kv_connector": "NixlConnector", "kv_role": "kv_both"}')";
}

// A setting of each engine; empty: it has none. One that does not begin with a dash belongs into
// TensorRT-LLM's options file.
struct ServingFlag
{
    std::string_view field; // of `serving`
    std::string_view explains;
    std::array<std::string_view, 3> flags;
    Said (*said)(const Served&);
};

const std::array kServingFlags{
    ServingFlag{
        "tensor", "tensor parallelism", {"--tensor-parallel-size", "--tp-size", "--tp_size"}, tensor_said},
    ServingFlag{"pipeline",
                "stages",
                {"--pipeline-parallel-size", "--pp-size", "--pp_size"},
                [](const Served& v) { return above(v.layout.pipeline, 1); }},
    ServingFlag{"data",
                "attention replicas",
                {"--data-parallel-size", "--dp-size", "enable_attention_dp"},
                data_said},
    ServingFlag{"data",
                "attention data parallelism",
                {"", "--enable-dp-attention", ""},
                [](const Served& v) { return on(v.tool == ServingTool::sglang && v.layout.data > 1); }},
    ServingFlag{
        "expert", "expert parallelism", {"--enable-expert-parallel", "--ep-size", "--ep_size"}, experts_said},
    ServingFlag{"weights", "weight precision", {"--quantization", "--quantization", ""}, weights_said},
    ServingFlag{"kv_cache",
                "precision of keys and values",
                {"--kv-cache-dtype", "--kv-cache-dtype", "kv_cache_config"},
                cache_said},
    ServingFlag{"max_num_seqs",
                "most running requests",
                {"--max-num-seqs", "--max-running-requests", "--max_batch_size"},
                [](const Served& v) {
                    return std::to_string(v.s.max_num_seqs > 0 ? v.s.max_num_seqs : v.s.engine.max_num_seqs);
                }},
    ServingFlag{"max_num_batched_tokens",
                "most tokens of an iteration",
                {"--max-num-batched-tokens", "--chunked-prefill-size", "--max_num_tokens"},
                [](const Served& v)
                {
                    return std::to_string(v.s.max_num_batched_tokens > 0 ? v.s.max_num_batched_tokens
                                                                         : v.s.engine.max_num_batched_tokens);
                }},
    ServingFlag{"memory_fraction",
                "memory for weights and cache",
                {"--gpu-memory-utilization", "--mem-fraction-static", "--kv_cache_free_gpu_memory_fraction"},
                [](const Served& v) {
                    return fmt::format("{:g}", v.s.memory_fraction > 0 ? v.s.memory_fraction
                                                                       : v.s.engine.memory_fraction);
                }},
    ServingFlag{"scheduler",
                "prompts in pieces beside decoding",
                {"", "--enable-mixed-chunk", "--enable_chunked_prefill"},
                scheduler_said},
    ServingFlag{"cuda_graphs",
                "no CUDA graphs",
                {"--enforce-eager", "--disable-cuda-graph", "cuda_graph_config"},
                [](const Served& v) {
                    return v.s.cuda_graphs ? "" : v.tool == ServingTool::trtllm ? "null" : kSwitch;
                }},
    ServingFlag{"speculative.tokens",
                "draft tokens",
                {"--speculative-config", "--speculative-num-steps", "speculative_config"},
                drafts_said},
    ServingFlag{"speculative.tokens",
                "how drafts are made",
                {"", "--speculative-algorithm", ""},
                [](const Served& v) {
                    return v.tool == ServingTool::sglang && v.s.speculative.tokens > 0 ? Said("EAGLE")
                                                                                       : Said();
                }},
    ServingFlag{"redundant_experts",
                "load balancing over replicas of experts",
                {"--enable-eplb", "", ""},
                [](const Served& v) { return on(v.tool == ServingTool::vllm && v.s.redundant_experts > 0); }},
    ServingFlag{"redundant_experts",
                "copies beyond one of each",
                {"--eplb-config", "--ep-num-redundant-experts", ""},
                redundant_said},
    ServingFlag{"two_batch",
                "two half batches",
                {"--enable-dbo", "--enable-two-batch-overlap", ""},
                [](const Served& v) { return on(v.s.two_batch); }},
    ServingFlag{"prefill",
                "the cache moves between engines",
                {"--kv-transfer-config", "--disaggregation-mode", "cache_transceiver_config"},
                role_said},
};

constexpr std::string_view kOptionsFile = "options.yaml";

std::string_view flag_of(const ServingFlag& row, ServingTool tool)
{
    return row.flags[static_cast<std::size_t>(tool)];
}

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
    for (const ServingFlag& row : kServingFlags)
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
        launch.flags.push_back(
            {std::string(flag), value, std::string(row.explains), "serving." + std::string(row.field)});
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
    const auto* const found = std::ranges::find(kServingTools, id, &ServingToolRow::id);
    return found == kServingTools.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string_view> serving_tools()
{
    std::vector<std::string_view> ids;
    std::ranges::transform(kServingTools, std::back_inserter(ids), &ServingToolRow::id);
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
    const auto named = static_cast<ServingTool>(found == nullptr ? 0 : found - kServingTools.data());
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
