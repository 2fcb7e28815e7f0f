#include "core/planner/launch/serving_flags.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/number.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ringside
{

namespace
{

// In the order of ServingTool.
constexpr std::array<ServingToolRow, 3> kServingTools{
    {{"vllm", "vllm", "vllm serve $MODEL"},
     {"sglang", "sglang", "python3 -m sglang.launch_server --model-path $MODEL"},
     {"trtllm", "tensorrt-llm", "trtllm-serve $MODEL"}}};

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
// As vLLM and SGLang name them.
struct WeightName
{
    StorePrecision precision;
    std::string_view name;
};
constexpr std::array kWeightNames{WeightName{StorePrecision::fp8, "fp8"},
                                  WeightName{StorePrecision::nvfp4, "modelopt_fp4"},
                                  WeightName{StorePrecision::mxfp4, "mxfp4"}};
Said weights_said(const Served& v)
{
    const auto* named = std::ranges::find(kWeightNames, v.s.experts, &WeightName::precision);
    return v.tool == ServingTool::trtllm || named == kWeightNames.end() ? Said() : Said(named->name);
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

std::optional<std::int64_t> whole_of(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
// The number behind a name inside of '{"method": "mtp", "num_speculative_tokens": 2}'.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view name)
{
    const std::size_t at = text.find(name);
    const std::size_t from = at == std::string_view::npos ? at : text.find_first_of("0123456789", at);
    if (from == std::string_view::npos)
    {
        return std::nullopt;
    }
    return whole_of(text.substr(from, text.find_first_not_of("0123456789", from) - from));
}
bool put(std::int64_t& target, std::optional<std::int64_t> value)
{
    target = value.value_or(target);
    return value.has_value();
}
// 0 says that it is the engine's own.
bool put_unless(std::int64_t& target, std::string_view text, std::int64_t own)
{
    const auto value = whole_of(text);
    target = value && *value == own ? 0 : value.value_or(target);
    return value.has_value();
}
bool put_memory(Serving& s, std::string_view text)
{
    const auto share = number_at_start(text);
    const bool known = share && share->length == text.size() && share->value > 0 && share->value <= 1;
    s.memory_fraction = !known || share->value == s.engine.memory_fraction ? 0 : share->value;
    return known;
}
bool read_weights(const ServingRead& r, std::string_view text)
{
    const auto* named = std::ranges::find(kWeightNames, text, &WeightName::name);
    const bool known = named != kWeightNames.end();
    r.s.rest = known ? named->precision : r.s.rest;
    r.s.experts = known ? named->precision : r.s.experts;
    return known;
}
// TensorRT-LLM gives the whole of kv_cache_config.
bool read_cache(const ServingRead& r, std::string_view text)
{
    r.s.kv_cache = text.find("fp8") != std::string_view::npos ? StorePrecision::fp8 : r.s.kv_cache;
    const std::size_t at = text.find("free_gpu_memory_fraction");
    const std::size_t from = at == std::string_view::npos ? at : text.find_first_of("0123456789", at);
    return from == std::string_view::npos ||
           put_memory(r.s, text.substr(from, text.find_first_not_of("0123456789.", from) - from));
}
bool read_nothing(ServingRead&, std::string_view)
{
    return true;
}

const std::array kServingFlags{
    ServingFlag{"tensor",
                "tensor parallelism",
                {"--tensor-parallel-size", "--tp-size", "--tp_size"},
                {"0.7.2", "0.5.1.post1", "0.18.2"},
                tensor_said,
                [](ServingRead& r, std::string_view v) { return put(r.layout.tensor, whole_of(v)); }},
    ServingFlag{"pipeline",
                "stages",
                {"--pipeline-parallel-size", "--pp-size", "--pp_size"},
                {"0.7.2", "0.5.1.post1", "0.18.2"},
                [](const Served& v) { return above(v.layout.pipeline, 1); },
                [](ServingRead& r, std::string_view v) { return put(r.layout.pipeline, whole_of(v)); }},
    ServingFlag{"data",
                "attention replicas",
                {"--data-parallel-size", "--dp-size", "enable_attention_dp"},
                {"0.11.0", "0.5.1.post1", "0.20.0"},
                data_said,
                [](ServingRead& r, std::string_view v)
                {
                    r.all_data = r.tool == ServingTool::trtllm && v == "true";
                    return r.tool == ServingTool::trtllm || put(r.layout.data, whole_of(v));
                }},
    ServingFlag{"data",
                "attention data parallelism",
                {"", "--enable-dp-attention", ""},
                {"", "0.5.1.post1", ""},
                [](const Served& v) { return on(v.tool == ServingTool::sglang && v.layout.data > 1); },
                read_nothing},
    ServingFlag{"expert",
                "expert parallelism",
                {"--enable-expert-parallel", "--ep-size", "--ep_size"},
                {"0.10.2", "0.5.1.post1", "1.1.0rc2"},
                experts_said,
                [](ServingRead& r, std::string_view v)
                {
                    r.all_experts = r.tool == ServingTool::vllm;
                    return r.all_experts || put(r.layout.expert, whole_of(v));
                }},
    ServingFlag{"weights",
                "weight precision",
                {"--quantization", "--quantization", ""},
                {"0.7.2", "0.5.3rc1", ""},
                weights_said,
                [](ServingRead& r, std::string_view v) { return read_weights(r, v); }},
    ServingFlag{"kv_cache",
                "precision of keys and values",
                {"--kv-cache-dtype", "--kv-cache-dtype", "kv_cache_config"},
                {"0.7.2", "0.5.1.post1", "0.20.0"},
                cache_said,
                [](ServingRead& r, std::string_view v) { return read_cache(r, v); }},
    ServingFlag{"max_num_seqs",
                "most running requests",
                {"--max-num-seqs", "--max-running-requests", "--max_batch_size"},
                {"0.7.2", "0.5.1.post1", "0.18.2"},
                [](const Served& v)
                { return std::to_string(v.s.max_num_seqs > 0 ? v.s.max_num_seqs : v.s.engine.max_num_seqs); },
                [](ServingRead& r, std::string_view v)
                { return put_unless(r.s.max_num_seqs, v, r.s.engine.max_num_seqs); }},
    ServingFlag{"max_num_batched_tokens",
                "most tokens of an iteration",
                {"--max-num-batched-tokens", "--chunked-prefill-size", "--max_num_tokens"},
                {"0.7.2", "0.5.3rc1", "0.18.2"},
                [](const Served& v)
                {
                    return std::to_string(v.s.max_num_batched_tokens > 0 ? v.s.max_num_batched_tokens
                                                                         : v.s.engine.max_num_batched_tokens);
                },
                [](ServingRead& r, std::string_view v)
                { return put_unless(r.s.max_num_batched_tokens, v, r.s.engine.max_num_batched_tokens); }},
    ServingFlag{"memory_fraction",
                "memory for weights and cache",
                {"--gpu-memory-utilization", "--mem-fraction-static", "--kv_cache_free_gpu_memory_fraction"},
                {"0.7.2", "0.5.3rc1", "0.18.2"},
                [](const Served& v) {
                    return fmt::format("{:g}", v.s.memory_fraction > 0 ? v.s.memory_fraction
                                                                       : v.s.engine.memory_fraction);
                },
                [](ServingRead& r, std::string_view v) { return put_memory(r.s, v); }},
    ServingFlag{"scheduler",
                "prompts beside decoding",
                {"", "--enable-mixed-chunk", ""},
                {"", "0.5.1.post1", ""},
                scheduler_said,
                [](ServingRead& r, std::string_view)
                {
                    r.s.scheduler = BatchScheduler::mixed;
                    return true;
                }},
    ServingFlag{"engine.chunked_prefill",
                "prompts in pieces",
                {"", "", "--enable_chunked_prefill"},
                {"", "", "1.2"},
                [](const Served& v) { return on(v.s.engine.chunked_prefill); },
                [](ServingRead& r, std::string_view)
                {
                    r.s.engine.chunked_prefill = true;
                    return true;
                }},
    ServingFlag{"engine.scheduler_recv_interval",
                "decoding steps between polls for requests",
                {"", "--scheduler-recv-interval", ""},
                {"", "0.5.3rc1", ""},
                [](const Served& v) { return above(v.s.engine.scheduler_recv_interval, 1); },
                [](ServingRead& r, std::string_view v)
                { return put(r.s.engine.scheduler_recv_interval, whole_of(v)); }},
    ServingFlag{"engine.balance_iters",
                "iterations that prompts wait for other attention replicas",
                {"", "", "attention_dp_config"},
                {"", "", "1.1.0rc2"},
                [](const Served& v)
                {
                    const std::int64_t n = v.s.engine.balance_iters;
                    return n > 0 ? fmt::format("{{enable_balance: true, batching_wait_iters: 0, "
                                               "timeout_iters: {}}}",
                                               n)
                                 : Said();
                },
                [](ServingRead& r, std::string_view v)
                { return put(r.s.engine.balance_iters, number_behind(v, "timeout_iters")); }},
    ServingFlag{"engine.plans_ahead",
                "no overlap scheduling",
                {"", "--disable-overlap-schedule", "disable_overlap_scheduler"},
                {"", "0.5.1.post1", "1.0.0rc3"},
                [](const Served& v) {
                    return v.s.engine.plans_ahead          ? Said()
                           : v.tool == ServingTool::trtllm ? Said("true")
                                                           : kSwitch;
                },
                [](ServingRead& r, std::string_view v)
                {
                    r.s.engine.plans_ahead = v == "false";
                    return true;
                }},
    ServingFlag{"cuda_graphs",
                "no CUDA graphs",
                {"--enforce-eager", "--disable-cuda-graph", "cuda_graph_config"},
                {"0.7.2", "0.5.1.post1", "1.0.0rc3"},
                [](const Served& v) {
                    return v.s.cuda_graphs ? "" : v.tool == ServingTool::trtllm ? "null" : kSwitch;
                },
                [](ServingRead& r, std::string_view v)
                {
                    r.s.cuda_graphs = r.tool == ServingTool::trtllm && v != "null";
                    return true;
                }},
    ServingFlag{"engine.graph_tokens",
                "largest iteration in a CUDA graph",
                {"--max-cudagraph-capture-size", "", ""},
                {"0.15.1", "", ""},
                [](const Served& v)
                {
                    return v.tool == ServingTool::vllm &&
                                   v.s.engine.graph_tokens != ServingEngine{}.graph_tokens
                               ? fmt::format("{:.0f}", v.s.engine.graph_tokens)
                               : Said();
                },
                [](ServingRead& r, std::string_view v)
                {
                    const auto tokens = whole_of(v);
                    r.s.engine.graph_tokens = tokens ? static_cast<double>(*tokens) : r.s.engine.graph_tokens;
                    return tokens.has_value();
                }},
    ServingFlag{"speculative.tokens",
                "draft tokens",
                {"--speculative-config", "--speculative-num-steps", "speculative_config"},
                {"0.11.0", "0.5.4.post3", "0.20.0"},
                drafts_said,
                [](ServingRead& r, std::string_view v)
                {
                    return put(r.s.speculative.tokens, r.tool == ServingTool::sglang ? whole_of(v)
                                                       : r.tool == ServingTool::vllm
                                                           ? number_behind(v, "num_speculative_tokens")
                                                           : number_behind(v, "num_nextn_predict_layers"));
                }},
    ServingFlag{"speculative.tokens",
                "how drafts are made",
                {"", "--speculative-algorithm", ""},
                {"", "0.5.4.post3", ""},
                [](const Served& v) {
                    return v.tool == ServingTool::sglang && v.s.speculative.tokens > 0 ? Said("EAGLE")
                                                                                       : Said();
                },
                read_nothing},
    ServingFlag{"redundant_experts",
                "load balancing over replicas of experts",
                {"--enable-eplb", "", ""},
                {"0.11.2", "", ""},
                [](const Served& v) { return on(v.tool == ServingTool::vllm && v.s.redundant_experts > 0); },
                read_nothing},
    ServingFlag{"redundant_experts",
                "copies beyond one of each",
                {"--eplb-config", "--ep-num-redundant-experts", ""},
                {"0.11.2", "0.5.8", ""},
                redundant_said,
                [](ServingRead& r, std::string_view v)
                {
                    return put(r.s.redundant_experts, r.tool == ServingTool::sglang
                                                          ? whole_of(v)
                                                          : number_behind(v, "num_redundant_experts"));
                }},
    ServingFlag{"two_batch",
                "two half batches",
                {"--enable-dbo", "--enable-two-batch-overlap", ""},
                {"", "0.5.8", ""},
                [](const Served& v) { return on(v.s.two_batch); },
                [](ServingRead& r, std::string_view)
                {
                    r.s.two_batch = true;
                    return true;
                }},
    ServingFlag{"prefill",
                "the cache moves between engines",
                {"--kv-transfer-config", "--disaggregation-mode", "cache_transceiver_config"},
                {"0.7.2", "0.5.8", "1.0.0rc4"},
                role_said,
                [](ServingRead& r, std::string_view v)
                {
                    r.s.disaggregated = true;
                    r.prefills = r.tool == ServingTool::sglang && v == "prefill";
                    return true;
                }},
};

} // namespace

std::span<const ServingToolRow> serving_tool_rows()
{
    return kServingTools;
}

const ServingToolRow& row_of(ServingTool tool)
{
    return kServingTools[static_cast<std::size_t>(tool)];
}

std::span<const ServingFlag> serving_flags()
{
    return kServingFlags;
}

std::string_view flag_of(const ServingFlag& row, ServingTool tool)
{
    return row.flags[static_cast<std::size_t>(tool)];
}

} // namespace ringside
