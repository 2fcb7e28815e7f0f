// Prompts of the Model Context Protocol: how to begin what people most often ask for.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <string>

namespace ringside
{

nlohmann::json mcp_prompt_list(); // of prompts/list
// The result of prompts/get, or why not: no such prompt, an argument that is missing.
Result<nlohmann::json> mcp_prompt(const std::string& name, const nlohmann::json& arguments);

} // namespace ringside
