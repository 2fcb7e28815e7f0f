// A scenario's serving as the command of an engine: vLLM, SGLang or TensorRT-LLM. Pure text; nothing is
// started. Every setting names its field, and every field that the engine has no setting for is named.
//
// Flags as in vLLM's vllm/engine/arg_utils.py, SGLang's python/sglang/srt/server_args.py and TensorRT-LLM's
// tensorrt_llm/commands/serve.py and llmapi/llm_args.py. Traffic and objective are the client's. $MODEL
// stands for the checkpoint, whose own quantization wins over a flag.
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
