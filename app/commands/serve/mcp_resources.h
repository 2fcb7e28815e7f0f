// Resources of the Model Context Protocol: what ships with the program, as documents of JSON. Only ids that
// are there are read, so no address leads out of the assets.
#pragma once

#include "app/commands/serve/served_command.h"
#include "core/base/json/json.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace ringside
{

nlohmann::json mcp_resource_list();          // of resources/list
nlohmann::json mcp_resource_template_list(); // of resources/templates/list
// The document at "ringside://models" or "ringside://models/llama-3.1-8b"; a fault: there is none.
Result<std::string> mcp_resource(const Program& program, std::string_view address);

} // namespace ringside
