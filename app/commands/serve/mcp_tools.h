// Tools of the Model Context Protocol (modelcontextprotocol.io, server/tools), each a command of the program.
// A tool's schema is read off the options that its command declares, and its answer is what the command
// prints with --json, byte for byte.
#pragma once

#include "app/commands/serve/served_command.h"
#include "core/base/json/json.h"
#include "core/base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// One of the commands behind a tool.
struct McpAction
{
    std::string_view name;    // of the tool's argument `action`, where there are several
    std::string_view command; // "question show"; empty: there are no more
};

struct McpTool
{
    std::string_view name;
    std::string_view title;
    std::string_view about; // for the model that chooses among them
    std::array<McpAction, 3> actions;
    bool draws = false; // answers with a picture
};

const McpTool* find_mcp_tool(std::string_view name);
// All of them, as tools/list has them.
nlohmann::json mcp_tool_list(const Program& program);

// The command line that a call of a tool stands for.
struct McpCall
{
    std::vector<std::string> words;
    std::string input; // its standard input
};
Result<McpCall> mcp_call(const Program& program, const McpTool& tool, const nlohmann::json& arguments);

// The result of a call: content, and whether it is an error, which the model may mend (SEP-1303).
nlohmann::json mcp_call_result(const Program& program, const McpTool& tool, const nlohmann::json& arguments);

} // namespace ringside
