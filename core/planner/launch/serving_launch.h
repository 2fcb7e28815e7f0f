// A scenario's serving as the command of an engine: vLLM, SGLang or TensorRT-LLM. Pure text; nothing is
// started. Every setting names its field, and every field that the engine has no setting for is named.
//
// A flag's release is the earliest that one of these has it in, no more: ai-dynamo/aiconfigurator, src/
// aiconfigurator/generator/config/backend_templates, a template for each release; SemiAnalysisAI/InferenceX,
// benchmarks, whose images are pinned; vLLM's vllm/engine/arg_utils.py of 0.7.2 and its documentation of
// 0.11.2; TensorRT-LLM's of 0.18.2 and tensorrt_llm/commands/serve.py of 1.2. None: in a source without a
// release. vLLM's half batches need --all2all-backend of DeepEP. Traffic and objective are the client's.
// $MODEL stands for the checkpoint, whose own quantization wins over a flag.
#pragma once

#include "core/planner/launch/launch.h"

#include <string_view>
#include <vector>

namespace ringside
{

// "vllm", "sglang", "trtllm"
std::vector<std::string_view> serving_tools();
bool is_serving_tool(std::string_view name);

// The scenario must be valid and describe its serving; `tool` is one of serving_tools().
Launch write_serving(const Scenario& scenario, std::string_view tool);

} // namespace ringside
